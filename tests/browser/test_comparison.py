"""From two runs to why one query is lost, in the browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from evaluation.models import Run
from judgments.models import JudgmentList, Query, QuerySet
from tests.sweeps import SHARES, draw_addresses

QUERIES = "#queries tbody th a"


@pytest.fixture
def comparison(site) -> tuple[str, str]:
    """The address of comparisons in the example, and what it says of two runs."""
    judgment_list = JudgmentList.objects.get(name="First pass")
    runs = [Run.objects.get(name=name).pk for name in ("bm25", "postgres-fts")]
    return f"{site}/lists/{judgment_list.pk}/compare/", f"runs={runs[0]}-{runs[1]}"


def table_of(page: Page) -> list[str]:
    expect(page.locator(QUERIES).first).to_be_visible()
    return page.locator(QUERIES).all_inner_texts()


def test_two_runs_are_chosen_compared_and_followed_to_the_worst_query(
    sign_in, comparison, check_accessibility
):
    page = sign_in("engineer")
    page.goto(comparison[0])
    for run in ("keyword-popularity", "title-trigram"):
        page.get_by_role("checkbox", name=run).uncheck()
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url(re.compile(re.escape(comparison[1])))

    page.get_by_role("link", name=re.compile("^[0-9]+ of [0-9]+ queries")).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("postgres-fts beside bm25, query by query")
    expect(page.locator(".chart svg")).to_have_count(2)
    worst = table_of(page)
    check_accessibility()

    page.get_by_role("link", name=worst[0], exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(worst[0])
    moved = page.locator(".beside-run").first.locator(".seen:is(.seen-up, .seen-down, .seen-same)")
    expect(page.locator("[data-lines] path")).to_have_count(moved.count())
    check_accessibility()

    page.get_by_role("link", name="Next query").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(worst[1])
    page.get_by_role("link", name="All queries").click()
    expect(page.locator(QUERIES)).to_have_text(worst)


@pytest.mark.parametrize("kind", ["bars", "scatter"])
def test_the_charts_are_read_and_left_by_keyboard(sign_in, comparison, kind):
    page = sign_in("engineer")
    page.goto(f"{comparison[0]}queries/?{comparison[1]}")
    worst = table_of(page)
    chart = page.locator(f"[data-chart={kind}]")
    said = page.locator("figure").filter(has=chart).get_by_role("status")

    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text(f"{worst[0]}:")
    expect(said).to_contain_text(f"1 of {len(worst)}")
    page.keyboard.press("End")
    expect(said).to_contain_text(f"{worst[-1]}:")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text(f"{worst[1]}:")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text(worst[1])


def test_a_click_on_a_bar_opens_its_query(sign_in, comparison):
    page = sign_in("engineer")
    page.goto(f"{comparison[0]}queries/?{comparison[1]}")
    worst, box = table_of(page)[0], page.locator("[data-chart=bars]").bounding_box()

    page.mouse.click(box["x"] + 66, box["y"] + box["height"] / 2)

    expect(page.get_by_role("heading", level=1)).to_have_text(worst)


def test_formula_run_and_measure_are_chosen_above_the_queries(sign_in, comparison, check_accessibility):
    page = sign_in("engineer")
    third = Run.objects.get(name="title-trigram").pk
    page.goto(f"{comparison[0]}queries/?{comparison[1]}-{third}")

    page.get_by_label("Run beside bm25").select_option("title-trigram")
    page.wait_for_url(re.compile(f"run={third}"))
    page.get_by_label("Compared on").select_option("local")
    page.wait_for_url(re.compile("on=local"))
    page.get_by_role("link", name="@5", exact=True).click()
    page.wait_for_url(re.compile(r"[?&]k=5\b"))

    expect(page.get_by_role("heading", level=1)).to_have_text("title-trigram beside bm25, query by query")
    expect(page.get_by_role("heading", name="Differences, lowest first")).to_be_visible()
    expect(page.locator(".chart svg")).to_have_count(2)
    check_accessibility()

    page.locator(QUERIES).first.click()
    expect(page.locator("[data-rankings]")).to_be_visible()
    choices = page.locator(".compare-what > summary")
    choices.click()
    page.get_by_label("Formula", exact=True).select_option("quepid")
    page.wait_for_url(re.compile("global-uncut"))
    for kept in (f"runs={comparison[1].removeprefix('runs=')}-{third}", f"run={third}", "on=local"):
        assert kept in page.url
    expect(page.get_by_role("row", name=re.compile("global-uncut"))).to_be_visible()
    choices.click()
    page.get_by_label("Run beside bm25").select_option("postgres-fts")
    expect(page.locator(".subtitle")).to_contain_text("postgres-fts beside bm25")
    assert "on=local" in page.url
    check_accessibility()


def test_a_wrong_formula_is_told_on_the_page_of_queries(sign_in, comparison, check_accessibility):
    page = sign_in("engineer")
    page.expected_errors = ("422",)
    page.goto(f"{comparison[0]}queries/?{comparison[1]}")

    page.locator(".formula-more > summary").click()
    page.get_by_label("Further measures").fill("RR@@10")
    page.locator(".formula-more").get_by_role("button", name="Apply").click()
    expect(page.locator("mark")).to_have_text("@")
    check_accessibility()
    page.get_by_role("link", name="use the default formula").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("postgres-fts beside bm25, query by query")


def test_charts_are_saved_as_svg_and_png(sign_in, comparison):
    page = sign_in("engineer")
    page.goto(f"{comparison[0]}queries/?{comparison[1]}")
    begins = {"SVG": b"<svg", "PNG": b"\x89PNG"}

    for name, beginning in begins.items():
        with page.expect_download() as found:
            page.get_by_role("button", name=f"Save the chart of differences as {name}").click()
        assert found.value.suggested_filename == f"postgres-fts beside bm25, bars.{name.lower()}"
        assert found.value.path().read_bytes().startswith(beginning)


def test_charts_follow_the_theme(sign_in, comparison):
    page = sign_in("engineer")
    page.goto(f"{comparison[0]}queries/?{comparison[1]}")
    svg = page.locator("[data-chart=bars] svg")
    expect(svg).to_be_visible()
    light = svg.inner_html()

    page.emulate_media(color_scheme="dark")

    page.wait_for_function(
        "light => document.querySelector('[data-chart=bars] svg').innerHTML !== light", arg=light
    )


def test_without_javascript_the_table_and_the_arrows_stay(browser, sign_in, comparison):
    cookies = sign_in("engineer").context.cookies()
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(f"{comparison[0]}queries/?{comparison[1]}")

    expect(page.locator("[data-compared]")).to_be_hidden()
    page.locator(QUERIES).first.click()

    expect(page.locator(".seen-move").first).to_be_visible()
    context.close()


@SHARES
def test_every_page_is_accessible_and_fits_a_phone(sign_in, site, comparison, check_accessibility, share):
    page = sign_in("engineer")
    query_set = QuerySet.objects.get(name="Outdoor shop")
    third = Run.objects.get(name="title-trigram").pk
    query = query_set.queries.get(external_id="q01").pk
    address, chosen = comparison
    every = (
        address,
        f"{address}?{chosen}-{third}",
        f"{address}?{chosen}&measures=Judged@10&on=Judged@10",
        f"{address}queries/?{chosen}-{third}",
        f"{address}queries/{query}/?{chosen}",
        f"{address}report/?{chosen}-{third}",
        f"{address}settings/?{chosen}",
        f"{address}save/?{chosen}",
        f"{site}/query-sets/{query_set.pk}/comparisons/",
        f"{site}/query-sets/{query_set.pk}/impact/",
        f"{site}/query-sets/{query_set.pk}/impact/?{chosen}-{third}",
    )
    for path in draw_addresses(every, share):
        page.goto(path)
        page.locator("#main details.fold").evaluate_all("folds => folds.forEach(one => { one.open = true; })")
        check_accessibility()
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_function(
            "() => document.documentElement.scrollWidth <= 390"
        )  # once the charts have followed
        page.set_viewport_size({"width": 1280, "height": 860})


def test_a_document_is_marked_in_both_rankings_with_what_it_gained_or_lost(
    sign_in, comparison, check_accessibility
):
    page = sign_in("engineer")
    page.set_viewport_size({"width": 1360, "height": 900})
    runs = [Run.objects.get(name=name).pk for name in ("bm25", "keyword-popularity")]
    query = Query.objects.get(text="winter sleeping bag")
    page.goto(f"{comparison[0]}queries/{query.pk}/?runs={runs[0]}-{runs[1]}")
    left, right = (page.locator(".beside-run").nth(nth) for nth in (0, 1))
    moved = left.locator(".seen:is(.seen-up, .seen-down, .seen-same)").first
    name = moved.get_attribute("data-document")
    facts = page.get_by_role("complementary", name="The document that you point at")

    # The first ten results of both, and what is known of one, are on the first screen.
    for rows in (left.locator(".seen"), right.locator(".seen")):
        box = rows.nth(min(rows.count(), 10) - 1).bounding_box()
        assert box["y"] + box["height"] <= 900 - facts.bounding_box()["height"]
    moved.hover()
    for side in (left, right):
        expect(side.locator(".is-lit")).to_have_attribute("data-document", name)
    expect(page.locator("[data-lines] .is-lit")).to_have_count(1)
    expect(facts).to_contain_text("change of DCG")
    expect(facts).to_contain_text(name)

    other = left.locator(".seen").nth(1)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(other.get_by_role("link").first).to_be_focused()
    expect(other).to_have_class(re.compile("is-lit"))
    expect(facts).to_contain_text(other.get_attribute("data-document"))
    check_accessibility()


def test_without_scripts_each_row_says_what_the_document_gained_or_lost(browser, sign_in, comparison):
    page = sign_in("engineer")
    context = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
    plain = context.new_page()
    plain.goto(f"{comparison[0]}queries/?{comparison[1]}&sort=difference")
    plain.locator("#queries tbody th a").first.click()

    rows = plain.locator(".seen")
    expect(rows.first.get_by_text("change of DCG")).to_be_visible()
    assert rows.get_by_text("change of DCG").count() == rows.count()
    context.close()
