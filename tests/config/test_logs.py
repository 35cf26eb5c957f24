"""What logs do not say."""

import errno
import json
import logging
import sys

import psycopg
import pytest
from django.core.exceptions import BadRequest, DisallowedHost, TooManyFieldsSent
from django.db import OperationalError
from django.http.multipartparser import MultiPartParserError
from django.test import RequestFactory

from config import logs
from config.logs import BriefRefusals, BriefTrouble, JsonLines, TextLines, WithoutTokens
from judgments.pages.http import META_KEY


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


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            DisallowedHost("Invalid HTTP_HOST header: 'evil.example'."),
            "Invalid HTTP_HOST header: 'evil.example'.",
        ),
        (DisallowedHost("a" * 9000), "a" * 199 + "…"),
        (TooManyFieldsSent("Too many fields"), "Too many fields"),
        (MultiPartParserError("Invalid boundary"), "Invalid boundary"),
        (BadRequest("No such thing\nin two lines"), "No such thing in two lines"),
    ],
)
def test_what_a_client_did_wrong_is_one_line(error, said):
    record = failed(error)
    record.msg, record.args = "%s", (str(error),)

    assert BriefRefusals().filter(record)
    assert (record.getMessage(), record.exc_info, record.exc_text) == (said, None, None)


def test_lines_without_an_error_are_left_alone():
    record = logging.LogRecord("django.request", logging.WARNING, "", 1, "Not Found: /", (), None)

    assert BriefTrouble().filter(record)


def about_a_request(path="/lists/3/", trouble=None, **extra):
    request = RequestFactory().get(path, {"secret": "1"}, **{META_KEY: "an-id-of-a-request"})
    record = logging.LogRecord("django.request", logging.ERROR, "", 1, "%s: %s", ("Oh", "no"), trouble)
    record.__dict__.update({"request": request} | extra)
    return record


def test_a_line_for_people_ends_with_the_id_of_its_request():
    plain = logging.LogRecord("root", logging.ERROR, "", 1, "Hello", (), None)

    assert TextLines().format(about_a_request()) == "Oh: no (request an-id-of-a-request)"
    assert TextLines().format(plain) == "Hello"


def test_the_id_stands_before_the_traceback():
    first, *rest = TextLines().format(about_a_request(trouble=raised(ValueError("a fault")))).splitlines()

    assert first == "Oh: no (request an-id-of-a-request)"
    assert rest[-1] == "ValueError: a fault"


def raised(error):
    try:
        raise error
    except type(error):
        return sys.exc_info()


def test_a_line_for_programs_is_one_json_object():
    record = about_a_request(trouble=raised(ValueError("two\nlines")), facts={"status": 500})
    record.created = 1_700_000_000.5

    text = JsonLines().format(record)

    line = json.loads(text)
    assert "\n" not in text
    assert line.pop("traceback").endswith("ValueError: two\nlines")
    assert line == {
        "time": "2023-11-14T22:13:20.500+00:00",
        "level": "error",
        "logger": "django.request",
        "message": "Oh: no",
        "request_id": "an-id-of-a-request",
        "method": "GET",
        "path": "/lists/3/",
        "status": 500,
    }


def test_a_line_for_programs_has_no_token_of_an_invitation_either():
    line = json.loads(JsonLines().format(about_a_request("/join/sEcr3t/")))

    assert line["path"] == "/join/…/"
