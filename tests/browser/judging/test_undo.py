"""Every act can be undone and done again; what was typed survives; two devices of one rater."""

import pytest
from playwright.sync_api import expect

from judgments.models import Judgment, JudgmentList, Skip
from tests.browser.judging.pages import by_key, of_screen, open_screen, ready, saved, say, state

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def on_screen(page):
    return int(page.locator("[data-card]").get_attribute("data-pair"))


def shows(page, pair):
    expect(page.locator("[data-card]")).to_have_attribute("data-pair", str(pair))


def test_acts_of_all_kinds_are_undone_and_done_again(screen):
    first = by_key(screen, "2")
    saved(screen)
    second = by_key(screen, "s")
    third = by_key(screen, "1")
    saved(screen)

    for pair in (third, second, first):
        screen.keyboard.press("u")
        shows(screen, pair)
    saved(screen)
    assert not Judgment.objects.exists()
    assert not Skip.objects.exists()

    for pair in (second, third):
        screen.keyboard.press("Shift+U")
        shows(screen, pair)
    screen.get_by_role("button", name="Redo").click()
    expect(screen.get_by_role("button", name="Redo")).to_be_hidden()
    saved(screen)

    assert list(Judgment.objects.order_by("id").values_list("pair_id", "value")) == [(first, 2), (third, 1)]
    assert Skip.objects.get().pair_id == second
    screen.keyboard.press("Shift+U")
    expect(say(screen)).to_contain_text("nothing to redo")


def test_undo_is_shown_only_while_there_is_something_to_undo(screen):
    undo = screen.get_by_role("button", name="Undo")
    grades = screen.locator(".grades")
    expect(undo).to_be_hidden()
    before = grades.bounding_box()

    by_key(screen, "2")
    expect(undo).to_be_visible()
    assert grades.bounding_box() == before
    saved(screen)
    undo.click()
    saved(screen)

    expect(undo).to_be_hidden()
    by_key(screen, "s")
    saved(screen)
    expect(undo).to_be_visible()


def test_what_was_put_off_before_a_reload_is_undone_before_the_judgment(screen):
    first = by_key(screen, "2")
    second = by_key(screen, "s")
    saved(screen)
    screen.reload()
    ready(screen)

    screen.keyboard.press("u")

    shows(screen, second)
    assert Judgment.objects.get().pair_id == first


def test_a_typed_comment_stays_through_a_reload_until_it_is_sent(screen):
    pair = on_screen(screen)
    screen.keyboard.press("c")
    screen.keyboard.type("Two readers, one case")
    screen.reload()
    ready(screen)

    shows(screen, pair)
    expect(screen.locator("textarea[name=comment]")).to_have_value("Two readers, one case")
    expect(screen.locator("textarea[name=comment]")).to_be_visible()
    by_key(screen, "2")
    saved(screen)

    assert Judgment.objects.get().comment == "Two readers, one case"
    assert (
        screen.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('touchstone.draft'))") == []
    )


def test_chosen_evidence_and_confidence_stay_through_a_reload_until_they_are_sent(screen):
    JudgmentList.objects.update(evidence="optional", confidence=True)
    screen.reload()
    ready(screen)
    pair = on_screen(screen)
    screen.keyboard.press("e")
    screen.keyboard.press("Space")
    screen.locator("#judge-sentences").get_by_role("button", name="Use sentences").click()
    quote = screen.locator("[data-passages] q").inner_text()
    screen.locator("[name=confidence][value='1']").check()
    screen.keyboard.press("Shift+Digit2")
    screen.reload()
    ready(screen)

    shows(screen, pair)
    expect(screen.locator("[data-passages] q")).to_have_text(quote)
    expect(screen.locator("[data-passages] q")).to_be_visible()
    expect(screen.locator("[name=confidence][value='2']")).to_be_checked()
    by_key(screen, "2")
    saved(screen)

    judgment = Judgment.objects.get()
    assert (judgment.confidence, [one["quote"] for one in judgment.evidence]) == (2, [quote])
    assert (
        screen.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('touchstone.draft'))") == []
    )


def test_what_was_judged_on_another_device_is_shown_and_can_be_changed(
    screen, windows, live_server, judgment_list, rater
):
    with open_screen(windows, live_server, judgment_list, rater) as other:
        pair = by_key(other, "1")
        saved(other)

    screen.evaluate(of_screen("screen.sender.refresh()"))
    expect(screen.locator("[data-notice]", has_text="You judged this")).to_be_visible()
    expect(screen.locator("[data-notice]", has_text="somebody else")).to_have_count(0)
    shows(screen, pair)
    by_key(screen, "2")
    saved(screen)

    assert Judgment.objects.get().value == 2


def test_a_clock_that_jumps_back_changes_no_order(screen):
    screen.context.set_offline(True)
    pairs = [by_key(screen, "2")]
    screen.evaluate("{ const now = Date.now; Date.now = () => now() - 3600_000; }")
    pairs += [by_key(screen, "1"), by_key(screen, "2")]
    screen.context.set_offline(False)
    saved(screen)

    assert list(Judgment.objects.order_by("id").values_list("pair_id", flat=True)) == pairs
    clock = screen.evaluate("new Date().toTimeString().slice(0, 5)")
    expect(state(screen)).to_contain_text(clock[:3])
