"""What can go wrong between a key and the database: nothing is lost, and the screen tells the truth at each step."""

import re
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from judgments.judging.actions import judging
from judgments.models import Judgment, JudgmentHistory, JudgmentList, Slot
from tests import factories as make
from tests.browser.judging.pages import by_key, of_screen, open_screen, ready, saved, state, step

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def note(page, text):
    return page.locator("[data-notice]", has_text=text)


ANSWERS = "**/judge/answer/"


def test_offline_for_a_while_nothing_is_lost_and_all_is_sent_in_order(screen):
    first = by_key(screen, "1")
    saved(screen)
    screen.context.set_offline(True)

    pairs = [by_key(screen, key) for key in "123"]

    expect(state(screen)).to_have_text("Offline – 3 judgments kept on this device, will be sent")
    expect(screen.locator("[data-notice=state]")).to_contain_text("3 judgments are kept on this device")
    assert Judgment.objects.count() == 1
    screen.context.set_offline(False)
    expect(state(screen)).to_have_text(re.compile(r"Exact saved \d\d:\d\d:\d\d"))
    expect(screen.locator("[data-notice=state]")).to_have_count(0)
    expected = list(zip([first, *pairs], [1, 1, 2, 3], strict=True))
    assert list(Judgment.objects.order_by("id").values_list("pair_id", "value")) == expected


def test_a_document_put_off_is_a_change_and_no_judgment(screen):
    screen.context.set_offline(True)
    by_key(screen, "s")

    expect(state(screen)).to_have_text("Offline – 1 change kept on this device, will be sent")
    expect(screen.locator("[data-notice=state]")).to_contain_text("1 change is kept on this device")


def test_a_session_that_ends_with_nothing_to_send_counts_nothing(screen):
    Session.objects.all().delete()
    screen.evaluate(of_screen("screen.sender.refresh()"))

    notice = screen.locator("[data-notice=state]")
    expect(notice).to_contain_text("Sign in again to save what you judge.")
    expect(notice).not_to_contain_text("kept")
    expect(state(screen)).to_have_text("Signed out")


def test_when_no_card_is_left_offline_the_page_says_so_and_goes_on_later(screen):
    screen.context.set_offline(True)
    for _ in range(5):
        by_key(screen, "1")

    expect(screen.get_by_text("No more documents are on this device")).to_be_visible()
    screen.context.set_offline(False)

    expect(step(screen)).to_have_text("Query 1 of 3 · document 6 of 6")
    saved(screen)
    assert Judgment.objects.count() == 5


def test_what_was_kept_survives_a_closed_tab(screen, live_server, judgment_list):
    screen.route(ANSWERS, lambda route: route.abort())
    pairs = {by_key(screen, "2") for _ in range(2)}
    expect(state(screen)).to_contain_text("2 judgments kept")
    screen.unroute(ANSWERS)
    context = screen.context
    screen.close(run_before_unload=False)

    page = context.new_page()
    page.goto(f"{live_server.url}/lists/{judgment_list.pk}/judge/")

    saved(page)
    assert set(Judgment.objects.values_list("pair_id", flat=True)) == pairs
    assert page.locator("[data-card]").get_attribute("data-pair") not in {str(pair) for pair in pairs}


@pytest.mark.own_window
def test_closing_the_tab_with_unsent_judgments_is_warned_of(screen):
    screen.route(ANSWERS, lambda route: route.abort())
    by_key(screen, "2")
    expect(state(screen)).to_contain_text("Offline")
    dialogs = []
    screen.on("dialog", lambda dialog: (dialogs.append(dialog.type), dialog.accept()))

    screen.reload()

    assert dialogs == ["beforeunload"]


def test_a_response_lost_after_the_commit_changes_nothing(screen):
    def lose(route):
        route.fetch()
        route.abort()

    screen.route(ANSWERS, lose, times=1)
    by_key(screen, "2")
    expect(state(screen)).to_contain_text("Offline – 1 judgment kept")
    assert Judgment.objects.count() == 1

    screen.keyboard.press("Enter")

    saved(screen)
    assert Judgment.objects.count() == 1
    assert not JudgmentHistory.objects.exists()


def test_a_failing_server_keeps_the_choice_and_enter_tries_again(screen):
    screen.route(ANSWERS, lambda route: route.fulfill(status=500, body="no"), times=1)
    screen.keyboard.press("c")
    screen.keyboard.type("kept")
    screen.keyboard.press("Escape")

    screen.keyboard.press("2")

    expect(screen.locator("[data-notice=state]")).to_contain_text("Not saved – try again")
    expect(screen.locator("[data-notice=state]")).to_contain_text("The server answered 500")
    screen.keyboard.press("Enter")
    saved(screen)
    assert Judgment.objects.get().comment == "kept"


def test_an_answer_that_the_server_refuses_comes_back_with_its_choice(screen):
    refusal = '{"problem": "This grade is gone.", "kind": "refused"}'
    screen.route(
        ANSWERS,
        lambda route: route.fulfill(status=422, content_type="application/json", body=refusal),
        times=1,
    )
    pair = by_key(screen, "2")

    notice = screen.locator(".notice-error", has_text="This grade is gone.")
    expect(notice).to_contain_text("Not saved")
    notice.get_by_role("button", name="Judge it again").click()

    expect(screen.locator("[data-card]")).to_have_attribute("data-pair", str(pair))
    expect(screen.locator("[data-key='2']")).to_have_attribute("aria-pressed", "true")
    by_key(screen, "2")
    saved(screen)
    assert Judgment.objects.get().pair_id == pair


