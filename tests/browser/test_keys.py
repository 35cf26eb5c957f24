"""Keys that work on every page, in the browser."""

import re

from playwright.sync_api import expect

from judgments.models import QuerySet


def shop_key():
    return QuerySet.objects.get(name="Outdoor shop").pk


def test_j_k_and_enter_move_through_queries(sign_in, site):
    page = sign_in("engineer")
    page.goto(f"{site}/query-sets/{shop_key()}/queries/")
    rows = page.locator("tbody th a")

    page.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/queries/\d+/"))


def test_keys_do_nothing_while_somebody_types(sign_in, site):
    page = sign_in("engineer")
    page.goto(f"{site}/query-sets/{shop_key()}/queries/")
    page.get_by_label("Find queries").press_sequentially("jk?")

    expect(page.get_by_label("Find queries")).to_have_value("jk?")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_question_mark_shows_the_keys(sign_in, site, check_accessibility):
    page = sign_in("engineer")
    page.goto(site)
    page.keyboard.press("?")

    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Next row of a list")
    check_accessibility()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_ctrl_k_goes_to_a_list(sign_in, site, check_accessibility):
    page = sign_in("engineer")
    page.goto(site)
    page.keyboard.press("Control+k")
    page.keyboard.type("first p")
    expect(page.get_by_role("dialog", name="Go to").get_by_role("link", name="First pass")).to_be_visible()
    check_accessibility()
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"/lists/\d+/$"))


def test_single_keys_can_be_turned_off(sign_in, site):
    page = sign_in("engineer")
    page.goto(f"{site}/accounts/")
    page.get_by_label(re.compile("single-key", re.IGNORECASE)).uncheck()
    page.get_by_label(re.compile("single-key", re.IGNORECASE)).locator("xpath=ancestor::form").get_by_role(
        "button"
    ).first.click()
    page.goto(f"{site}/query-sets/{shop_key()}/queries/")
    page.keyboard.press("?")
    page.keyboard.press("j")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+k")

    expect(page.get_by_role("dialog", name="Go to")).to_be_visible()


def test_ctrl_k_finds_what_can_be_done_in_the_list(sign_in, site):
    page = sign_in("engineer")
    page.expected_errors = ("sendAbort",)  # each letter replaces the request of the one before
    judgment_list = QuerySet.objects.get(pk=shop_key()).judgment_lists.get()
    page.goto(f"{site}/lists/{judgment_list.pk}/")
    page.keyboard.press("Control+k")
    page.keyboard.type("compare")
    expect(page.get_by_role("dialog", name="Go to").get_by_role("link").first).to_contain_text("First pass")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(rf"/lists/{judgment_list.pk}/compare/"))
