"""A rater's day, in the browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from judgments.models import Judgment, JudgmentHistory, JudgmentList, User
from tests.browser.judging.pages import of_screen, ready, wait_until


def judgments_of_rater() -> int:
    return Judgment.objects.filter(rater__user__username="rater", judgment_list__name="First pass").count()


def open_queue(page: Page, site: str) -> None:
    page.goto(f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/judge/")
    wait_for_card(page)


def wait_for_card(page: Page) -> None:
    """Until its scripts are there: a click before sends the form itself, and another page comes."""
    expect(page.locator(".doc-card")).to_be_visible()
    ready(page)


def judge_by_key(page: Page, key: str) -> None:
    """Presses a grade's key once the card takes keys, and waits for the next card."""
    card = page.locator(".doc-card").element_handle()
    page.wait_for_timeout(650)  # keys rest for 600 ms after a change of query, by design
    page.keyboard.press(key)
    page.wait_for_function("card => !card.isConnected", arg=card)


def all_is_saved(page: Page) -> None:
    """Waits until the server has acknowledged whatever was done: the next card does not wait for that."""
    wait_until(page, "screen.sender.waiting().length === 0")


def test_twenty_pairs_are_judged_by_keyboard_and_the_last_is_undone(sign_in_at_home, check_accessibility):
    page = sign_in_at_home("rater")
    check_accessibility()
    before = judgments_of_rater()
    page.get_by_role("link", name="Judge First pass").click()
    wait_for_card(page)
    check_accessibility()

    for number in range(20):
        judge_by_key(page, str(number % 4))

    all_is_saved(page)
    assert judgments_of_rater() == before + 20
    expect(page.locator(".save-state")).to_contain_text(re.compile("saved", re.IGNORECASE))
    last = Judgment.objects.filter(rater__user__username="rater").latest("created_at")

    card = page.locator(".doc-card").element_handle()
    page.wait_for_timeout(650)
    page.keyboard.press("u")
    page.wait_for_function("card => !card.isConnected", arg=card)
    all_is_saved(page)

    assert judgments_of_rater() == before + 19
    assert not Judgment.objects.filter(pk=last.pk).exists()
    assert JudgmentHistory.objects.filter(pair=last.pair, action="withdrawn", value=last.value).count() == 1
    expect(page.locator(".doc-card")).to_contain_text(last.pair.document.title)


def test_keys_do_nothing_while_typing_or_held_down(sign_in, site):
    page = sign_in("rater")
    open_queue(page, site)
    before = judgments_of_rater()
    page.wait_for_timeout(650)

    page.keyboard.press("c")
    page.keyboard.type("3 stars")
    page.keyboard.press("Escape")

    assert judgments_of_rater() == before
    expect(page.locator("textarea[name=comment]")).to_have_value("3 stars")


def test_a_comment_that_is_opened_by_a_click_takes_what_is_typed(sign_in, site):
    """The digits and letters were keys of grades and commands before."""
    page = sign_in("rater")
    open_queue(page, site)
    page.wait_for_timeout(650)
    before = judgments_of_rater()

    page.locator("[data-comment] summary").click()
    page.keyboard.type("2 of them x")

    assert judgments_of_rater() == before
    expect(page.locator("textarea[name=comment]")).to_have_value("2 of them x")
    expect(page.locator("textarea[name=comment]")).to_be_focused()
    page.locator("[data-comment] summary").click()
    expect(page.locator("textarea[name=comment]")).to_be_hidden()


def test_an_open_comment_takes_what_is_typed_after_its_key(sign_in, site):
    page = sign_in("rater")
    open_queue(page, site)
    page.wait_for_timeout(650)
    before = judgments_of_rater()

    for _ in range(2):
        page.keyboard.press("c")
        page.keyboard.type("us")
        page.keyboard.press("Escape")

    expect(page.locator("textarea[name=comment]")).to_have_value("usus")
    assert judgments_of_rater() == before


def test_no_key_is_promised_when_keys_are_switched_off(sign_in, site):
    page = sign_in("rater")
    User.objects.filter(username="rater").update(single_key_shortcuts=False)
    open_queue(page, site)
    before = judgments_of_rater()

    page.keyboard.press("1")

    assert page.locator("#judge kbd").count() == 0
    assert page.locator("#judge [aria-keyshortcuts]").count() == 0
    assert judgments_of_rater() == before


