"""The whole story of a comparison in the browser: from two files to a printed page that others can open."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from judgments.models import ConsensusGrade, JudgmentList
from tests.browser.test_engineer import drop_file

LOST = "q01"
A4_ACROSS = 1032  # CSS pixels of the long side of A4, without the margins of `report.css`


@pytest.fixture
def judgment_list(site) -> JudgmentList:
    return JudgmentList.objects.get(name="First pass")


@pytest.fixture
def judged(judgment_list) -> dict[str, list[str]]:
    """The graded documents of each query, the best first; queries whose grades are all the same are left out."""
    grades: dict[str, list[tuple[float, str]]] = {}
    rows = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False)
    for query, document, value in rows.values_list("query__external_id", "document__external_id", "value"):
        grades.setdefault(query, []).append((-(value or 0.0), document))
    return {
        query: [document for _, document in sorted(found)]
        for query, found in grades.items()
        if len({value for value, _ in found}) > 1
    }


def as_trec(rankings: dict[str, list[str]], run: str) -> str:
    return "".join(
        f"{query} Q0 {document} {rank} {1000 - rank} {run}\n"
        for query, documents in rankings.items()
        for rank, document in enumerate(documents, 1)
    )


@pytest.fixture
def files(judged) -> dict[str, str]:
    """“after” puts the best document first where “before” has the worst, except for one query: there it is the other way
    round, and “after” never finds the best document."""
    best_first, worst_first = judged, {query: [*found[-1:], *found[:-1]] for query, found in judged.items()}
    return {
        "before": as_trec(worst_first | {LOST: judged[LOST]}, "before"),
        "after": as_trec(best_first | {LOST: worst_first[LOST][:1] + judged[LOST][1:-1]}, "after"),
    }


def title_of(judgment_list: JudgmentList, document: str) -> str:
    return judgment_list.query_set.documents.get(external_id=document).title


def upload(page: Page, name: str, content: str) -> None:
    drop_file(page, f"{name}.trec", content)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("is stored").first).to_be_visible()


def compare(page: Page, address: str) -> None:
    """Chooses “before” as the baseline of “after” on the page of comparisons."""
    page.goto(address)
    for box in page.get_by_role("checkbox").all():
        box.uncheck()
    for run in ("before", "after"):
        page.get_by_role("checkbox", name=run, exact=True).check()
    page.get_by_role("radio", name="before is the baseline").check()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url(re.compile(r"runs=\d+-\d+"))


def verdict_of(page: Page) -> str:
    return page.locator(".verdict").inner_text()


@pytest.fixture
def compared(sign_in, site, judgment_list, files):
    """An engineer has uploaded both files and compares them."""
    page = sign_in("engineer")
    for name, content in files.items():
        page.goto(f"{site}/query-sets/{judgment_list.query_set_id}/runs/upload/")
        upload(page, name, content)
    compare(page, f"{site}/lists/{judgment_list.pk}/compare/")
    return page


def test_the_worst_query_is_found_opened_and_explained(compared, judgment_list, judged):
    page, best, worst = compared, judged[LOST][0], judged[LOST][-1]
    lost = judgment_list.query_set.queries.get(external_id=LOST).text
    expect(page.locator(".verdict")).to_contain_text("after is better than before.")
    expect(page.locator(".verdict")).to_contain_text("wins")

    page.get_by_role("link", name="All queries of after, worst first").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("after beside before, query by query")
    first = page.locator("#queries tbody tr").first
    expect(first).to_contain_text(lost)
    expect(first.locator(".delta-down")).to_have_count(1)
    first.get_by_role("link", name=lost).click()

    expect(page.get_by_role("heading", level=1)).to_have_text(lost)
    expect(page.locator(".compared-sum")).to_contain_text("Decided for the baseline")
    before, after = (page.get_by_role("region", name=f"Ranking of {run}") for run in ("before", "after"))
    expect(before.locator(".seen").first).to_contain_text(title_of(judgment_list, best))
    expect(before.locator(".seen").first).to_contain_text("lost")
    expect(after.locator(".seen").first).to_contain_text(title_of(judgment_list, worst))
    why = page.get_by_role("region", name="Losses of after")
    expect(why).to_contain_text(f"The best single swap: rank 1 ({title_of(judgment_list, worst)[:50]}")
    expect(why).to_contain_text("Good judged documents that were never retrieved:")
    expect(why).to_contain_text(title_of(judgment_list, best)[:50])


@pytest.mark.sampled
def test_a_comparison_is_saved_opened_again_and_printed(compared, site, judgment_list):
    page = compared
    said = verdict_of(page)

    page.get_by_role("link", name="Save comparison").click()
    page.get_by_label("Name", exact=True).fill("Best document first")
    page.get_by_label("Notes").fill("Loses one query.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#messages")).to_contain_text("Best document first")

    page.goto(f"{site}/query-sets/{judgment_list.query_set_id}/comparisons/")
    page.get_by_role("link", name="Best document first", exact=True).click()
    expect(page.get_by_role("region", name=re.compile("^Best document first"))).to_contain_text(
        "Loses one query."
    )
    assert verdict_of(page) == said

    page.get_by_role("link", name="Report", exact=True).click()
    expect(page.locator(".report-name")).to_have_text("Best document first")
    page.wait_for_load_state("load")  # the style sheet of the report, too
    page.emulate_media(media="print")
    page.set_viewport_size({"width": A4_ACROSS, "height": 720})

    expect(page.get_by_role("navigation")).to_have_count(0)
    expect(page.get_by_role("link", name="Back", exact=True)).to_be_hidden()
    expect(page.get_by_role("table", name="The runs beside the baseline")).to_be_visible()
    cut = page.locator(".table-region").evaluate_all(
        "regions => regions.filter(one => one.scrollWidth > one.clientWidth).map(one => one.getAttribute('aria-label'))"
    )
    assert cut == []
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


@pytest.mark.sampled
def test_the_link_of_a_saved_comparison_is_shared(compared, browser: Browser, site, judgment_list):
    said = verdict_of(compared)
    compared.get_by_role("link", name="Save comparison").click()
    compared.get_by_label("Name", exact=True).fill("To be shared")
    compared.get_by_role("button", name="Save").click()
    link = f"{site}/comparisons/{judgment_list.comparisons.get(name='To be shared').pk}/"

    for username, status in (("admin", 200), ("rater", 404)):
        with browser.new_context() as context:
            page = context.new_page()
            page.goto(link)
            page.locator(f"button[name=username][value={username}]").click()
            page.wait_for_url(lambda url: "/accounts/" not in url)
            answer = page.goto(link)

            assert answer is not None
            assert (username, answer.status) == (username, status)
            if status == 200:
                assert verdict_of(page) == said
