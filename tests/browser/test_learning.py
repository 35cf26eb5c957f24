"""“NDCG in 90 seconds”, the puzzles, and explanations of column heads, in the browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from judgments.models import JudgmentList

BARS = {"local": "0.5714", "recall": "0.4444", "global": "0.4138", "max": "0.4000"}


def bars(page: Page) -> list[str]:
    return page.locator(".bar-row h2 b").all_inner_texts()


def drag(page: Page, what: str, onto: str) -> None:
    """To just above the middle of another row."""
    start, end = page.locator(what).bounding_box(), page.locator(onto).bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + 60, end["y"] + end["height"] / 2 - 6, steps=6)
    page.mouse.up()


def test_two_clicks_lead_from_home_to_the_four_bars(sign_in_at_home, check_accessibility):
    page = sign_in_at_home("engineer")

    page.get_by_role("main").get_by_role("link", name="NDCG in 90 seconds").click()

    assert bars(page) == list(BARS.values())
    check_accessibility()


def test_documents_and_the_cutoff_are_dragged_and_the_bars_follow(page, site):
    page.goto(f"{site}/learn/")

    drag(page, "[data-document=movie] .scene-title", "[data-document=helicopter]")
    expect(page.locator(".bar-row h2 b").first).to_have_text("1.0000")
    drag(page, "[data-document=sequel] .scene-title", "[data-document=helicopter]")
    expect(page).to_have_url(re.compile(r"retrieved=movie(,|%2C)sequel(,|%2C)helicopter"))
    expect(page.locator(".bar-row h2 b").nth(2)).to_have_text("1.0000")
    drag(page, "[data-cut]", "[data-document=photo]")
    expect(page.get_by_label("Cutoff")).to_have_value("3")
    expect(page).to_have_url(re.compile("k=3"))

    shared = page.url
    values = bars(page)
    page.goto(shared)
    assert bars(page) == values


def test_escape_takes_a_drag_back(page, site):
    page.goto(f"{site}/learn/")
    start = page.locator("[data-document=movie] .scene-title").bounding_box()
    assert start
    page.mouse.move(start["x"] + 5, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(start["x"] + 5, start["y"] - 60, steps=4)

    page.keyboard.press("Escape")
    page.mouse.up()

    assert page.locator("[data-document]").first.get_attribute("data-document") == "helicopter"
    expect(page).to_have_url(f"{site}/learn/")


def test_the_keyboard_moves_documents_and_keeps_its_place(page, site):
    page.goto(f"{site}/learn/")
    arrow = page.get_by_role("link", name="Move The movie up")
    arrow.focus()

    page.keyboard.press("Enter")

    expect(page.locator(".bar-row h2 b").first).to_have_text("1.0000")
    expect(page.locator("#up-movie")).to_be_focused()
    page.get_by_label("Grade of The movie").select_option("0")
    expect(page.locator(".bar-row h2 b").first).to_have_text("0.5000")


@pytest.mark.parametrize("scripts", [True, False])
def test_the_arrows_and_puzzles_work_with_and_without_scripts(browser, site, scripts):
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"{site}/learn/")
    page.get_by_role("link", name="Move The movie up").click()
    expect(page.locator(".bar-row h2 b").first).to_have_text("1.0000")
    page.get_by_label("Cutoff").select_option("1")
    if not scripts:
        page.get_by_role("button", name="Show").click()
    expect(page.locator(".bar-row h2 b").nth(3)).to_have_text("1.0000")

    page.get_by_role("link", name=re.compile("One poor result")).click()
    page.get_by_label("The ideal was made from the returned documents only.").check()
    page.get_by_role("button", name="Check the answer").click()

    expect(page.get_by_role("status")).to_contain_text("Right.")
    context.close()


def test_every_puzzle_can_be_read_by_everybody(page, site, check_accessibility):
    page.goto(f"{site}/learn/puzzles/?answer=a")
    for number in range(1, 6):
        expect(page.locator(".subtitle")).to_have_text(f"Puzzle {number} of 5")
        check_accessibility()
        if number < 5:
            page.goto(f"{site}/learn/puzzles/?puzzle={number + 1}&answer=b")


def test_a_column_head_is_explained_by_pointer_key_and_press(sign_in, site, check_accessibility):
    page = sign_in("engineer")
    page.goto(f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/runs/")
    head = page.locator("th", has=page.get_by_role("button", name="About recall")).first
    card = head.locator("[popover]")
    expect(card).to_be_hidden()

    head.hover()
    expect(card).to_be_visible()
    expect(card).to_contain_text("Could re-ranking have fixed it?")
    check_accessibility()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()

    page.get_by_role("button", name="About recall").press("Enter")
    expect(card).to_be_visible()
    card.get_by_role("link", name="Glossary").click()
    expect(page.locator(":target")).to_contain_text("NDCG-recall")
    check_accessibility()
