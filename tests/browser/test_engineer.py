"""An engineer's day, in the browser."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from evaluation.models import Run
from judgments.models import JudgmentList, QuerySet
from tests.browser.conftest import SCREENSHOTS

RUN = "".join(
    f"q01 Q0 {document} {rank} {50 - rank} dropped\n"
    for rank, document in enumerate(["lamp-01", "lamp-02"], 1)
)


def drop_file(page: Page, name: str, content: str) -> None:
    """Drops a file on the page's drop zone, as a hand would."""
    transfer = page.evaluate_handle(
        """([name, content]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([content], name, {type: "text/plain"}));
            return transfer;
        }""",
        [name, content],
    )
    for event in ("dragenter", "dragover", "drop"):
        page.dispatch_event(".drop", event, {"dataTransfer": transfer})


@pytest.fixture
def shop(site) -> QuerySet:
    return QuerySet.objects.get(name="Outdoor shop")


def test_a_run_is_uploaded_by_drag_and_drop_and_read_down_to_the_last_figure(
    sign_in_at_home, shop, site, check_accessibility
):
    page = sign_in_at_home("engineer")
    check_accessibility()
    page.goto(f"{site}/query-sets/{shop.pk}/runs/upload/")
    check_accessibility()

    drop_file(page, "dropped.trec", RUN)
    expect(page.locator(".drop-name")).to_contain_text("dropped.trec")
    page.get_by_role("button", name="Upload").click()

    expect(page.get_by_text("is stored").first).to_be_visible()
    run = Run.objects.get(name="dropped")
    check_accessibility()

    judgment_list = JudgmentList.objects.get(name="First pass")
    page.goto(f"{site}/lists/{judgment_list.pk}/runs/")
    row = page.get_by_role("row", name=re.compile("dropped"))
    figures = [cell.inner_text() for cell in row.locator("td.num").all()]
    assert [float(figure) for figure in figures[:4]] == sorted([float(f) for f in figures[:4]], reverse=True)
    check_accessibility()

    row.get_by_role("link", name="dropped").click()
    page.get_by_role("link", name="headlamp rechargeable").click()
    expect(page.locator("tr[data-document]")).to_have_count(2)
    expect(page.locator(".ideal")).to_have_count(4)
    assert page.url.endswith(
        f"/lists/{judgment_list.pk}/runs/{run.pk}/queries/{run.rankings.get().query_id}/"
    )
    check_accessibility()


def test_a_bad_file_is_refused_by_line_and_nothing_is_stored(sign_in, shop, site, check_accessibility):
    page = sign_in("engineer")
    page.expected_errors = ("422",)
    page.goto(f"{site}/query-sets/{shop.pk}/runs/upload/")

    drop_file(page, "bad.trec", "q01 Q0 lamp-01 1 nan bad\nq99 Q0 lamp-02 2 1.0 bad\n")
    page.get_by_role("button", name="Upload").click()

    expect(page.locator(".report").first).to_contain_text("line 1")
    expect(page.locator(".report").first).to_contain_text("q99")
    assert not Run.objects.filter(name="bad").exists()
    check_accessibility()


def test_unknown_queries_can_be_left_out_without_choosing_the_file_again(sign_in, shop, site):
    page = sign_in("engineer")
    page.expected_errors = ("422",)
    page.goto(f"{site}/query-sets/{shop.pk}/runs/upload/")
    drop_file(page, "more.trec", RUN + "q99 Q0 lamp-02 1 1.0 dropped\n")
    page.get_by_role("button", name="Upload").click()
    expect(page.locator(".report").first).to_contain_text("q99")

    page.get_by_role("button", name="Leave out unknown queries and upload").click()

    expect(page.get_by_text("is stored").first).to_be_visible()
    assert Run.objects.get(name="dropped").query_count == 1


def test_the_zoolander_example_shows_its_published_numbers(sign_in, site):
    page = sign_in("engineer")
    judgment_list = JudgmentList.objects.get(name="Five documents")

    page.goto(f"{site}/lists/{judgment_list.pk}/runs/?k=2&discount=reciprocal")

    cells = page.get_by_role("row", name=re.compile("example")).locator("td.num")
    assert [cells.nth(place).inner_text() for place in range(5)] == [
        "0.5714",
        "0.4444",
        "0.4138",
        "0.4000",
        "0.6000",
    ]


def test_the_formula_is_chosen_above_the_table_and_kept_in_the_address(sign_in, site):
    page = sign_in("engineer")
    judgment_list = JudgmentList.objects.get(name="First pass")
    page.goto(f"{site}/lists/{judgment_list.pk}/runs/")

    page.locator(".formula-more > summary").click()
    page.get_by_label("Gain", exact=True).select_option("exp")
    page.locator(".formula-more").get_by_role("button", name="Apply").click()

    page.wait_for_url(re.compile("gain=exp"))
    expect(page.locator(".formula").first).to_contain_text(re.compile("xponential"))


def test_pages_of_runs_fit_a_phone(sign_in, site):
    page = sign_in("engineer")
    page.set_viewport_size({"width": 390, "height": 844})
    judgment_list = JudgmentList.objects.get(name="First pass")
    run = Run.objects.get(name="bm25")
    query = run.query_set.queries.get(external_id="q01")

    for path in (
        "/",
        f"/lists/{judgment_list.pk}/runs/",
        f"/lists/{judgment_list.pk}/runs/{run.pk}/",
        f"/lists/{judgment_list.pk}/runs/{run.pk}/queries/{query.pk}/",
        f"/query-sets/{run.query_set_id}/runs/upload/",
    ):
        page.goto(site + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_the_screenshots_of_the_docs(sign_in, site):
    """Made anew by each run of the tests; `make screenshots` puts them into docs/screenshots."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page = sign_in("engineer")
    judgment_list = JudgmentList.objects.get(name="First pass")
    page.goto(f"{site}/lists/{judgment_list.pk}/runs/")
    page.screenshot(path=SCREENSHOTS / "runs.png")
    baseline, run = (Run.objects.get(name=name).pk for name in ("keyword-popularity", "bm25"))
    page.goto(f"{site}/lists/{judgment_list.pk}/compare/?runs={baseline}-{run}")
    page.locator(".compare-actions").evaluate(
        "one => scrollTo(0, one.getBoundingClientRect().top + scrollY - 16)"
    )
    page.screenshot(path=SCREENSHOTS / "compare.png")
    page.context.clear_cookies()

    sign_in("rater").goto(f"{site}/lists/{judgment_list.pk}/judge/")
    expect(page.locator(".doc-card")).to_be_visible()
    page.locator("#guidelines > summary").click()
    page.screenshot(path=SCREENSHOTS / "judge.png")

    for name in ("runs.png", "compare.png", "judge.png"):
        assert Path(SCREENSHOTS / name).stat().st_size > 20_000
