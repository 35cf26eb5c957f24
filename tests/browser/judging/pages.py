"""What the browser tests of the rating screen share."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Locator, Page, expect

from judgments.models import JudgmentList, User
from tests.browser.windows import Windows, errors_of, sign_in

SCREEN = "(await import(document.querySelector('script[src*=\"/js/judging/\"]').src)).screen"
"""The object behind the page: nothing of it is global, but the browser has loaded its module and gives it again."""

EXPECTED_ERRORS = ("Failed to load resource", "Response Status Error Code")


@contextmanager
def open_screen(
    windows: Windows, live_server: Any, judgment_list: JudgmentList, rater: User, **options: Any
) -> Iterator[Page]:
    """The first card. What the console complains about fails the test."""
    with windows.open(**options) as page, errors_of(page) as errors:
        sign_in(page.context, live_server.url, rater)
        page.goto(f"{live_server.url}/lists/{judgment_list.pk}/judge/")
        if options.get("java_script_enabled", True):
            ready(page)
        yield page
    assert [error for error in errors if not error.startswith(EXPECTED_ERRORS)] == []


def of_screen(words: str) -> str:
    """A function for the page that returns what these words say of `screen`, given `arg`."""
    return f"async (arg) => {{ const screen = {SCREEN}; return {words}; }}"


def wait_until(page: Page, words: str, **options: Any) -> None:
    """Waits until these words are true of `screen`."""
    screen = page.evaluate_handle(of_screen("screen"))
    page.wait_for_function(f"screen => {words}", arg=screen, **options)


def ready(page: Page) -> None:
    """Waits until the cards that follow are there."""
    wait_until(page, "screen.deck.next.length > 0 || screen.deck.nothing !== null")


def step(page: Page) -> Locator:
    return page.locator(".query-step")


def say(page: Page) -> Locator:
    return page.locator("#judge-announce")


def state(page: Page) -> Locator:
    return page.locator("[data-save-state]")


def by_key(page: Page, key: str) -> int:
    """Judges the card on the screen by a key, as soon as it takes keys, and tells which pair it was."""
    pair = page.locator("[data-card][data-pair]").get_attribute("data-pair")
    wait_until(page, "!screen.guarded()")
    page.keyboard.press(key)
    page.wait_for_function("pair => document.querySelector('[data-card]').dataset.pair !== pair", arg=pair)
    return int(pair or 0)


def saved(page: Page) -> None:
    """Waits until the server has acknowledged everything."""
    wait_until(page, "screen.sender.waiting().length === 0")
    expect(page.locator("#judge")).to_have_attribute("data-state", "saved")
