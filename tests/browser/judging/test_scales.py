"""Every kind of scale, judged by keyboard alone, and practice from its first document to real work."""

import pytest
from playwright.sync_api import expect

from judgments.models import Judgment, JudgmentList, Level, Scale
from tests import factories as make
from tests.browser.accessibility import axe_findings
from tests.browser.judging.pages import by_key, open_screen, saved, say, step, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def kinds(query_set):
    """A nominal scale whose keys are letters and no grade's value."""
    scale = Scale.objects.create(query_set=query_set, name="Kinds", level=Level.NOMINAL, minimum=1, maximum=3)
    for value, label, key in ((1, "Product", "p"), (2, "Guide", "d"), (3, "Shop", "h")):
        scale.grades.create(value=value, label=label, gain=0, key=key)
    return scale


@pytest.mark.parametrize(
    ("scale", "keys", "value"),
    [
        (kinds, ["d"], 2),
        ("Binary", ["1"], 1),
        ("TREC 0–3", ["3"], 3),
        ("Continuous 0–1", ["0", ".", "2", "5", "Enter"], 0.25),
        ("Continuous 0–1", ["ArrowUp", "PageUp", "Enter"], 0.1),
        ("Slider 0–100", ["7", "3", "Enter"], 73),
        ("Slider 0–100", ["ArrowDown", "PageDown", "ArrowDown", "Enter"], 89),
    ],
)
def test_a_scale_is_judged_by_keyboard_and_the_answer_shown_again(
    windows, live_server, judgment_list, rater, scale, keys, value
):
    judgment_list.scale = make.preset(scale) if isinstance(scale, str) else scale(judgment_list.query_set)
    judgment_list.save()
    with open_screen(windows, live_server, judgment_list, rater) as page:
        pair = page.locator("[data-card]").get_attribute("data-pair")
        assert axe_findings(page) == []
        if (slider := page.locator("[data-slider]")).count():
            desktop = page.viewport_size
            page.set_viewport_size({"width": 390, "height": 844})
            assert slider.bounding_box()["width"] > 200, "a finger can set it on a phone"
            page.set_viewport_size(desktop)
        for key in keys:
            page.keyboard.press(key)

        expect(step(page)).to_contain_text("document 2")
        saved(page)
        expect(say(page)).to_contain_text("saved. Document 2 of 6")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("[data-card]")).to_have_attribute("data-pair", pair)
        expect(say(page)).to_contain_text("You judged this: ")
        choice = page.locator("[aria-pressed=true][data-name]").or_(page.locator("[data-number]"))
        assert float(choice.evaluate("one => one.value")) == value

    assert Judgment.objects.get().value == value


def test_practice_from_beginning_to_end(windows, live_server, judgment_list, rater):
    for pair in judgment_list.pairs.order_by("pk")[:2]:
        make.make_gold_pair(pair, 3, also=[2.0], explanation="It is the very thing.")
    JudgmentList.objects.update(onboarding=2)
    with open_screen(windows, live_server, judgment_list, rater) as page:
        notice = page.locator("[data-notice=practice]")
        expect(page.locator(".practice")).to_contain_text("The right answer is shown after yours.")
        page.keyboard.press("0")
        expect(notice).to_contain_text("Practice: the right answer is Exact")
        expect(notice).to_contain_text("Substitute would count as right, too. It is the very thing.")
        expect(say(page)).to_contain_text("the right answer is Exact")
        expect(page.get_by_text("You can’t change an answer given in practice.")).to_be_visible()
        page.keyboard.press("Enter")

        expect(notice).to_have_count(0)
        wait_until(page, "!screen.guarded()")
        page.keyboard.press("2")
        expect(notice).to_contain_text("Practice: right")
        page.keyboard.press("Enter")

        expect(page.locator(".practice")).to_have_count(0)
        wait_until(page, "!screen.guarded()")
        by_key(page, "1")
        saved(page)

    assert list(Judgment.objects.order_by("id").values_list("gold", "value")) == [
        ("practice", 0),
        ("practice", 2),
        ("", 1),
    ]
