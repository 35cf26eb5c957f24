"""A rater's browser on the site as it is served, while its processes are killed: the screen says what is so at each step."""

import os
import signal

import psutil
import pytest
from playwright.sync_api import expect

from tests.browser.judging.pages import ready, saved, state, wait_until
from tests.config.conftest import rows, starter

pytestmark = [pytest.mark.browser, pytest.mark.drill]

STORED = """
SELECT judgment.pair_id::int, judgment.value::int FROM judgments_judgment judgment
JOIN judgments_judgmentlist list ON list.id = judgment.judgment_list_id
WHERE list.name = 'First pass' AND judgment.request_id IS NOT NULL ORDER BY judgment.id
"""


@pytest.fixture(scope="module")
def site():
    with starter() as start:
        process = start(TOUCHSTONE_DEMO="1")
        process.var = process.data.parent
        yield process


@pytest.fixture
def screen(site, browser):
    """The rating screen of the demo rater; every state that it shows is kept in `states`."""
    ((key,),) = rows(site.var, "SELECT id FROM judgments_judgmentlist WHERE name = 'First pass'")
    with browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(f"{site.address}/accounts/sign-in/")
        page.locator("button[name=username][value=rater]").click()
        page.wait_for_url(f"{site.address}/")
        page.goto(f"{site.address}/lists/{key}/judge/")
        ready(page)
        page.evaluate(
            """() => {
                window.states = [];
                new MutationObserver(() => window.states.push(document.getElementById("judge").dataset.state))
                    .observe(document.getElementById("judge"), {attributeFilter: ["data-state"]});
            }"""
        )
        yield page


def web_processes(site):
    return [child for child in psutil.Process(site.pid).children() if "postgres" not in child.name()]


def postmaster(site):
    return int((site.data / "postmaster.pid").read_text().split()[0])


def kill_web(site):
    for process in web_processes(site):
        process.kill()


def restart_postgres(site):
    os.kill(postmaster(site), signal.SIGINT)


@pytest.mark.parametrize("fault", [kill_web, restart_postgres])
def test_the_screen_says_what_is_so_and_everything_is_there_once(site, screen, fault):
    before = rows(site.var, STORED)
    answers = []

    def judge(grade):
        pair = int(screen.locator("[data-card]").get_attribute("data-pair"))
        wait_until(screen, "!screen.guarded()")
        screen.keyboard.press(str(grade))
        answers.append((pair, grade))
        screen.wait_for_function(
            "pair => document.querySelector('[data-card]').dataset.pair !== pair", arg=str(pair)
        )

    judge(1)
    saved(screen)
    web = [process.pid for process in web_processes(site)]
    for pid in web:  # nobody answers for a moment, so that the fault meets what is on its way
        os.kill(pid, signal.SIGSTOP)
    judge(2)
    expect(state(screen)).to_have_text("Saving…")
    assert rows(site.var, STORED) == before + answers[:1]

    fault(site)
    for pid in web:
        if psutil.pid_exists(pid):
            os.kill(pid, signal.SIGCONT)

    wait_until(screen, "screen.sender.waiting().length === 0", timeout=30_000)
    expect(screen.locator("#judge")).to_have_attribute("data-state", "saved")
    expect(screen.locator("[data-notice=state]")).to_have_count(0)
    states = screen.evaluate("window.states.slice(window.states.indexOf('saving'))")
    assert set(states) <= {"saving", "offline", "error", "saved"}
    # A killed process broke the connection before a word was said: the browser itself asks again, and is saving still.
    assert fault is kill_web or {"offline", "error"} & set(states)
    judge(0)
    saved(screen)
    assert rows(site.var, STORED)[len(before) :] == answers
