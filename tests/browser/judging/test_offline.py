"""The rating screen is opened again without a network: its own page and nothing else, for its own account only."""

import re

import pytest
from playwright.sync_api import Error, expect

from judgments.models import Judgment
from tests import factories as make
from tests.browser.judging.pages import SCREEN, by_key, of_screen, open_screen, saved, state, step
from tests.browser.windows import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CACHES = "caches.keys().then(names => names.filter(name => name.startsWith('touchstone-judge-')))"


def bar(page):
    return page.locator("[data-notice=state]")


def cards(page):
    return page.evaluate(of_screen("screen.deck.have()"))


@pytest.fixture
def kept(windows, live_server, judgment_list, rater):
    """A screen whose page and cards are on the device."""
    with open_screen(windows, live_server, judgment_list, rater, service_workers="allow") as page:
        put_by(page)
        yield page


def put_by(page):
    """Waits until the cards that are here are those that were put by."""
    page.evaluate(
        f"""async () => {{
            const screen = {SCREEN};
            const address = document.getElementById('judge').dataset.page + 'kept';
            const pairs = () => screen.deck.have().sort().join();
            const kept = async () => (await (await caches.match(address))?.json())?.held.map(one => one[0]).sort().join();
            while (!screen.offline.ready || await kept() !== pairs()) await new Promise(requestAnimationFrame);
        }}"""
    )


def test_a_reload_offline_brings_the_cards_and_what_is_to_be_sent(kept):
    first = by_key(kept, "1")
    saved(kept)
    put_by(kept)
    kept.context.set_offline(True)
    expect(bar(kept)).to_contain_text("You can close this page and open it again")
    second = by_key(kept, "2")
    before, current = cards(kept), kept.locator("[data-card]").get_attribute("data-pair")

    kept.reload()

    expect(state(kept)).to_have_text("Offline – 1 judgment kept on this device, will be sent")
    expect(kept.locator("[data-card]")).to_have_attribute("data-pair", current)
    expect(step(kept)).to_have_text("Query 1 of 3 · document 3 of 6")
    expect(kept.locator("#guidelines")).to_have_count(1)
    assert sorted(cards(kept)) == sorted(before)
    third = by_key(kept, "3")
    kept.reload()
    expect(state(kept)).to_have_text("Offline – 2 judgments kept on this device, will be sent")
    assert Judgment.objects.count() == 1
    kept.context.set_offline(False)
    saved(kept)
    answers = list(Judgment.objects.order_by("id").values_list("pair_id", "value"))
    assert answers == [(first, 1), (second, 2), (third, 3)]


def test_offline_no_other_page_is_shown(kept, live_server, judgment_list):
    page = f"{live_server.url}/lists/{judgment_list.pk}/judge/"
    kept.goto(f"{page}done/")
    kept.context.set_offline(True)

    for address in (f"{page}done/", f"{page}shell/", live_server.url):
        other = kept.context.new_page()
        with pytest.raises(Error, match=r"ERR_INTERNET_DISCONNECTED|ERR_FAILED"):
            other.goto(address)

    again = kept.context.new_page()
    again.goto(page)
    expect(step(again)).to_have_text("Query 1 of 3 · document 1 of 6")


def test_where_the_server_answers_its_answer_is_shown(kept, judgment_list):
    judgment_list.paused = True
    judgment_list.save()

    kept.reload()

    expect(kept.get_by_role("heading", name="This list is paused")).to_be_visible()


def test_signing_out_takes_the_cards_off_the_device_and_leaves_what_is_to_be_sent(kept, live_server):
    assert len(kept.evaluate(CACHES)) == 1
    kept.route("**/judge/answer/", lambda route: route.abort())
    by_key(kept, "2")
    expect(state(kept)).to_contain_text("1 judgment kept")
    kept.goto(f"{live_server.url}/accounts/")

    kept.locator(".topbar details summary").click()
    kept.get_by_role("button", name="Sign out", exact=True).click()
    kept.wait_for_url(f"{live_server.url}/accounts/sign-in/")

    kept.evaluate(
        f"async () => {{ while ((await {CACHES}).length) await new Promise(requestAnimationFrame) }}"
    )
    assert kept.evaluate("Object.keys(localStorage).some(key => key.startsWith('touchstone.judge.'))")


def test_the_cards_of_another_account_go(kept, live_server, judgment_list):
    (before,) = kept.evaluate(CACHES)
    other = make.make_member(judgment_list.query_set, "rater")

    sign_in(kept.context, live_server.url, other)
    kept.reload()
    put_by(kept)

    (after,) = kept.evaluate(CACHES)
    assert before != after
    assert str(other.pk) in after


def test_another_account_that_signed_in_elsewhere_gets_no_cards_into_this_page(
    kept, live_server, judgment_list
):
    other = make.make_member(judgment_list.query_set, "rater", username="other")
    sign_in(kept.context, live_server.url, other)

    kept.evaluate(of_screen("screen.sender.refresh()"))

    expect(bar(kept)).to_contain_text(re.compile("Another account.*You are signed in as other"))


def test_cards_of_yesterday_are_not_judged(kept):
    kept.evaluate(
        """async () => {
            const page = document.getElementById('judge').dataset.page;
            const cache = await caches.open((await caches.keys())[0]);
            const found = await (await cache.match(page + 'kept')).json();
            await cache.put(page + 'kept', new Response(JSON.stringify({...found, at: found.at - 86_400_000})));
        }"""
    )
    kept.context.set_offline(True)

    kept.reload()

    expect(kept.get_by_text("No more documents are on this device")).to_be_visible()
    kept.context.set_offline(False)
    expect(step(kept)).to_have_text("Query 1 of 3 · document 1 of 6")


def test_a_browser_that_keeps_nothing_is_told_not_to_reload(screen):
    screen.context.set_offline(True)

    expect(bar(screen)).to_contain_text("Don’t reload this page until you are online again")


@pytest.mark.own_window
def test_without_anything_to_send_the_bar_stays_until_the_server_answers(screen):
    screen.clock.install()
    screen.route("**/judge/cards/", lambda route: route.abort())
    screen.evaluate(of_screen("screen.sender.refresh()"))
    expect(bar(screen)).to_contain_text("Offline")

    for _ in range(3):
        screen.clock.run_for(25_000)
        screen.wait_for_function("() => navigator.locks.query().then(({held}) => held.length === 0)")
        expect(bar(screen)).to_contain_text("Offline")
    screen.unroute("**/judge/cards/")
    bar(screen).get_by_role("button", name="Try again").click()

    expect(bar(screen)).to_have_count(0)
