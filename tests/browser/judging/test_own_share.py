"""The rater's own share and today's count follow each judgment; goal and break hint come to those who want them."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from judgments.models import Pair, RaterQueue
from tests import factories as make
from tests.browser.judging.pages import by_key, of_screen, open_screen, saved

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG_STRETCH = """() => sessionStorage.setItem(
    "touchstone.stretch", JSON.stringify({ since: Date.now() - 31 * 60_000, latest: Date.now() - 60_000 })
)"""


def shows(page, text):
    expect(page.locator("[data-own-share]")).to_have_text(text, use_inner_text=True)


def note(page):
    return page.locator("[data-notice]", has_text="Note")


def test_the_numbers_follow_each_judgment_and_its_undoing(screen):
    screen.evaluate(LONG_STRETCH)
    shows(screen, "0 of 18\n0 today")
    screen.context.set_offline(True)
    by_key(screen, "1")
    by_key(screen, "2")
    shows(screen, "2 of 18\n2 today")
    screen.keyboard.press("u")
    shows(screen, "1 of 18\n1 today")
    expect(screen.locator("progress[data-own]")).to_have_js_property("value", 1)

    screen.context.set_offline(False)
    saved(screen)
    shows(screen, "1 of 18\n1 today")
    screen.evaluate(of_screen("screen.sender.refresh()"))
    screen.reload()
    shows(screen, "1 of 18\n1 today")
    expect(note(screen)).to_have_count(0)  # nobody asked for a goal or breaks


def test_who_judges_more_than_their_share_sees_no_smaller_total(windows, live_server, judgment_list, rater):
    query_set = judgment_list.query_set
    other = make.make_rater(query_set, make.make_member(query_set, "rater"))
    first = Pair.objects.filter(judgment_list=judgment_list).first()
    now = timezone.now()  # who judged lately shares the work
    make.make_judgment(first, other, 1, created_at=now, updated_at=now)
    RaterQueue.objects.create(judgment_list=judgment_list, rater=other, seed=1, judgment_count=1)
    with open_screen(windows, live_server, judgment_list, rater) as page:
        shows(page, "0 of about 9\n0 today")
        page.evaluate(of_screen("Array.from({ length: 9 }, () => screen.share.addJudgment()).length"))
        shows(page, "9 of about 9\n9 today")
        page.evaluate(of_screen("Array.from({ length: 991 }, () => screen.share.addJudgment()).length"))
        shows(page, "1,000 of about 1,000\n1,000 today")
        page.evaluate(of_screen("screen.share.addJudgment()"))
        shows(page, "1,001 of about 1,001\n1,001 today")


def test_a_goal_is_counted_and_a_break_suggested_where_the_rater_wants_it(
    windows, live_server, judgment_list, rater
):
    rater.daily_goal, rater.break_minutes = 2, 30
    rater.save()
    with open_screen(windows, live_server, judgment_list, rater) as page:
        shows(page, "0 of 18\n0 of 2 today")
        page.evaluate(LONG_STRETCH)
        by_key(page, "1")
        expect(note(page)).to_contain_text("You have judged for 31 minutes without a break.")
        by_key(page, "1")
        expect(note(page)).to_contain_text("You reached your daily goal of 2 judgments.")
        by_key(page, "1")
        expect(note(page)).to_have_count(0)
        shows(page, "3 of 18\n3 of 2 today")
