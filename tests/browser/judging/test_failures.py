"""A server that fails, a session that ended, ten minutes without a network, pages that come back from the past."""

import re

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from judgments.lists.actions.pairs import add_pairs
from judgments.models import Judgment, JudgmentHistory, Membership, Skip
from tests import factories as make
from tests.browser.judging.pages import (
    by_key,
    of_screen,
    open_screen,
    ready,
    saved,
    state,
    step,
    wait_until,
)
from tests.browser.windows import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ANSWERS = "**/judge/answer/"


def bar(page):
    return page.locator("[data-notice=state]")


def on_screen(page):
    return int(page.locator("[data-card]").get_attribute("data-pair"))


def fail(page, only=None):
    """Answers to the pair `only`, or all, meet a server that fails with 500."""

    def route(one):
        if only is None or f'name="pair"\r\n\r\n{only}\r\n' in (one.request.post_data or ""):
            return one.fulfill(status=500, body="no")
        return one.fallback()

    page.route(ANSWERS, route)


def test_the_card_comes_back_with_its_choice_and_enter_saves_it_and_goes_on(screen):
    fail(screen)
    pair = on_screen(screen)
    screen.keyboard.press("2")

    expect(bar(screen)).to_contain_text("Not saved – try again")
    expect(bar(screen)).to_contain_text(
        re.compile(r"The server answered 500 to “.+”, Substitute at \d\d:\d\d:\d\d")
    )
    expect(screen.locator("[data-card]")).to_have_attribute("data-pair", str(pair))
    expect(screen.locator("[data-key='2']")).to_have_attribute("aria-pressed", "true")
    expect(state(screen)).to_have_text("Not saved – 1 judgment kept on this device, will be sent")
    assert not Judgment.objects.exists()

    screen.unroute(ANSWERS)
    screen.keyboard.press("Enter")
    saved(screen)
    expect(screen.locator("[data-card]")).not_to_have_attribute("data-pair", str(pair))
    expect(bar(screen)).to_have_count(0)
    assert Judgment.objects.get().value == 2


# In the page itself, since a look from here may come when keys count again.
PRESS_ZERO_AS_IT_COMES_BACK = """
pair => {
  window.pressed = new Promise(resolve => {
    const look = () => {
      if (document.querySelector("[data-card]").dataset.pair !== pair) return requestAnimationFrame(look);
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "0", bubbles: true, cancelable: true }));
      resolve();
    };
    look();
  });
}
"""


def test_a_key_pressed_while_the_card_comes_back_hits_nothing(screen):
    requests = []

    def hold(route):
        requests.append(route)

    screen.route(ANSWERS, hold)
    pair = on_screen(screen)
    screen.keyboard.press("2")
    expect(screen.locator("[data-card]")).not_to_have_attribute("data-pair", str(pair))
    screen.evaluate(PRESS_ZERO_AS_IT_COMES_BACK, str(pair))
    for _ in range(500):
        if not requests:
            screen.wait_for_timeout(10)  # lets the request in; a bare loop would not

    fail(screen)
    requests[0].fulfill(status=500, body="no")
    screen.evaluate("() => window.pressed")

    expect(bar(screen)).to_contain_text("Substitute")
    expect(screen.locator("[data-card]")).to_have_attribute("data-pair", str(pair))
    expect(screen.locator("[data-key='2']")).to_have_attribute("aria-pressed", "true")


def test_another_choice_takes_the_place_of_the_one_that_failed(screen):
    fail(screen)
    pair = on_screen(screen)
    screen.keyboard.press("2")
    expect(screen.locator("[data-card][data-known]")).to_have_attribute("data-pair", str(pair))
    screen.unroute(ANSWERS)

    by_key(screen, "3")

    saved(screen)
    assert [(one.pair_id, one.value) for one in Judgment.objects.all()] == [(pair, 3)]
    assert not JudgmentHistory.objects.exists()
    screen.keyboard.press("u")
    saved(screen)
    assert not Judgment.objects.exists()


def test_one_answer_at_which_the_server_always_fails_holds_up_no_other(screen):
    poison = on_screen(screen)
    fail(screen, only=poison)
    screen.keyboard.press("2")
    expect(screen.locator("[data-card][data-known]")).to_have_attribute("data-pair", str(poison))
    screen.keyboard.press("ArrowRight")

    others = [by_key(screen, "1") for _ in range(3)]

    wait_until(screen, "screen.sender.waiting().length === 1")
    expect(bar(screen)).to_contain_text("The server answered 500")
    assert set(Judgment.objects.values_list("pair_id", flat=True)) == set(others)
    screen.unroute(ANSWERS)
    screen.keyboard.press("Enter")
    saved(screen)
    assert Judgment.objects.get(pair=poison).value == 2


