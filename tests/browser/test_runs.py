"""The run table in a browser: found, chosen, selected; and the trend."""

import re
import zipfile
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from evaluation.models import Run
from judgments.models import JudgmentList

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def table(sign_in, site):
    """The page, and the address of the table of four runs, of which two are nightly and one is the baseline."""
    judgment_list = JudgmentList.objects.get(name="First pass")
    runs = Run.objects.filter(query_set=judgment_list.query_set)
    runs.filter(name__in=["bm25", "title-trigram"]).update(tags=["nightly"])
    runs.filter(name="bm25").update(is_baseline=True)
    page = sign_in("engineer")
    address = f"{site}/lists/{judgment_list.pk}/runs/"
    page.goto(address)
    return page, address


def rows(page):
    return page.get_by_role("region", name="Runs").locator("tbody tr")


def test_a_filter_is_in_the_address_and_back_takes_it_away(table):
    page, _ = table

    page.get_by_label("Find runs").fill("tri")
    page.get_by_label("Find runs").press("Enter")
    expect(rows(page)).to_have_count(1)
    page.wait_for_url(re.compile(r"[?&]q=tri"))
    page.go_back()
    expect(rows(page)).to_have_count(4)
    page.go_forward()
    expect(rows(page)).to_have_count(1)


def test_columns_are_chosen_in_a_menu(table, check_accessibility):
    page, _ = table
    page.locator("summary").get_by_text("Columns", exact=True).click()
    menu = page.get_by_role("form", name="Columns")
    menu.get_by_label("commit").check()
    menu.get_by_label("local").uncheck()
    check_accessibility()

    menu.get_by_role("button", name="Show these columns").click()

    expect(page.get_by_role("columnheader", name="commit")).to_be_visible()
    expect(page.get_by_role("columnheader", name="local")).to_have_count(0)


def test_selected_runs_are_compared_with_the_baseline(table):
    page, _ = table
    page.get_by_role("checkbox", name="Select title-trigram").check()
    page.get_by_role("checkbox", name="Select postgres-fts").check()

    page.get_by_role("form", name="Selected runs").get_by_role("button", name="Compare").click()

    names = {run.pk: run.name for run in Run.objects.all()}
    page.wait_for_url(re.compile(r"/compare/.*runs="))
    keys = re.search(r"runs=([\d-]+)", page.url)[1].split("-")
    assert [names[int(key)] for key in keys] == ["bm25", "title-trigram", "postgres-fts"]


def test_figures_that_could_not_be_fetched_are_not_taken_for_new_ones(table, check_accessibility):
    page, _ = table
    page.expected_errors = ("htmx:", "Failed to load resource", "503")
    before = rows(page).first.inner_text()
    page.context.set_offline(True)

    page.get_by_label("Formula", exact=True).select_option(label="Quepid nDCG@10 (since 8.1)")

    notice = page.get_by_role("alert").filter(has_text="Not updated")
    expect(notice).to_be_visible()
    check_accessibility()
    assert rows(page).first.inner_text() == before
    page.context.set_offline(False)
    notice.get_by_role("button", name="Try again").click()
    expect(notice).to_have_count(0)
    expect(rows(page).first).not_to_have_text(before)
    page.route("**/runs/**", lambda route: route.fulfill(status=503, body="busy"))
    page.get_by_label("Formula", exact=True).select_option(label="trec_eval ndcg_cut")
    expect(notice).to_contain_text("503")


def test_the_trend_is_a_picture_with_links_and_fits_a_phone(table, check_accessibility):
    page, address = table
    page.get_by_role("navigation", name="Judgment list").get_by_role("link", name="Trend").click()
    page.get_by_label("Runs tagged").select_option("nightly")
    page.wait_for_url(re.compile("tag=nightly"))
    expect(page.locator(".trend-dot")).to_have_count(2)
    check_accessibility()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".phone-fold > summary").click()
    page.locator("summary", has_text="Views").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_values_come_before_the_choice_of_a_formula(table):
    page, address = table
    first = rows(page).first.get_by_role("rowheader").get_by_role("link").get_attribute("href")
    page.set_viewport_size({"width": 390, "height": 844})

    one, other = Run.objects.filter(name__in=["bm25", "title-trigram"]).values_list("pk", flat=True)
    by_query = f"../compare/queries/?runs={one}-{other}"

    for link, answer in (
        (first, ".tiles"),
        ("trend/", ".trend-dot"),
        (by_query, ".compared-chart canvas, .compared-chart svg"),
    ):
        page.goto(urljoin(address, link))
        formula = page.get_by_role("form", name="Choice of formula")
        expect(formula).to_be_hidden()
        box = page.locator(answer).first.bounding_box()
        assert box["y"] + box["height"] <= 844
        page.locator(".phone-fold > summary").first.click()
        expect(formula).to_be_visible()
        formula.get_by_role("link", name="@5", exact=True).click()
        page.wait_for_url(re.compile("k=5"))


def test_on_a_phone_the_first_rows_are_on_the_first_screen(table, check_accessibility):
    page, address = table
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)

    box = rows(page).nth(3).bounding_box()
    assert box["y"] + box["height"] <= 844
    expect(page.get_by_label("Find runs")).to_be_hidden()
    page.locator(".phone-fold > summary").click()
    expect(page.get_by_label("Find runs")).to_be_visible()
    check_accessibility()


def test_a_run_is_taken_out_from_its_page_and_selected_ones_as_an_archive(table, check_accessibility):
    page, address = table
    rows(page).get_by_role("link", name="bm25", exact=True).click()
    page.get_by_role("link", name="Export run").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Export run “bm25”")
    check_accessibility()

    with page.expect_download() as one:
        page.get_by_role("link", name="Download TREC run").click()
    lines = Path(one.value.path()).read_text().splitlines()

    run = Run.objects.get(name="bm25")
    assert (one.value.suggested_filename, len(lines)) == ("bm25.trec", run.row_count)
    assert all(line.endswith(" bm25") for line in lines)

    page.goto(address)
    page.get_by_role("checkbox", name="Select bm25").check()
    page.get_by_role("checkbox", name="Select postgres-fts").check()
    page.get_by_role("form", name="Selected runs").get_by_role("button", name="Export…").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Export 2 runs")
    with page.expect_download() as both:
        page.get_by_role("link", name="Download JSON").click()
    assert sorted(zipfile.ZipFile(both.value.path()).namelist()) == ["bm25.json", "postgres-fts.json"]
