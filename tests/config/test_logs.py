"""What logs do not say."""

import errno
import logging

import psycopg
import pytest
from django.db import OperationalError

from config import logs
from config.logs import BriefTrouble, WithoutTokens


def message(text, *args):
    record = logging.LogRecord("django.request", logging.WARNING, "", 1, text, args, None)
    assert WithoutTokens().filter(record)
    return record.getMessage()


def test_the_token_of_an_invitation_is_left_out():
    assert message("%s: %s", "Gone", "/join/sEcr3t-t0ken_/") == "Gone: /join/…/"


def test_other_addresses_stay():
    assert message("%s: %s", "Not Found", "/lists/3/%20/") == "Not Found: /lists/3/%20/"


def failed(error, cause=None):
    """The record that Django makes of a request that ended with this error."""
    try:
        raise error from cause
    except Exception as raised:
        trouble = (type(raised), raised, raised.__traceback__)
    return logging.LogRecord("django.request", logging.ERROR, "", 1, "%s: %s", ("Error", "/"), trouble)


@pytest.mark.parametrize(
    ("error", "cause", "said"),
    [
        (OperationalError("gone"), psycopg.OperationalError(), "Touchstone can’t reach its database"),
        (OperationalError("late"), psycopg.errors.LockNotAvailable(), "A longer change is under way"),
        (OperationalError("full"), psycopg.errors.DiskFull(), "The server’s disk is full"),
        (OSError(errno.ENOSPC, "No space left on device"), None, "The server’s disk is full"),
    ],
)
def test_trouble_that_passes_is_one_line_a_minute(error, cause, said, monkeypatch):
    now = 1000.0
    monkeypatch.setattr(logs.time, "monotonic", lambda: now)
    brief = BriefTrouble()
    first = failed(error, cause)

    assert brief.filter(first)
    assert first.getMessage().startswith(said)
    assert first.exc_info is None
    assert not any(brief.filter(failed(error, cause)) for _ in range(1000))
    now += logs.SAY_AGAIN_SECONDS
    assert brief.filter(failed(error, cause))


def test_errors_of_the_code_keep_their_traceback_every_time():
    brief = BriefTrouble()

    for _ in range(2):
        record = failed(ValueError("a fault"))
        assert brief.filter(record)
        assert record.exc_info


def test_lines_without_an_error_are_left_alone():
    record = logging.LogRecord("django.request", logging.WARNING, "", 1, "Not Found: /", (), None)

    assert BriefTrouble().filter(record)