def test_answers_to_a_list_that_is_not_open_any_more_hold_up_no_other_and_wait_for_it(
    screen, live_server, judgment_list, rater
):
    query_set = make.make_query_set()
    closed_list = make.make_list(query_set, scale=make.preset("ESCI"))
    keys = [(make.make_query(query_set).pk, make.make_document(query_set).pk) for _ in range(5)]
    add_pairs(judgment_list=closed_list, pairs=keys)
    pairs = list(closed_list.pairs.order_by("pk").values_list("pk", flat=True))[:4]
    screen.evaluate(
        of_screen(
            """arg.pairs.forEach((pair) => screen.sender.add({
                kind: "answer", list: String(arg.list), url: `/lists/${arg.list}/judge/answer/`, name: "Exact", pair,
                fields: {pair, grade: "3", request_id: crypto.randomUUID()},
            }))"""
        ),
        {"list": closed_list.pk, "pairs": pairs},
    )

    pair = by_key(screen, "2")

    saved(screen)
    assert Judgment.objects.get().pair_id == pair
    assert len(screen.evaluate(of_screen("screen.sender.store.all()"))) == 4
    Membership.objects.create(query_set=query_set, user=rater, role="rater")
    screen.goto(f"{live_server.url}/lists/{closed_list.pk}/judge/")
    wait_until(screen, "screen.sender.store.all().length === 0")
    assert set(closed_list.judgments.values_list("pair_id", flat=True)) == set(pairs)


@pytest.mark.own_window
def test_ten_minutes_without_a_network(windows, live_server, judgment_list, rater):
    queries = list(judgment_list.list_queries.values_list("query", flat=True))
    more = [make.make_document(judgment_list.query_set).pk for _ in range(34)]
    add_pairs(judgment_list=judgment_list, pairs=[(query, one) for query in queries for one in more])
    with open_screen(windows, live_server, judgment_list, rater) as page:
        page.clock.install()
        page.reload()
        wait_until(page, "screen.deck.have().length === 30")
        page.context.set_offline(True)
        expect(bar(page)).to_contain_text("You can continue with 30 documents. Don’t reload this page")

        pairs = []
        for _ in range(24):  # at 25 seconds each
            pairs.append(by_key(page, "2"))
            page.clock.fast_forward(25_000)

        expect(state(page)).to_have_text("Offline – 24 judgments kept on this device, will be sent")
        expect(bar(page)).to_contain_text("You can continue with 6 documents")
        assert not Judgment.objects.exists()
        page.context.set_offline(False)
        saved(page)
        wait_until(page, "screen.deck.have().length > 25")

    assert list(Judgment.objects.order_by("id").values_list("pair_id", flat=True)) == pairs
    assert all(15_000 < one.wall_ms < 60_000 for one in Judgment.objects.all()[1:])


def test_who_signs_in_again_beside_the_card_loses_nothing(windows, live_server, judgment_list, rater):
    rater.set_password("mole hill")
    rater.save()
    with open_screen(windows, live_server, judgment_list, rater) as page:
        Session.objects.all().delete()
        pair = by_key(page, "2")
        dialog = page.get_by_role("dialog", name="Your session has ended")
        expect(state(page)).to_have_text("Signed out – 1 judgment kept on this device, will be sent")
        other = by_key(page, "1")
        expect(state(page)).to_have_text("Signed out – 2 judgments kept on this device, will be sent")
        expect(dialog).to_be_hidden()
        current = on_screen(page)
        page.keyboard.press("Enter")
        dialog.get_by_label("Password").fill("wrong")
        page.keyboard.press("Enter")
        expect(dialog.get_by_text("Sign-in failed")).to_be_visible()
        assert not Judgment.objects.exists()

        dialog.get_by_label("Password").fill("mole hill")
        page.keyboard.press("Enter")

        saved(page)
        expect(dialog).to_be_hidden()
        assert on_screen(page) == current
        by_key(page, "1")
        saved(page)
    assert list(Judgment.objects.order_by("id").values_list("pair_id", "value")) == [
        (pair, 2),
        (other, 1),
        (current, 1),
    ]


