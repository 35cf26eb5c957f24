"""A comparison as one page to print, and as a file."""

import csv
import io
import re

import pytest
from django.urls import reverse

from evaluation.models import Comparison, ComparisonResult
from judgments.lists.actions.versions import freeze_version
from judgments.models import Role
from tests import factories as make
from tests.evaluation.scored import make_ranking, text_of
from tests.evaluation.two_runs import comparison_address, make_two_runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(judgment_list):
    return make_two_runs(judgment_list)


@pytest.fixture
def report(client, judgment_list, runs):
    """An engineer gets the report."""
    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))

    def get(*others, **parameters):
        address = comparison_address(judgment_list, *runs, *others, page="comparison-report", **parameters)
        return client.get(address, follow=True)

    return get


def rows_of(response):
    rows = csv.DictReader(io.StringIO(response.getvalue().decode()))
    assert len(set(rows.fieldnames)) == len(rows.fieldnames)
    return list(rows)


def test_the_page_begins_with_what_to_do_and_ends_with_all_figures(report, judgment_list):
    page = text_of(report())

    assert "<h1>Ship new.</h1>" in page
    for heading in (
        "Verdict",
        "Where the difference comes from",
        "What we don’t know",
        "Appendix",
        "Confidence",
        "Values",
        "Pooling bias",
    ):
        assert heading in page
    assert "Nothing that matters: every document that these runs retrieved is judged." in page
    assert "the first relevant document rose from rank 2 to 1" in page
    assert "<nav" not in page
    assert "DCG@10</code>, compared on <code" in page
    assert "Computed against" in page
    assert "with seed 1 and 100,000 draws" in page


def test_the_html_file_holds_everything_and_loads_nothing(report):
    response = report(format="html")
    page = text_of(response)

    assert response["Content-Disposition"] == 'attachment; filename="first-pass_comparison.html"'
    assert "<h1>Ship new.</h1>" in page
    assert "<style>" in page
    assert "--chart-1" in page
    assert not re.search(r"<link|<script|src=|@import|url\((?!.?#)", page)
    addresses = re.findall('href="([^"]*)"', page)
    assert addresses
    assert all(one.startswith("http://testserver/") for one in addresses)


def test_the_markdown_file_says_the_same(report, judgment_list):
    judgment_list.query_set.queries.update(text="a|b *c*")

    response = report(format="md", version="")
    lines = response.content.decode().splitlines()

    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    assert lines[0] == "### Ship new."
    assert any(
        line.startswith("- ✓ **new is better than old.** +0.3691 on average; wins 20 of 20") for line in lines
    )
    assert any(line.startswith("| new | +0.3691 | ") for line in lines)
    assert any(r"a\|b \*c\*: +0.3691, the first relevant document rose" in line for line in lines)


def test_where_queries_have_traffic_the_report_says_how_much_since_that_orders_them(report, judgment_list):
    """Of 20 queries, one has the weight 6 and the others 1: 6/25 = 24 % of the traffic, and 4 % each."""
    assert "of the traffic" not in text_of(report())
    heaviest = judgment_list.query_set.queries.order_by("-pk").first()
    judgment_list.query_set.queries.filter(pk=heaviest.pk).update(weight=6)

    page, markdown = text_of(report()), report(format="md").content.decode()

    assert "from rank 2 to 1 · 24.0 % of the traffic" in page
    first = markdown.split("**Got better with new**")[1].split("- ")[1]
    assert first.startswith(heaviest.text)
    assert first.strip().endswith("from rank 2 to 1 · 24.0\u00a0% of the traffic")
    assert "from rank 2 to 1 · 4.0\u00a0% of the traffic" in markdown


def test_what_is_not_known_is_said(client, report, judgment_list, runs):
    report()
    third = make.make_run(judgment_list.query_set, name="third")
    for query in judgment_list.query_set.queries.all():
        make_ranking(third, query, ["unknown"])

    page = text_of(client.get(comparison_address(judgment_list, runs[0], third, page="comparison-report")))

    assert "Judge more before you decide on third." in page
    assert "third: 20 results are not judged, and none is." in page
    assert "unknown: no result on its page is judged" in page
    assert "0.6309 → unknown" in page

    fourth = make.make_run(judgment_list.query_set, name="fourth")
    for place, query in enumerate(judgment_list.query_set.queries.order_by("pk")):
        make_ranking(fourth, query, [f"{place}-good", "unknown"])
    page = text_of(client.get(comparison_address(judgment_list, runs[0], fourth, page="comparison-report")))
    assert "fourth: 20 results are not judged (86.1 % of what counts on its pages is)." in page


