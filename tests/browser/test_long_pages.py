"""Long pages stay short on a phone: parts are folded, found by words, and all there on paper."""

import re

import pytest
from playwright.sync_api import expect

from evaluation.models import Run
from judgments.models import JudgmentList

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


def height(page) -> int:
    return int(page.evaluate("document.documentElement.scrollHeight"))


@pytest.fixture
def compared(site) -> str:
    """The address of the comparison of all runs of the example."""
    judgment_list = JudgmentList.objects.get(name="First pass")
    names = ("bm25", "keyword-popularity", "postgres-fts", "title-trigram")
    runs = "-".join(str(Run.objects.get(name=name).pk) for name in names)
    return f"{site}/lists/{judgment_list.pk}/compare/{{}}?runs={runs}"


def test_the_glossary_shows_its_chapters_on_a_phone_and_all_words_on_a_desktop(
    page, site, check_accessibility
):
    page.set_viewport_size(PHONE)
    page.goto(f"{site}/glossary/")
    word = page.locator("#ndcg-local dt")

    expect(word).to_be_hidden()
    assert height(page) < 2 * PHONE["height"]
    check_accessibility()

    page.locator("#scores-words summary").click()
    expect(word).to_be_visible()
    check_accessibility()

    page.set_viewport_size(DESKTOP)
    page.reload()
    expect(word).to_be_visible()
    expect(page.locator("#scores-words summary")).to_be_hidden()


def test_the_index_of_the_glossary_jumps_to_a_word_and_its_first_screen_has_them_all(page, site):
    page.set_viewport_size(DESKTOP)
    page.goto(f"{site}/glossary/")
    index = page.get_by_role("navigation", name="All words")
    word = page.locator("#minimum-detectable-difference")

    assert index.bounding_box()["y"] + index.bounding_box()["height"] < DESKTOP["height"]
    assert index.locator("li").count() == page.locator(".words dt").count()
    expect(word).not_to_be_in_viewport()
    index.get_by_role("link", name="minimum detectable difference", exact=True).click()
    expect(word).to_be_in_viewport()


def test_the_address_of_a_word_opens_its_chapter(page, site):
    page.set_viewport_size(PHONE)

    page.goto(f"{site}/glossary/#ndcg-local")

    expect(page.locator("#ndcg-local dt")).to_be_in_viewport()


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_word_of_the_glossary_is_found_while_typing(page, site, size):
    page.set_viewport_size(size)
    page.goto(f"{site}/glossary/")

    page.get_by_role("searchbox", name="Find a word").press_sequentially("krippen")

    expect(page.locator(".words dt").first).to_have_text(
        "agreement"
    )  # what it says names Krippendorff’s alpha
    expect(page.locator(".words dt").first).to_be_visible()
    expect(page.locator("#content-words")).to_have_count(0)
    expect(page).to_have_url(re.compile("q=krippen"))

    page.get_by_role("searchbox").fill("no such word")
    expect(page.get_by_text("No matching words")).to_be_visible()


def test_a_comparison_folds_its_segments_on_a_phone(sign_in, compared, check_accessibility):
    page = sign_in("engineer")
    page.set_viewport_size(PHONE)
    page.goto(compared.format(""))
    segment = page.locator(".segment-plots .forest-row").first

    expect(segment).to_be_hidden()
    page.get_by_text("By tag and by traffic").click()
    expect(segment).to_be_visible()
    name, plot = segment.locator(".forest-name").bounding_box(), segment.locator("svg").bounding_box()
    assert abs(name["y"] - plot["y"]) < name["height"]  # in one line
    check_accessibility()

    page.set_viewport_size(DESKTOP)
    page.reload()
    expect(segment).to_be_visible()


def test_a_report_is_short_on_a_phone_and_whole_on_paper(sign_in, compared, check_accessibility):
    page = sign_in("engineer")
    page.set_viewport_size(PHONE)
    page.goto(compared.format("report/"))
    results, confidence = page.locator(".first-results").first, page.get_by_role("heading", name="Confidence")

    expect(results).to_be_hidden()
    expect(confidence).to_be_hidden()
    assert height(page) < 7 * PHONE["height"]
    check_accessibility()

    page.get_by_text("Method, formula and every figure").click()
    expect(confidence).to_be_visible()
    page.reload()

    page.emulate_media(media="print")
    expect(results).to_be_visible()
    expect(confidence).to_be_visible()

    page.emulate_media(media="screen")
    page.set_viewport_size(DESKTOP)
    expect(results).to_be_visible()
    expect(confidence).to_be_hidden()


def test_paper_has_what_is_folded_on_the_screen_but_no_forms(sign_in, site):
    page = sign_in("engineer")
    judgment_list, run = JudgmentList.objects.get(name="First pass"), Run.objects.get(name="bm25")
    query = judgment_list.query_set.queries.get(external_id="q01")
    page.goto(f"{site}/lists/{judgment_list.pk}/runs/{run.pk}/queries/{query.pk}/")
    folded = page.locator(".ideals")
    expect(folded).to_be_hidden()

    page.emulate_media(media="print")

    expect(folded).to_be_visible()
    page.goto(f"{site}/lists/{judgment_list.pk}/compare/")
    expect(page.get_by_text("Choose the runs")).to_be_hidden()


def test_no_table_is_cut_off_on_paper(sign_in, site):
    page = sign_in("engineer")
    judgment_list = JudgmentList.objects.get(name="First pass")
    page.set_viewport_size({"width": 1032, "height": 700})  # A4 across
    page.emulate_media(media="print")

    page.goto(f"{site}/lists/{judgment_list.pk}/agreement/")

    cut_off = page.locator(".table-region").evaluate_all(
        """regions => regions.filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
            .map((one) => one.getAttribute("aria-label"))"""
    )
    assert cut_off == []


@pytest.mark.parametrize(
    ("part", "landscape"), [("raters/", True), ("agreement/", True), ("disagreements/", False)]
)
def test_a_table_of_many_columns_is_printed_in_landscape(sign_in, site, part, landscape):
    page = sign_in("admin")
    page.goto(f"{site}/lists/{JudgmentList.objects.get(name='First pass').pk}/{part}")

    pdf = page.pdf(prefer_css_page_size=True).decode("latin-1")

    sizes = re.findall(r"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert {float(width) > float(tall) for width, tall in sizes} == {landscape}