def test_who_signs_in_again_in_another_tab_finds_the_dialog_closed(
    windows, live_server, judgment_list, rater
):
    with open_screen(windows, live_server, judgment_list, rater) as page:
        Session.objects.all().delete()
        pair = by_key(page, "2")
        expect(state(page)).to_have_text("Signed out – 1 judgment kept on this device, will be sent")
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Your session has ended")
        expect(dialog).to_be_visible()

        sign_in(page.context, live_server.url, rater)
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

        saved(page)
        expect(dialog).to_be_hidden()
        other = by_key(page, "1")
        saved(page)
    assert list(Judgment.objects.order_by("id").values_list("pair_id", "value")) == [(pair, 2), (other, 1)]


def test_the_back_button_brings_no_card_that_was_judged(screen):
    pair = by_key(screen, "2")
    saved(screen)
    screen.get_by_role("link", name="Your judgments").last.click()
    screen.wait_for_url("**/done/")

    screen.go_back()
    ready(screen)

    assert on_screen(screen) != pair
    by_key(screen, "1")
    saved(screen)
    assert Judgment.objects.count() == 2


def test_a_page_that_the_browser_had_put_away_is_loaded_anew(screen):
    screen.evaluate("window.old = true")

    screen.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")

    screen.wait_for_function("() => window.old === undefined")
    ready(screen)
    expect(step(screen)).to_have_text("Query 1 of 3 · document 1 of 6")


def test_a_request_to_put_off_whose_answer_got_lost_puts_off_once(screen):
    def lose(route):
        route.fetch()
        route.abort()

    screen.route("**/judge/skip/", lose, times=1)
    pair = on_screen(screen)
    screen.keyboard.press("s")
    expect(state(screen)).to_contain_text("Offline")

    screen.keyboard.press("Enter")

    saved(screen)
    screen.reload()
    ready(screen)
    expect(step(screen)).to_have_text("Query 1 of 3 · document 1 of 6")  # put off twice, the query would wait
    assert Skip.objects.get().pair_id == pair


def test_the_grades_of_a_finished_query_are_looked_over(screen):
    pairs = [by_key(screen, key) for key in "012331"]
    expect(screen.locator("[data-notice=query-done]")).to_contain_text("Query 1 is done6 judged just now.")
    saved(screen)

    screen.keyboard.press("l")

    dialog = screen.get_by_role("dialog", name="Your grades for")
    expect(dialog.get_by_role("listitem")).to_have_count(6)
    expect(dialog.locator(".reviewed-grade")).to_have_text(
        ["Exact", "Exact", "Substitute", "Complement", "Complement", "Irrelevant"]
    )
    dialog.locator(f"a[data-pair='{pairs[0]}']").click()
    expect(screen.locator("[data-card]")).to_have_attribute("data-pair", str(pairs[0]))
    wait_until(screen, "!screen.guarded()")
    screen.keyboard.press("3")
    saved(screen)
    assert Judgment.objects.get(pair=pairs[0]).value == 3


def test_without_a_script_the_grades_of_a_query_are_a_page(windows, live_server, judgment_list, rater):
    query = judgment_list.list_queries.earliest("position").query
    with open_screen(windows, live_server, judgment_list, rater, java_script_enabled=False) as page:
        page.locator("[data-key='3']").click()
        page.goto(f"{live_server.url}/lists/{judgment_list.pk}/judge/queries/{query.pk}/")

        page.locator(".reviewed a").click()

        expect(page.locator("[data-key='3']")).to_have_attribute("aria-pressed", "true")


def test_with_forced_colors_the_chosen_grade_is_still_marked(windows, live_server, judgment_list, rater):
    with open_screen(windows, live_server, judgment_list, rater, forced_colors="active") as page:
        by_key(page, "2")
        page.keyboard.press("ArrowLeft")
        choice = page.locator("[data-key='2']")
        expect(choice).to_have_attribute("aria-pressed", "true")
        assert "✓" in choice.evaluate("one => getComputedStyle(one, '::after').content")
        assert choice.evaluate("one => getComputedStyle(one).borderStyle") == "solid"
        saved(page)


def test_motion_only_for_who_wants_it(windows, live_server, judgment_list, rater):
    animations = []
    for motion in ("reduce", "no-preference"):
        with open_screen(windows, live_server, judgment_list, rater, reduced_motion=motion) as page:
            animations.append(
                page.locator(".grade-button").first.evaluate(
                    "one => getComputedStyle(one).transitionDuration"
                )
            )

    assert animations[0] == "0s"
    assert animations[1] != "0s"
