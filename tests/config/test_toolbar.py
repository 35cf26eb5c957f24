"""The debug toolbar is there for developers on their own machine, and for nobody else."""

import re
import urllib.request

import pytest

pytest.importorskip("debug_toolbar")


@pytest.fixture
def outside_of_tests(monkeypatch):
    monkeypatch.delenv("PYTEST_VERSION")


@pytest.mark.parametrize(
    ("variables", "on"),
    [
        ({"TOUCHSTONE_DEBUG": "1"}, True),
        ({}, False),
        ({"TOUCHSTONE_DEBUG": "0"}, False),
        ({"TOUCHSTONE_DEBUG": "1", "HOST": "192.0.2.7"}, False),
        ({"TOUCHSTONE_DEBUG": "1", "ALLOWED_HOSTS": "touchstone.example.org"}, False),
        ({"TOUCHSTONE_DEBUG": "1", "TOUCHSTONE_HTTPS": "1"}, False),
    ],
)
def test_it_needs_debug_mode_on_a_site_that_only_this_machine_reaches(
    settings_of, outside_of_tests, variables, on
):
    read = settings_of(**variables)

    assert read["TOOLBAR"] is on
    assert ("debug_toolbar" in read["INSTALLED_APPS"]) is on


def test_tests_run_without_it_even_in_debug_mode(settings_of):
    assert settings_of(TOUCHSTONE_DEBUG="1")["TOOLBAR"] is False


@pytest.mark.drill
def test_its_pages_load_nothing_from_outside_and_keep_their_policy(start, outside_of_tests, settings):
    site = start(TOUCHSTONE_DEBUG="1", WEB_CONCURRENCY="1")

    with urllib.request.urlopen(f"{site.address}/accounts/sign-in/") as response:  # noqa: S310 - our own address
        page, policy = response.read().decode(), response.headers["Content-Security-Policy"]

    assert 'id="djDebug"' in page
    assert set(re.findall(r"'[a-z-]+'", policy)) == {"'self'", "'none'"}
    loaded = re.findall(r"<(?:script|img)\b[^>]*\bsrc=\"([^\"]+)|<link\b[^>]*\bhref=\"([^\"]+)", page)
    addresses = [one or other for one, other in loaded]
    assert any("debug_toolbar" in address for address in addresses)
    assert [address for address in addresses if not address.startswith("/static/")] == []