def test_a_double_click_counts_once(sign_in, site):
    page = sign_in("rater")
    open_queue(page, site)
    before = judgments_of_rater()

    page.locator(".grade-button").first.dblclick()
    expect(page.locator(".save-state")).to_contain_text(re.compile("saved", re.IGNORECASE))

    assert judgments_of_rater() == before + 1


def test_a_pair_can_be_put_off_and_another_cannot_be_judged(sign_in, site):
    page = sign_in("rater")
    open_queue(page, site)
    first = page.locator(".doc-title").inner_text()
    card = page.locator(".doc-card").element_handle()
    page.wait_for_timeout(650)

    page.keyboard.press("s")
    page.wait_for_function("card => !card.isConnected", arg=card)
    expect(page.locator(".doc-title")).not_to_have_text(first)

    card = page.locator(".doc-card").element_handle()
    page.wait_for_timeout(650)
    page.keyboard.press("x")
    page.keyboard.press("1")
    page.wait_for_function("card => !card.isConnected", arg=card)
    all_is_saved(page)

    newest = Judgment.objects.filter(rater__user__username="rater").latest("created_at")
    assert (newest.value, newest.reason) == (None, "query_unclear")


def test_judging_works_without_javascript(browser, browser_context_args, site):
    context = browser.new_context(**browser_context_args, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/accounts/sign-in/")
    page.locator("button[value=rater]").click()
    page.get_by_role("link", name="Judge First pass").click()
    expect(page.locator(".doc-card")).to_be_visible()
    before = judgments_of_rater()
    title = page.locator(".doc-title").inner_text()

    page.locator(".grade-button").nth(2).click()

    expect(page.locator(".doc-title")).not_to_have_text(title)
    assert judgments_of_rater() == before + 1
    newest = Judgment.objects.filter(rater__user__username="rater").latest("created_at")
    assert newest.value == 2
    context.close()


@pytest.mark.parametrize("cookies", [{"name": "sessionid"}, {}], ids=["session", "all cookies"])
def test_after_an_ended_session_one_signs_in_beside_the_card_and_nothing_is_lost(
    sign_in, site, check_accessibility, cookies
):
    page = sign_in("rater")
    page.expected_errors = ("401",)
    open_queue(page, site)
    before = judgments_of_rater()
    page.wait_for_timeout(650)
    page.context.clear_cookies(**cookies)

    page.keyboard.press("1")

    bar = page.get_by_role("button", name="Sign in")
    expect(bar).to_be_visible()
    expect(page.locator(".save-state")).to_have_text(
        "Signed out – 1 judgment kept on this device, will be sent"
    )
    bar.click()
    dialog = page.locator("#judge-session")
    check_accessibility()
    dialog.get_by_role("button", name="Sign in as Rosa Rater").click()
    expect(dialog).to_be_hidden()
    expect(page.locator(".save-state")).to_contain_text(re.compile(r"Related saved \d"))
    assert judgments_of_rater() == before + 1


def test_judgments_of_one_account_are_never_saved_for_another(sign_in, site):
    page = sign_in("rater")
    page.expected_errors = ("401", "409")
    open_queue(page, site)
    before = Judgment.objects.count()
    page.context.clear_cookies(name="sessionid")
    page.locator(".grade-button").first.click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    other = page.context.new_page()
    other.goto(f"{site}/accounts/sign-in/")
    other.locator("button[value=admin]").click()
    other.wait_for_url(f"{site}/")

    page.evaluate(of_screen("screen.sender.drain()"))

    expect(page.locator("[data-notice=state]")).to_contain_text("You are signed in as admin")
    assert Judgment.objects.count() == before


def test_a_paused_list_says_so(sign_in, site):
    page = sign_in("rater")
    JudgmentList.objects.filter(name="First pass").update(paused=True)

    page.goto(f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/judge/")

    expect(page.locator("main")).to_contain_text("paused")


def test_the_screen_fits_a_phone(sign_in, site, check_accessibility):
    page = sign_in("rater")
    page.set_viewport_size({"width": 390, "height": 844})
    open_queue(page, site)

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    heights = page.locator(".grade-button").evaluate_all(
        "buttons => buttons.map(b => b.getBoundingClientRect().height)"
    )
    assert min(heights) >= 48
    check_accessibility()
