"""A real browser on a real server with the example data; every page is watched for errors."""

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from judgments.models import User
from tests.browser.accessibility import axe_findings
from tests.browser.windows import OPTIONS, Windows, errors_of
from tests.browser.windows import sign_in as sign_in_as
from tests.snapshot import Snapshot

# Playwright's synchronous API runs an event loop in this thread; Django would refuse to use the database beside it.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# Nothing passes by waiting longer, and a busy machine is no failure.
expect.set_options(timeout=20_000)

EXAMPLE: list[Snapshot] = []
SCREENSHOTS = settings.BASE_DIR / "var" / "screenshots"


JOURNEYS = (
    "test_admin.py",
    "test_compare_first_screen.py",
    "test_comparing_story.py",
    "test_engineer.py",
    "test_every_page.py",
    "test_invitation.py",
    "test_new_evaluation.py",
    "test_plan.py",
    "test_rater.py",
)
"""What everybody does: always tested whole. Of all else in the browser, `make test` runs a part."""


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.browser)
    if item.path.name not in JOURNEYS and not item.get_closest_marker("drill"):
        item.add_marker(pytest.mark.sampled)


@pytest.fixture(autouse=True)
def requests_at_rest(request: pytest.FixtureRequest) -> Iterator[None]:
    """Lets the server finish what closed pages had asked it for, before the database is emptied under it."""
    if "live_server" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("transactional_db")
    yield
    at_rest, deadline = 0, time.monotonic() + 20
    while at_rest < 3 and time.monotonic() < deadline:
        at_rest = 0 if busy_connections() else at_rest + 1
        time.sleep(0.05)


def busy_connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])


@pytest.fixture
def site(transactional_db: None, live_server: LiveServer) -> str:
    """The address of a server that holds the example data, which is loaded once and then put back."""
    if EXAMPLE:
        EXAMPLE[0].restore()
    else:
        call_command("load_example")
        EXAMPLE.append(Snapshot.take())
    return str(live_server.url)


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | OPTIONS


@pytest.fixture(scope="session")
def clean_windows() -> dict[Page, int]:
    return {}


@pytest.fixture
def windows(
    request: pytest.FixtureRequest, browser: Browser, live_server: LiveServer, clean_windows: dict[Page, int]
) -> Windows:
    keep = request.node.get_closest_marker("own_window") is None
    return Windows(browser, live_server.url, clean_windows, keep)


@pytest.fixture
def page(windows: Windows) -> Iterator[Page]:
    """A page that fails its test when it logs an error: a refused script or style, a missing file, an exception."""
    with windows.open() as page, errors_of(page) as found:
        yield page
    expected = vars(page).pop("expected_errors", ())
    assert [error for error in found if not any(part in error for part in expected)] == []


@pytest.fixture
def sign_in(page: Page, site: str) -> Callable[[str], Page]:
    """Signs in and gives the page back, which is empty yet."""

    def enter(username: str) -> Page:
        sign_in_as(page.context, site, User.objects.get(username=username))
        return page

    return enter


@pytest.fixture
def sign_in_at_home(page: Page, site: str) -> Callable[[str], Page]:
    """Signs in by the demo account's button and gives the page back, which is Home."""

    def enter(username: str) -> Page:
        page.goto(f"{site}/accounts/sign-in/")
        page.locator(f"button[name=username][value={username}]").click()
        page.wait_for_url(f"{site}/")
        return page

    return enter


@pytest.fixture
def check_accessibility(page: Page) -> Callable[[], None]:
    """Runs axe on the page in light and its colours again in dark; findings fail the test."""

    def check() -> None:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert (scheme, axe_findings(page, colours_only=scheme == "dark")) == (scheme, [])
        page.emulate_media(color_scheme="light")

    return check
