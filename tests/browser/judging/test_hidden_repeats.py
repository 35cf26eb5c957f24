"""A hidden repeat in a real browser: keys, undo, a reload, no network. The judgment stays as it was."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from judgments.models import Handout, Judgment, JudgmentList, Rater, RepeatAnswer, RepeatDraw
from tests import factories as make
from tests.browser.judging.pages import by_key, of_screen, open_screen, ready, saved, step

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def repeat(judgment_list, rater):
    """The pair that comes first: the rater judged its whole query as 2 (Substitute)."""
    JudgmentList.objects.update(repeat_rate=5)
    me = Rater.objects.create(query_set=judgment_list.query_set, user=rater, name=rater.username)
    pairs = list(judgment_list.pairs.order_by("query_id", "pk")[:6])
    for pair in pairs:
        make.make_judgment(pair, me, 2.0, created_at=make.NOW, updated_at=make.NOW, comment="As I said.")
        Handout.objects.create(pair=pair, rater=me)
    at = max(timezone.now(), make.NOW)
    RepeatDraw.objects.create(
        judgment_list=judgment_list, rater=me, pair=pairs[2], query_position=1, number=9, drawn_at=at
    )
    return pairs[2].pk


@pytest.fixture
def screen(windows, live_server, judgment_list, rater, repeat):
    with open_screen(windows, live_server, judgment_list, rater) as page:
        yield page


def on_screen(page, pair, pressed=""):
    expect(page.locator("[data-card]")).to_have_attribute("data-pair", str(pair))
    buttons = page.locator("button[name=grade][aria-pressed=true]")
    if pressed:
        expect(buttons).to_have_attribute("data-key", pressed)
    else:
        expect(buttons).to_have_count(0)


def again():
    return list(RepeatAnswer.objects.counted().values_list("first_value", "value"))


def judged(pair):
    return Judgment.objects.filter(pair=pair).values_list("value", "comment").get()


def test_a_repeat_is_judged_undone_and_changed_as_any_other_card(screen, repeat):
    on_screen(screen, repeat)
    expect(step(screen)).to_have_text("Query 1 of 3 · document 6 of 6")
    expect(screen.locator("textarea[name=comment]")).to_have_value("")

    assert by_key(screen, "1") == repeat
    saved(screen)
    assert again() == [(2.0, 1.0)]
    screen.keyboard.press("u")
    on_screen(screen, repeat, pressed="1")
    saved(screen)
    assert again() == []

    by_key(screen, "0")
    saved(screen)
    screen.keyboard.press("ArrowLeft")
    on_screen(screen, repeat, pressed="0")
    by_key(screen, "3")
    saved(screen)
    assert again() == [(2.0, 3.0)]
    screen.keyboard.press("u")
    on_screen(screen, repeat, pressed="0")
    saved(screen)
    assert again() == [(2.0, 0.0)]
    assert judged(repeat) == (2.0, "As I said.")
    assert Judgment.objects.count() == 6


def test_after_a_reload_undo_brings_the_repeat_back_without_a_grade(screen, repeat):
    by_key(screen, "1")
    saved(screen)
    screen.reload()
    ready(screen)

    screen.keyboard.press("u")

    on_screen(screen, repeat)
    saved(screen)
    assert again() == []
    by_key(screen, "2")
    saved(screen)
    assert again() == [(2.0, 2.0)]


def test_later_and_cannot_judge_are_kept_for_a_repeat(screen, repeat):
    by_key(screen, "s")
    saved(screen)
    assert RepeatDraw.objects.get().put_off_at is not None
    screen.keyboard.press("u")
    on_screen(screen, repeat)
    saved(screen)

    screen.keyboard.press("x")
    by_key(screen, "3")
    saved(screen)

    assert RepeatAnswer.objects.counted().get().reason == "language"
    assert judged(repeat) == (2.0, "As I said.")


def test_a_repeat_is_judged_without_a_network_and_sent_once(screen, repeat):
    screen.context.set_offline(True)
    by_key(screen, "1")
    by_key(screen, "2")
    assert again() == []

    screen.context.set_offline(False)

    saved(screen)
    assert again() == [(2.0, 1.0)]
    assert RepeatAnswer.objects.count() == 1
    assert Judgment.objects.count() == 7


def test_two_tabs_give_a_repeat_one_answer_and_ask_before_a_second(
    screen, windows, live_server, judgment_list, rater, repeat
):
    with open_screen(windows, live_server, judgment_list, rater) as other:
        by_key(other, "1")
        saved(other)
    by_key(screen, "3")

    notice = screen.locator("[data-notice]").filter(has_text="Already judged")
    expect(notice).to_contain_text("You judged this")
    assert again() == [(2.0, 1.0)]
    notice.get_by_role("button", name="Change to").click()
    saved(screen)
    assert again() == [(2.0, 3.0)]
    assert judged(repeat) == (2.0, "As I said.")


def test_what_is_judged_on_another_device_comes_with_the_answer_to_the_repeat(
    screen, windows, live_server, judgment_list, rater, repeat
):
    with open_screen(windows, live_server, judgment_list, rater) as other:
        by_key(other, "1")
        saved(other)

    screen.evaluate(of_screen("screen.sender.refresh()"))

    on_screen(screen, repeat, pressed="1")


def test_without_a_script_a_repeat_is_judged_and_undone(windows, live_server, judgment_list, rater, repeat):
    with open_screen(windows, live_server, judgment_list, rater, java_script_enabled=False) as page:
        on_screen(page, repeat)
        page.locator("button[name=grade]").first.click()
        assert len(again()) == 1
        page.get_by_role("button", name="Undo").click()

        on_screen(page, repeat)
        assert again() == []
    assert judged(repeat) == (2.0, "As I said.")
