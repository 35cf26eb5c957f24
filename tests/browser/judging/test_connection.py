"""Connections that break or say nothing: the screen never stays at “Saving…”, and what it says is true."""

from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from judgments.models import Judgment, JudgmentHistory
from tests.browser.judging.pages import SCREEN, by_key, open_screen, saved, state, wait_until
from tests.browser.judging.proxy import line_to

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def line(live_server):
    with line_to(live_server.url, b"/judge/answer/") as line:
        yield line


@pytest.fixture
def page(windows, line, judgment_list, rater):
    with open_screen(windows, SimpleNamespace(url=line.address), judgment_list, rater) as page:
        yield page


def test_a_request_that_the_browser_repeats_by_itself_is_saved_once(page, line):
    by_key(page, "1")
    saved(page)  # the connection has been used, so that Chromium takes its reset for a stale one
    line.cuts = 1

    pair = by_key(page, "2")

    wait_until(page, "screen.sender.waiting().length === 0")
    saved(page)
    assert line.seen == 3
    assert Judgment.objects.get(pair=pair).value == 2
    assert not JudgmentHistory.objects.exists()


def test_where_every_connection_breaks_the_screen_says_offline_until_one_holds(page, line):
    line.cuts = 1_000
    pair = by_key(page, "2")

    expect(state(page)).to_have_text("Offline – 1 judgment kept on this device, will be sent")
    assert Judgment.objects.get(pair=pair).value == 2  # saved, which nobody on this side can know

    line.cuts = 0
    page.keyboard.press("Enter")
    saved(page)
    assert Judgment.objects.count() == 1
    assert not JudgmentHistory.objects.exists()


@pytest.mark.own_window
def test_a_server_that_says_nothing_is_slow_first_and_then_offline(screen):
    screen.clock.install()
    screen.route("**/judge/answer/", lambda route: None)

    by_key(screen, "2")
    expect(state(screen)).to_have_text("Saving…")
    screen.clock.run_for(6_000)
    expect(state(screen)).to_have_text("Still saving – 1 judgment kept on this device")
    screen.clock.run_for(16_000)

    expect(state(screen)).to_have_text("Offline – 1 judgment kept on this device, will be sent")
    assert not Judgment.objects.exists()


def test_while_another_tab_sends_nothing_is_called_saved_that_is_not(screen):
    by_key(screen, "1")
    saved(screen)
    screen.evaluate(
        f"""async () => {{
            const held = () => new Promise(done => (window.release = done));
            void navigator.locks.request({SCREEN}.sender.store.prefix, held);
        }}"""
    )
    screen.wait_for_function("() => window.release")

    by_key(screen, "2")

    expect(state(screen)).to_have_text("Saving…")
    assert Judgment.objects.count() == 1
    screen.evaluate("release()")
    saved(screen)
    assert Judgment.objects.count() == 2