def test_two_tabs_ask_before_one_replaces_the_answer_of_the_other(
    screen, windows, live_server, judgment_list, rater
):
    with open_screen(windows, live_server, judgment_list, rater) as other:
        pair = by_key(other, "1")
        saved(other)

    assert by_key(screen, "3") == pair

    notice = screen.locator(".notice-warning", has_text="Already judged")
    expect(notice).to_contain_text(
        re.compile(r"You judged this Complement on \w{3} \d+, \d{4}, \d\d:\d\d\. Here you chose Exact\.")
    )
    assert Judgment.objects.get().value == 1
    notice.get_by_role("button", name="Change to Exact").click()
    saved(screen)
    assert Judgment.objects.get().value == 3
    assert JudgmentHistory.objects.get().value == 1


def test_keeping_the_answer_of_the_other_tab_leaves_it(screen, windows, live_server, judgment_list, rater):
    with open_screen(windows, live_server, judgment_list, rater) as other:
        by_key(other, "1")
        saved(other)
    by_key(screen, "3")

    screen.get_by_role("button", name="Keep").click()

    expect(note(screen, "Already judged")).to_have_count(0)
    assert screen.evaluate(of_screen("screen.sender.store.all()")) == []
    assert Judgment.objects.get().value == 1


def test_two_tabs_of_one_window_know_of_each_other(screen, live_server, judgment_list):
    other = screen.context.new_page()
    other.goto(f"{live_server.url}/lists/{judgment_list.pk}/judge/")
    ready(other)

    pair = by_key(other, "1")

    expect(note(screen, "You judged this Complement")).to_be_visible()
    assert str(pair) not in screen.evaluate(of_screen("screen.deck.next.map(card => card.dataset.pair)"))
    screen.get_by_role("button", name="Keep").click()
    expect(screen.locator("[data-card]")).not_to_have_attribute("data-pair", str(pair))


def test_a_held_key_judges_once(screen):
    screen.keyboard.down("2")
    for _ in range(5):
        screen.keyboard.down("2")
    screen.keyboard.up("2")

    expect(step(screen)).to_contain_text("document 2")
    saved(screen)
    assert Judgment.objects.count() == 1


def test_a_rater_who_lost_the_lease_is_told_and_counts_all_the_same(screen, judgment_list):
    screen.evaluate(of_screen("screen.sender.refresh()"))
    expect(screen.locator("[data-card][data-held='1']")).to_have_count(1)
    pair = int(screen.locator("[data-card]").get_attribute("data-pair"))
    thief = make.make_rater(judgment_list.query_set)
    Slot.objects.filter(pair=pair).update(rater=thief)

    screen.evaluate(of_screen("screen.sender.refresh()"))

    expect(note(screen, "somebody else took over this document")).to_be_visible()
    Slot.objects.filter(pair=pair).update(state="done")
    by_key(screen, "2")
    expect(note(screen, "This document needs no further judgment by now")).to_be_visible()
    assert Judgment.objects.get().extra


def test_a_pause_lets_the_open_document_be_judged(screen, judgment_list, rater):
    admin = make.make_member(judgment_list.query_set, "admin", first_name="Ada", last_name="Admin")
    JudgmentList.objects.update(paused=True, paused_by=admin, pause_note="New guidelines come.")
    screen.evaluate(of_screen("screen.sender.refresh()"))
    expect(screen.locator("[data-notice=paused]")).to_contain_text("Ada Admin paused it")

    by_key(screen, "2")

    expect(screen.get_by_role("heading", name="This list is paused")).to_be_visible()
    expect(screen.get_by_text("New guidelines come.")).to_be_visible()
    saved(screen)
    assert Judgment.objects.count() == 1


def test_changed_guidelines_open_while_judging(screen, judgment_list):
    JudgmentList.objects.update(guidelines="Be **stricter**.", guidelines_version=2)

    by_key(screen, "2")

    expect(note(screen, "The guidelines have changed")).to_be_visible()
    expect(screen.locator("#guidelines")).to_have_attribute("open", "")
    expect(screen.locator("[data-guidelines] strong")).to_have_text("stricter")


def test_undo_within_a_change_of_query_is_never_swallowed(screen):
    for _ in range(6):
        last = by_key(screen, "1")
    expect(screen.locator(".query-new")).to_be_visible()

    screen.keyboard.press("u")
    screen.keyboard.press("u")

    expect(step(screen)).to_have_text("Query 1 of 3 · document 5 of 6")
    saved(screen)
    assert Judgment.objects.count() == 4
    assert not Judgment.objects.filter(pair=last).exists()


def test_undo_of_an_unsent_answer_sends_nothing(screen):
    screen.context.set_offline(True)
    pair = by_key(screen, "1")
    expect(state(screen)).to_contain_text("1 judgment kept")

    screen.keyboard.press("u")

    expect(screen.locator("[data-card]")).to_have_attribute("data-pair", str(pair))
    screen.context.set_offline(False)
    screen.wait_for_timeout(500)
    assert not Judgment.objects.exists()
    assert not JudgmentHistory.objects.exists()


def test_an_answer_of_another_tab_that_is_undone_here_comes_on_the_screen(screen, judgment_list, rater):
    pair = judgment_list.pairs.last()
    make.make_handout(pair.pk, rater)
    judging.record_judgment(
        user=rater, judgment_list=judgment_list, pair_id=pair.pk, request_id=uuid4(), value=2, at=make.NOW
    )

    screen.keyboard.press("u")

    expect(screen.locator("[data-card]")).to_have_attribute("data-pair", str(pair.pk))
    expect(screen.get_by_text("You took back your answer")).to_be_visible()
    assert not Judgment.objects.exists()
