"""The rating screen by touch, enlarged, in every state, and as a screen reader meets it."""

import pytest
from playwright.sync_api import expect

from judgments.models import Document, Judgment, JudgmentList
from tests import factories as make
from tests.browser.accessibility import axe_findings
from tests.browser.judging.pages import by_key, of_screen, open_screen, ready, saved, say, step
from tests.browser.windows import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_by_touch_on_a_phone(windows, live_server, judgment_list, rater):
    phone = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
    with open_screen(windows, live_server, judgment_list, rater, **phone) as page:
        page.locator("[data-key='2']").tap()
        expect(step(page)).to_contain_text("document 2")
        page.get_by_role("button", name="Cannot judge").tap()
        page.get_by_role("button", name="Offensive").tap()
        expect(step(page)).to_contain_text("document 3")
        page.get_by_role("link", name="Previous judgment").tap()
        expect(step(page)).to_contain_text("judged before")
        saved(page)
        small = page.evaluate(
            "[...document.querySelectorAll('.grade-panel button, .grade-panel summary, .judge-foot button, .judge-foot a')]"
            ".filter(one => one.getClientRects().length && one.getBoundingClientRect().height < 47.5)"
            ".map(one => one.outerHTML.slice(0, 120))"
        )

    assert small == []
    assert set(Judgment.objects.values_list("method", "device")) == {("touch", "touch")}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_at_400_percent_nothing_is_cut_off_or_covered(windows, live_server, judgment_list, rater, scheme):
    JudgmentList.objects.update(evidence="optional", confidence=True)
    options = {"viewport": {"width": 320, "height": 256}, "color_scheme": scheme}
    with open_screen(windows, live_server, judgment_list, rater, **options) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        positions = page.evaluate(
            "[...document.querySelectorAll('.query-bar, .grade-panel, .judge-foot')].map(one => getComputedStyle(one).position)"
        )
        assert set(positions) == {"static"}
        by_key(page, "3")
        saved(page)
        assert axe_findings(page) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_ring_of_a_focused_grade_is_not_cut_off(windows, live_server, judgment_list, rater, width):
    options = {"viewport": {"width": width, "height": 860}}
    with open_screen(windows, live_server, judgment_list, rater, **options) as page:
        room = page.evaluate(
            """() => {
                const panel = document.querySelector('.grade-panel');
                const [grade, around] = [panel.querySelector('.grade-button'), panel].map(one => one.getBoundingClientRect());
                return Math.min(grade.left - around.left, around.left + panel.clientWidth - grade.right);
            }"""
        )

    assert room >= 4  # the ring is 2 px wide, and 2 px away


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_states_and_dialogs_shut_no_one_out(windows, live_server, judgment_list, rater, scheme, width):
    JudgmentList.objects.update(evidence="required", evidence_grades=[3.0], confidence=True)
    window = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    with open_screen(windows, live_server, judgment_list, rater, **window) as page:
        page.keyboard.press("3")
        violations = axe_findings(page)
        page.keyboard.press("e")
        violations += axe_findings(page)
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        violations += axe_findings(page)
        page.keyboard.press("Escape")
        page.route("**/judge/answer/", lambda route: route.fulfill(status=500, body="no"))
        page.keyboard.press("1")
        expect(page.locator("[data-notice=state]")).to_be_visible()
        violations += axe_findings(page)
        page.context.clear_cookies()
        page.unroute("**/judge/answer/")
        page.evaluate(of_screen("screen.sender.drain()"))
        page.wait_for_timeout(300)
        violations += axe_findings(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    assert violations == []


def test_the_grades_are_in_sight_at_200_percent_and_on_phones(screen):
    """Sizes in CSS pixels: a laptop at 200 %, phones upright and on their side, a low window."""
    for width, height in [
        (640, 400),
        (640, 360),
        (844, 390),
        (568, 320),
        (667, 300),
        (320, 454),
        (390, 664),
        (1280, 450),
    ]:
        screen.set_viewport_size({"width": width, "height": height})
        outside = screen.evaluate(
            "[...document.querySelectorAll('.grade-button')].map((one) => one.getBoundingClientRect())"
            ".filter((box) => box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth)"
            ".length"
        )
        panel = screen.locator(".grade-panel").bounding_box()

        assert outside == 0, (width, height)
        assert width > 800 or panel["height"] < 0.5 * height, (width, height, panel)


TWO_LINES = 50
"""Pixels of a title. Some documents have longer ones, and which comes first isn't always the same."""


def test_the_title_of_the_document_is_in_sight_beside_the_grades_at_200_percent(screen):
    screen.set_viewport_size({"width": 640, "height": 400})
    screen.locator("#guidelines").evaluate_all("folds => folds.forEach(one => { one.open = false; })")
    title, panel = (screen.locator(one).bounding_box() for one in (".doc-title", ".grade-panel"))

    assert title["y"] + min(title["height"], TWO_LINES) <= panel["y"]


def test_names_roles_and_the_live_region(screen):
    expect(screen.get_by_role("group", name="How well does it answer the query?")).to_be_visible()
    expect(screen.get_by_role("button", name="3 Exact Relevant")).to_have_attribute("aria-keyshortcuts", "3")
    expect(say(screen)).to_have_attribute("aria-live", "polite")
    by_key(screen, "3")
    expect(say(screen)).to_have_text("Exact saved. Document 2 of 6.")
    assert screen.evaluate("document.activeElement.className") == "query-bar"
    screen.keyboard.press("ArrowLeft")
    expect(say(screen)).to_have_text("You judged this: Exact.")
    assert screen.get_by_role("heading", level=1).count() == 1


def test_after_later_the_ear_and_the_eye_get_the_same_number(screen):
    screen.keyboard.press("s")
    expect(say(screen)).to_contain_text("Document 1 of 6.")
    expect(screen.locator("[data-step]")).to_contain_text("document 1 of 6")
    screen.keyboard.press("u")
    expect(say(screen)).to_contain_text("Document 1 of 6.")
    expect(screen.locator("[data-step]")).to_contain_text("document 1 of 6")


def test_the_slider_moves_by_steps_and_long_numbers_stay(screen, judgment_list):
    judgment_list.scale = make.preset("Continuous 0–1")
    judgment_list.save()
    screen.reload()
    ready(screen)
    box = screen.locator("[data-number]")

    screen.keyboard.press("ArrowUp")
    expect(box).to_have_value("0")
    for key in ("PageUp", "ArrowUp", "ArrowUp", "ArrowDown", "PageUp", "PageUp"):
        screen.keyboard.press(key)
    expect(box).to_have_value("0.31")
    screen.keyboard.press("Enter")
    expect(step(screen)).to_contain_text("document 2")
    screen.keyboard.type("0.1234567890123")
    screen.keyboard.press("Enter")
    expect(step(screen)).to_contain_text("document 3")
    saved(screen)
    assert list(Judgment.objects.order_by("id").values_list("value", flat=True)) == [0.31, 0.1234567890123]
    screen.keyboard.press("ArrowLeft")
    expect(box).to_have_value("0.1234567890123")


def test_a_grade_out_of_range_stays_in_the_box_with_the_reason(screen, judgment_list):
    judgment_list.scale = make.preset("Slider 0–100")
    judgment_list.save()
    screen.reload()
    ready(screen)

    screen.keyboard.type("101")
    screen.keyboard.press("Enter")

    expect(screen.locator("[data-refusal]")).to_be_visible()
    expect(screen.locator("[data-number]")).to_have_value("101")
    assert not Judgment.objects.exists()


def test_the_rest_of_a_very_long_text_comes_into_the_card(screen):
    Document.objects.update(body="A very long text. " * 20_000)
    screen.reload()
    ready(screen)

    screen.keyboard.press("f")
    screen.get_by_role("link", name="The whole text").click()
    expect(screen.get_by_text("Part 1")).to_be_visible()
    screen.get_by_role("link", name="Next part").click()

    expect(screen.get_by_text("Part 2")).to_be_visible()


def test_a_missing_document_offers_the_reason_first(screen):
    Document.objects.update(title="", body="", url="", fields={})
    screen.reload()
    ready(screen)

    screen.get_by_role("button", name="Cannot judge: the document is missing").click()

    expect(step(screen)).to_contain_text("document 2")
    saved(screen)
    assert Judgment.objects.get().reason == "document_missing"


def test_right_to_left_texts_run_so(screen):
    Document.objects.update(title="שלום עולם", body="مرحبا")
    screen.reload()

    for selector in (".doc-title", ".doc-body"):
        assert screen.locator(selector).first.evaluate("one => getComputedStyle(one).direction") == "rtl"


def test_without_a_script_evidence_confidence_and_arrows_work(browser, live_server, judgment_list, rater):
    JudgmentList.objects.update(evidence="required", confidence=True)
    with browser.new_context(java_script_enabled=False) as context:
        sign_in(context, live_server.url, rater)
        page = context.new_page()
        page.goto(f"{live_server.url}/lists/{judgment_list.pk}/judge/")
        page.locator("[data-key='3']").click()
        expect(page.get_by_role("alert")).to_contain_text("needs evidence")
        page.get_by_role("textbox", name="Passages that decided").fill("some words")
        page.get_by_label("Sure", exact=False).last.check()
        page.locator("[data-key='3']").click()
        expect(step(page)).to_contain_text("document 2")
        page.get_by_role("link", name="Previous judgment").click()
        expect(page.locator("[data-key='3']")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_role("textbox", name="Passages that decided")).to_have_value("some words")

    assert Judgment.objects.get().confidence == 3
