"""What logs do not say."""

import logging

from config.logs import WithoutTokens


def message(text, *args):
    record = logging.LogRecord("django.request", logging.WARNING, "", 1, text, args, None)
    assert WithoutTokens().filter(record)
    return record.getMessage()


def test_the_token_of_an_invitation_is_left_out():
    assert message("%s: %s", "Gone", "/join/sEcr3t-t0ken_/") == "Gone: /join/…/"


def test_other_addresses_stay():
    assert message("%s: %s", "Not Found", "/lists/3/%20/") == "Not Found: /lists/3/%20/"
