"""Each answer has the ID of its request, and the log has it, too."""

import json
import logging
import re

import pytest
from django.test import Client
from django.urls import path, reverse
from django.utils.html import strip_tags

from config import urls
from config.logs import JsonLines, TextLines
from config.request_log import LOGGER
from tests import factories as make
from tests.html import html_of

pytestmark = pytest.mark.django_db


def fail(request):
    raise ValueError("a fault")


class BrokenUrls:
    """The site with an address that fails."""

    urlpatterns = [path("broken/", fail), *urls.urlpatterns]
    handler403, handler404, handler500 = urls.handler403, urls.handler404, urls.handler500


@pytest.fixture
def forgiving(settings):
    """A client that gets the error page, as a browser does."""
    settings.ROOT_URLCONF = BrokenUrls
    client = Client(raise_request_exception=False)
    client.force_login(make.make_user("kim"))
    return client


def test_every_answer_has_another_id(client):
    first, second = (client.get(reverse("sign-in"))["X-Request-ID"] for _ in range(2))

    assert re.fullmatch("[0-9a-f]{32}", first)
    assert first != second


@pytest.mark.parametrize(("address", "status"), [("/broken/", 500), ("/nowhere/", 404)])
def test_an_error_page_shows_the_id_and_the_log_has_it(forgiving, caplog, address, status):
    response = forgiving.get(address)

    request_id = response["X-Request-ID"]
    lines = [TextLines().format(record) for record in caplog.records if record.name == "django.request"]
    assert response.status_code == status
    assert f"Error {status} · ID {request_id}" in strip_tags(html_of(response))
    assert f"(request {request_id})" in "\n".join(lines)


def test_the_id_leads_to_the_traceback(forgiving, caplog):
    request_id = forgiving.get("/broken/")["X-Request-ID"]

    [record] = [record for record in caplog.records if record.name == "django.request"]
    assert json.loads(JsonLines().format(record))["request_id"] == request_id
    assert "ValueError: a fault" in JsonLines().format(record)


@pytest.mark.parametrize(
    ("proxies", "sent", "kept"),
    [
        (1, "from-the-proxy-1", True),
        (0, "from-a-stranger", False),
        (1, "short", False),
        (1, "a b\n=c" * 4, False),
    ],
)
def test_only_a_proxy_of_ours_chooses_the_id(client, settings, proxies, sent, kept):
    settings.PROXIES = proxies

    response = client.get(reverse("sign-in"), headers={"x-request-id": sent})

    assert (response["X-Request-ID"] == sent) is kept


@pytest.fixture
def request_lines(caplog):
    caplog.set_level(logging.INFO, logger=LOGGER.name)

    def found():
        return [json.loads(JsonLines().format(one)) for one in caplog.records if one.name == LOGGER.name]

    return found


def test_with_json_logs_each_request_has_a_line(client, request_lines):
    kim = make.make_user("kim")
    client.force_login(kim)

    response = client.get(reverse("account"), {"secret": "1"})

    [line] = request_lines()
    assert line.pop("milliseconds") > 0
    assert line.pop("time")
    assert line == {
        "level": "info",
        "logger": "touchstone.request",
        "message": "GET /accounts/ 200",
        "request_id": response["X-Request-ID"],
        "method": "GET",
        "path": "/accounts/",
        "view": "account",
        "status": 200,
        "user_id": kim.pk,
        "address": "127.0.0.1",
    }


def test_without_them_no_request_has_a_line(settings_of):
    by_default, with_json = settings_of()["LOGGING"], settings_of(TOUCHSTONE_LOG="json")["LOGGING"]

    assert by_default["loggers"][LOGGER.name] == {"level": "WARNING"}
    assert by_default["handlers"]["console"]["formatter"] == "text"
    assert with_json["loggers"][LOGGER.name] == {"level": "INFO"}
    assert with_json["handlers"]["console"]["formatter"] == "json"


def test_security_events_have_the_id_and_their_facts(client, caplog):
    caplog.set_level(logging.INFO, logger="touchstone.security")

    response = client.post(reverse("sign-in"), {"username": "nobody", "password": "x"})

    [record] = [one for one in caplog.records if one.name == "touchstone.security"]
    line = json.loads(JsonLines().format(record))
    assert line["request_id"] == response["X-Request-ID"]
    assert (line["event"], line["account"]) == ("sign-in-failed", "unknown")
