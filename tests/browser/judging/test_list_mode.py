"""All documents of a query on one page, by keyboard."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from judgments.models import Judgment, JudgmentList, Skip
from judgments.raters.actions.gold import mark_gold
from tests import factories as make
from tests.browser.accessibility import axe_findings
from tests.browser.judging.pages import saved, state
from tests.browser.windows import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def list_page(screen):
    JudgmentList.objects.update(view="list")
    screen.reload()
    expect(screen.locator("[data-row]")).to_have_count(6)
    return screen


def test_a_query_is_judged_row_by_row_with_one_key_each(list_page):
    expect(list_page.locator("[data-row].is-current")).to_have_count(1)

    for key in "012301":
        list_page.keyboard.press(key)

    saved(list_page)
    assert sorted(Judgment.objects.values_list("value", flat=True)) == [0, 0, 1, 1, 2, 3]
    assert set(Judgment.objects.values_list("view", "method")) == {("list", "key")}
    expect(list_page.get_by_role("link", name="Next query")).to_be_focused()
    list_page.keyboard.press("Enter")
    expect(list_page.locator(".query-step")).to_contain_text("Query 2 of 3")


def test_arrows_choose_the_row_and_undo_takes_the_last_answer_back(list_page):
    list_page.keyboard.press("ArrowDown")
    pair = int(list_page.locator(".is-current").get_attribute("data-pair"))
    list_page.keyboard.press("3")
    saved(list_page)
    assert Judgment.objects.get().pair_id == pair

    list_page.keyboard.press("u")

    saved(list_page)
    assert not Judgment.objects.exists()
    expect(list_page.locator(f"#pair-{pair} [aria-pressed=true]")).to_have_count(0)
    expect(list_page.locator(f"#pair-{pair}")).to_be_focused()


def test_offline_rows_are_kept_and_sent(list_page):
    list_page.context.set_offline(True)
    list_page.keyboard.press("1")
    list_page.keyboard.press("2")

    expect(state(list_page)).to_contain_text("2 judgments kept on this device")
    list_page.context.set_offline(False)

    saved(list_page)
    assert Judgment.objects.count() == 2


def test_comment_and_cannot_judge_have_keys(list_page):
    list_page.keyboard.press("c")
    list_page.keyboard.type("torn 1")
    list_page.keyboard.press("Escape")
    list_page.locator(".is-current").get_by_role("button", name="Offensive").click()

    saved(list_page)
    assert list(Judgment.objects.values_list("reason", "comment")) == [("offensive", "torn 1")]


def test_with_the_last_row_judged_or_put_off_enter_leads_on(list_page):
    expect(list_page.get_by_role("link", name="Next query")).to_be_hidden()
    for key in "0123":
        list_page.keyboard.press(key)
    later = [list_page.locator(".is-current").get_attribute("data-pair")]
    list_page.keyboard.press("s")
    later.append(list_page.locator(".is-current").get_attribute("data-pair"))
    list_page.locator(".is-current").get_by_role("button", name="Later").click()

    saved(list_page)
    expect(list_page.get_by_role("link", name="Next query")).to_be_focused()
    assert {str(pair) for pair in Skip.objects.values_list("pair_id", flat=True)} == set(later)
    list_page.keyboard.press("Enter")
    expect(list_page.get_by_text("put off before")).to_have_count(2)
    expect(list_page.locator("[data-open]")).to_have_text("2")


def test_sentences_are_chosen_as_evidence_in_a_row(list_page):
    JudgmentList.objects.update(evidence="required", evidence_grades=[3.0])
    list_page.reload()
    row = list_page.locator(".is-current")
    pair = int(row.get_attribute("data-pair"))
    title = row.locator(".doc-title").inner_text()

    list_page.keyboard.press("3")
    expect(row.locator("[data-refusal]")).to_contain_text("Mark the passage")
    list_page.keyboard.press("e")
    list_page.keyboard.press("Space")
    list_page.locator("#judge-sentences").get_by_role("button", name="Use sentences").click()
    expect(row.locator("[data-passages] li")).to_have_count(1)
    list_page.keyboard.press("3")

    saved(list_page)
    judgment = Judgment.objects.get()
    assert judgment.pair_id == pair
    assert title.startswith(judgment.evidence[0]["quote"])


@pytest.mark.parametrize("width", [1280, 320])
def test_no_one_is_shut_out_of_the_list(list_page, width):
    list_page.set_viewport_size({"width": width, "height": 800})
    for scheme in ("light", "dark"):
        list_page.emulate_media(color_scheme=scheme)
        assert axe_findings(list_page) == []
    assert list_page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_answer_in_practice_stays_also_after_the_page_is_opened_again(list_page, judgment_list):
    admin = make.make_member(judgment_list.query_set, "admin")
    for pair in judgment_list.pairs.order_by("pk")[:6]:
        mark_gold(judgment_list=judgment_list, pair_id=pair.pk, value=3.0, user=admin, at=make.NOW)
    JudgmentList.objects.update(onboarding=2)
    newcomer = make.make_member(judgment_list.query_set, "rater")
    sign_in(list_page.context, urlsplit(list_page.url)._replace(path="").geturl(), newcomer)
    list_page.reload()
    row = list_page.locator(f"#pair-{list_page.locator('[data-practice]').first.get_attribute('data-pair')}")
    row.get_by_role("button", name="Exact").click()
    expect(list_page.locator("[data-notice=practice]")).to_be_visible()
    saved(list_page)
    given = list(Judgment.objects.values_list("pk", "value"))
    query = Judgment.objects.get().pair.query_id

    for opened_again in (False, True):
        if opened_again:
            list_page.goto(f"{list_page.url.partition('?')[0]}?query={query}")
        row.locator(".grade-button[aria-pressed=false]").first.click()
        expect(row).to_contain_text("You can’t change an answer given in practice.")
        expect(row.locator("[aria-pressed=true]")).to_contain_text("Exact")
        expect(list_page.get_by_text("Not saved")).to_have_count(0)
    assert list(Judgment.objects.values_list("pk", "value")) == given


def test_on_a_phone_no_grade_breaks_within_a_word_and_no_key_is_shown(list_page):
    """The grade that stood in two lines was “Complem|ent” of the ESCI scale."""
    JudgmentList.objects.update(scale=make.preset("ESCI"), evidence="optional")
    list_page.set_viewport_size({"width": 390, "height": 780})
    list_page.reload()
    expect(list_page.locator("[data-row]")).to_have_count(6)

    buttons = list_page.locator("[data-row] >> nth=0").locator(".grade-button")
    boxes = [one.bounding_box() for one in buttons.all()]
    assert len(boxes) == 4
    assert {(box["y"], box["height"]) for box in boxes} == {(boxes[0]["y"], boxes[0]["height"])}
    lines = "one => { const range = document.createRange(); range.selectNodeContents(one); return range.getClientRects().length }"
    assert {one.evaluate(lines) for one in buttons.locator("span").all()} == {1}
    expect(list_page.locator("[data-evidence] kbd").first).to_be_hidden()
