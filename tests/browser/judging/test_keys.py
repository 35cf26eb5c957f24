"""The key map of judgments/judging/shortcuts.py, and what the two views of the screen make of it."""

import pytest
from playwright.sync_api import expect

from judgments.judging.shortcuts import ALL_COMMANDS
from judgments.models import JudgmentList
from tests.browser.judging.pages import of_screen, saved

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LISTED = {"", "list", "confidence"}
"""The commands that list mode has; all others are there where one document is shown at a time."""


def test_both_views_know_what_to_do_for_each_key(screen):
    names = set(screen.evaluate(of_screen("Object.keys(screen.commands)")))
    assert {command.name for command in ALL_COMMANDS if command.where != "list"} <= names

    JudgmentList.objects.update(view="list")
    screen.reload()

    names = set(screen.evaluate(of_screen("Object.keys(screen.commands)")))
    assert {command.name for command in ALL_COMMANDS if command.where in LISTED} <= names


def test_the_help_lists_the_keys_that_there_are(screen):
    screen.keyboard.press("?")

    keys = screen.locator("#judge-help dt")
    expect(keys.get_by_text("Backspace", exact=True)).to_be_visible()
    expect(keys.get_by_text("←", exact=True)).to_be_visible()
    expect(keys.get_by_text("↓", exact=True)).to_have_count(0)
    expect(keys.get_by_text("⇧1", exact=True)).to_have_count(0)


@pytest.mark.parametrize("view", ["document", "list"])
def test_shift_and_a_digit_say_how_sure_in_both_views(screen, view):
    JudgmentList.objects.update(confidence=True, view=view)
    screen.reload()

    screen.keyboard.press("Shift+Digit2")
    screen.keyboard.press("3")

    saved(screen)
    assert JudgmentList.objects.get().judgments.get().confidence == 2


def test_keys_of_ones_own_take_the_place_of_the_first_ones(screen, rater):
    rater.keys = {"skip": "k"}
    rater.save()
    screen.reload()
    pair = screen.locator("[data-card]").get_attribute("data-pair")

    screen.keyboard.press("s")
    expect(screen.locator("[data-card]")).to_have_attribute("data-pair", pair)
    screen.keyboard.press("k")

    expect(screen.locator("[data-card]")).not_to_have_attribute("data-pair", pair)
