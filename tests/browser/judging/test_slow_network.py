"""A network that takes two seconds for each round trip, and a rater who is quick: cards are there before they are needed."""

import pytest
from playwright.sync_api import expect

from judgments.lists.actions.pairs import add_pairs
from judgments.models import Judgment
from tests import factories as make
from tests.browser.judging.pages import by_key, of_screen, open_screen, saved, state, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ROUND_TRIP, CARD = 2000, 400  # milliseconds
WANTED = 20
SLOW_NETWORK = f"""
const quick = window.fetch;
const rest = () => new Promise((go) => setTimeout(go, {ROUND_TRIP} / 2));
window.posts = 0;
window.fetch = async (address, options) => {{
  if (options?.method !== "POST") return quick(address, options);
  window.posts += 1;
  await rest();
  const response = await quick(address, options);
  await rest();
  return response;
}};
"""
QUICK_RATER = """
async ([wanted, pause]) => {
  const rest = (ms) => new Promise((go) => setTimeout(go, ms));
  const stalls = [];
  for (let judged = 0; judged < wanted; judged += 1) {
    await rest(pause);
    const from = performance.now();
    while (!document.querySelector("[data-card] button[name=grade]:not([aria-pressed])")) await rest(10);
    stalls.push(Math.round(performance.now() - from));
    document.querySelector("[data-card] button[name=grade]").click();
  }
  return stalls;
}
"""


@pytest.fixture
def judgment_list():
    query_set = make.make_query_set()
    query = make.make_query(query_set)
    new_list = make.make_list(query_set)
    documents = [make.make_document(query_set, external_id=str(number)) for number in range(60)]
    add_pairs(judgment_list=new_list, pairs=[(query.pk, document.pk) for document in documents])
    return new_list


@pytest.mark.own_window
def test_a_quick_rater_never_waits_longer_than_one_round_trip(windows, live_server, judgment_list):
    rater = make.make_member(judgment_list.query_set, "rater")
    with open_screen(windows, live_server, judgment_list, rater) as page:
        page.add_init_script(SLOW_NETWORK)
        page.reload()
        stalls = page.evaluate(QUICK_RATER, [WANTED, CARD])
        wait_until(page, "!screen.sender.waiting().length")
        posts = page.evaluate("posts")
    assert max(stalls) <= ROUND_TRIP + 500
    assert posts < WANTED / 2
    assert Judgment.objects.filter(judgment_list=judgment_list).count() == WANTED


def test_where_the_server_fails_at_one_of_several_answers_only_that_one_waits(
    windows, live_server, judgment_list
):
    rater = make.make_member(judgment_list.query_set, "rater")
    with open_screen(windows, live_server, judgment_list, rater) as page:
        page.context.set_offline(True)
        first, bad, last = [by_key(page, "1") for _ in range(3)]
        page.route("**/judge/answer/", lambda one: fail_at(one, bad))
        page.context.set_offline(False)
        expect(state(page)).to_have_text("Not saved – 1 judgment kept on this device, will be sent")
        assert {*Judgment.objects.values_list("pair", flat=True)} == {first, last}

        page.unroute("**/judge/answer/")
        page.evaluate(of_screen("screen.sender.retry()"))
        saved(page)
    assert {*Judgment.objects.values_list("pair", flat=True)} == {first, bad, last}


def fail_at(one, pair):
    body = one.request.post_data or ""
    if f'"pair":"{pair}"' in body or f'name="pair"\r\n\r\n{pair}\r\n' in body:
        return one.fulfill(status=500, body="no")
    return one.fallback()
