"""All documents of a query on one page, by keyboard."""

import pytest
from playwright.sync_api import expect

from judgments.models import Judgment, JudgmentList, Skip
from tests.browser.accessibility import serious_violations
from tests.browser.judging.pages import saved, state

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def listed(screen):
    JudgmentList.objects.update(view="list")
    screen.reload()
    expect(screen.locator("[data-row]")).to_have_count(6)
    return screen


def test_a_query_is_judged_row_by_row_with_one_key_each(listed):
    expect(listed.locator("[data-row].is-current")).to_have_count(1)

    for key in "012301":
        listed.keyboard.press(key)

    saved(listed)
    assert sorted(Judgment.objects.values_list("value", flat=True)) == [0, 0, 1, 1, 2, 3]
    assert set(Judgment.objects.values_list("view", "method")) == {("list", "key")}
    expect(listed.get_by_role("link", name="Next query")).to_be_focused()
    listed.keyboard.press("Enter")
    expect(listed.locator(".query-step")).to_contain_text("Query 2 of 3")


def test_arrows_choose_the_row_and_undo_takes_the_last_answer_back(listed):
    listed.keyboard.press("ArrowDown")
    pair = int(listed.locator(".is-current").get_attribute("data-pair"))
    listed.keyboard.press("3")
    saved(listed)
    assert Judgment.objects.get().pair_id == pair

    listed.keyboard.press("u")

    saved(listed)
    assert not Judgment.objects.exists()
    expect(listed.locator(f"#pair-{pair} [aria-pressed=true]")).to_have_count(0)
    expect(listed.locator(f"#pair-{pair}")).to_be_focused()


def test_offline_rows_are_kept_and_sent(listed):
    listed.context.set_offline(True)
    listed.keyboard.press("1")
    listed.keyboard.press("2")

    expect(state(listed)).to_contain_text("2 judgments kept on this device")
    listed.context.set_offline(False)

    saved(listed)
    assert Judgment.objects.count() == 2


def test_comment_and_cannot_judge_have_keys(listed):
    listed.keyboard.press("c")
    listed.keyboard.type("torn 1")
    listed.keyboard.press("Escape")
    listed.locator(".is-current").get_by_role("button", name="Offensive").click()

    saved(listed)
    assert list(Judgment.objects.values_list("reason", "comment")) == [("offensive", "torn 1")]


def test_with_the_last_row_judged_or_put_off_enter_leads_on(listed):
    expect(listed.get_by_role("link", name="Next query")).to_be_hidden()
    for key in "0123":
        listed.keyboard.press(key)
    later = [listed.locator(".is-current").get_attribute("data-pair")]
    listed.keyboard.press("s")
    later.append(listed.locator(".is-current").get_attribute("data-pair"))
    listed.locator(".is-current").get_by_role("button", name="Later").click()

    saved(listed)
    expect(listed.get_by_role("link", name="Next query")).to_be_focused()
    assert {str(pair) for pair in Skip.objects.values_list("pair_id", flat=True)} == set(later)
    listed.keyboard.press("Enter")
    expect(listed.get_by_text("put off before")).to_have_count(2)
    expect(listed.locator("[data-open]")).to_have_text("2")


def test_sentences_are_chosen_as_evidence_in_a_row(listed):
    JudgmentList.objects.update(evidence="required", evidence_grades=[3.0])
    listed.reload()
    row = listed.locator(".is-current")
    pair = int(row.get_attribute("data-pair"))
    title = row.locator(".doc-title").inner_text()

    listed.keyboard.press("3")
    expect(row.locator("[data-refusal]")).to_contain_text("Mark the passage")
    listed.keyboard.press("e")
    listed.keyboard.press("Space")
    listed.locator("#judge-sentences").get_by_role("button", name="Use sentences").click()
    expect(row.locator("[data-passages] li")).to_have_count(1)
    listed.keyboard.press("3")

    saved(listed)
    judgment = Judgment.objects.get()
    assert judgment.pair_id == pair
    assert title.startswith(judgment.evidence[0]["quote"])


@pytest.mark.parametrize("width", [1280, 320])
def test_no_one_is_shut_out_of_the_list(listed, width):
    listed.set_viewport_size({"width": width, "height": 800})
    for scheme in ("light", "dark"):
        listed.emulate_media(color_scheme=scheme)
        assert serious_violations(listed) == []
    assert listed.evaluate("document.documentElement.scrollWidth") <= width