def test_the_page_has_name_and_notes_of_a_saved_comparison(client, report, judgment_list, runs):
    report()
    save = comparison_address(judgment_list, *runs, page="comparison-save")
    client.post(save, {"name": "New ranker", "notes": "With synonyms."})
    saved = Comparison.objects.get().pk

    page, other = text_of(report(saved=saved)), text_of(report(saved=saved, on="max"))

    assert "New ranker" in page
    assert "With synonyms." in page
    assert "This is not what was saved" not in page
    assert "This is not what was saved" in other


def test_csv_has_a_row_for_each_run_with_all_that_repeats_it(report, judgment_list):
    freeze_version(judgment_list=judgment_list, at=make.NOW)

    baseline, candidate = rows_of(report(format="csv", version=1, measures="RR", on="RR"))

    assert (baseline["run"], candidate["run"], candidate["baseline"]) == ("old", "new", "old")
    assert (baseline["difference"], float(candidate["difference"])) == ("", 0.5)
    assert (candidate["measure"], candidate["formula"], candidate["list version"]) == ("RR", "DCG@10", "1")
    assert candidate["state"] == judgment_list.versions.get().sha256
    assert (candidate["seed"], candidate["draws"]) == ("1", "100000")
    assert (candidate["won"], candidate["tied"], candidate["lost"]) == ("20", "0", "0")
    assert float(candidate["RR"]) == 1
    assert (candidate["changed"], candidate["for the run"], candidate["open"]) == ("20", "20", "0")
    assert (baseline["changed"], baseline["by order"], baseline["weighted difference"]) == ("", "", "")
    assert (float(candidate["overlap"]), float(candidate["median"])) == (1, 0.5)
    assert candidate["steps of"] == "nDCG(ideal='max')@10"  # RR has no steps
    change, order = float(candidate["all steps"]), float(candidate["by order"])
    assert change == pytest.approx(order)
    assert change > 0
    assert (float(candidate["by depth"]), float(candidate["by recall"])) == (0, 0)
    assert float(candidate["coverage"]) == 1


def test_the_address_of_the_comparison_gives_the_same_file(client, report, judgment_list, runs):
    as_report = report(format="csv")

    as_page = client.get(comparison_address(judgment_list, *runs, format="csv"), follow=True)

    assert rows_of(as_page) == rows_of(as_report)


def test_csv_of_equal_runs_has_no_probability_to_be_better(client):
    equal = make.make_list(make.make_query_set(name="Equal"))
    client.force_login(make.make_member(equal.query_set, Role.ENGINEER))
    same = make_two_runs(equal, same=20)

    _, candidate = rows_of(
        client.get(comparison_address(equal, *same, page="comparison-report", format="csv"))
    )

    assert (candidate["tied"], candidate["P(better)"]) == ("20", "")


def test_csv_of_a_run_that_wins_every_query_is_sure_to_be_better(report):
    _, candidate = rows_of(report(format="csv"))

    assert float(candidate["P(better)"]) == 1


def test_csv_of_a_formula_without_bounds_leaves_them_empty(report):
    rows = rows_of(report(format="csv", unjudged="condensed"))

    assert [row["coverage"] for row in rows] == ["", ""]


def test_json_has_all_figures_and_names_queries_by_their_ids(report, judgment_list):
    found = report(format="json").json()

    assert (found["formula"], found["measure"]) == ("DCG@10", "nDCG@10")
    assert [run["name"] for run in found["runs"]] == ["old", "new"]
    assert found["list"]["version"] == "live"
    assert found["seed"] == 1
    assert found["figures"]["comparisons"][0]["outcomes"]["wins"] == 20
    assert not found["on_held_out_queries"]
    assert set(found["figures"]["comparisons"][0]["worst_queries"]) <= set(
        judgment_list.query_set.queries.values_list("external_id", flat=True)
    )
    assert ComparisonResult.objects.count() == 1


def test_what_cannot_be_compared_leads_back_to_the_page(client, report, judgment_list, runs):
    report()
    empty = make.make_list(judgment_list.query_set)

    nothing = client.get(comparison_address(empty, *runs, page="comparison-report"))
    one = client.get(comparison_address(judgment_list, runs[0], page="comparison-report"))
    closed = client.get(comparison_address(judgment_list, *runs, page="comparison-report", confirm=1))

    assert nothing.url == comparison_address(empty, *runs)
    assert one.url.startswith(reverse("comparison", args=[judgment_list.pk]))
    assert closed.url == comparison_address(judgment_list, *runs, confirm=1)
