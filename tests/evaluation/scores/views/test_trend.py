"""The trend of runs under a judgment list."""

import csv
import io
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import Run
from judgments.lists.actions.versions import freeze_version
from judgments.models import Act
from tests import factories as make
from tests.evaluation.scored import change_grade, make_all_grades, make_rankings
from tests.html import html_of

pytestmark = pytest.mark.django_db

QUERIES = 16
SECOND = 1 / 1.584962500721156  # the discount of rank 2


def make_runs(judgment_list, queries=QUERIES):
    """Three runs a day apart: the first finds nothing, the second half of the documents at rank 2, the third all at rank 1."""
    query_set = judgment_list.query_set
    runs = [
        make.make_run(query_set, name=f"day {day}", tags=["nightly"], commit=f"c{day}") for day in range(3)
    ]
    for day, run in enumerate(runs):
        Run.objects.filter(pk=run.pk).update(created_at=make.NOW + timedelta(days=day))
    made = make.make_queries(query_set, queries)
    make_all_grades(judgment_list, {query: {"a": 3, "b": 0} for query in made})
    make_rankings(runs[0], {query: ["b"] for query in made})
    make_rankings(runs[1], {query: ["b", "a"] if nth % 2 else ["b"] for nth, query in enumerate(made)})
    make_rankings(runs[2], {query: ["a"] for query in made})
    make.make_run(query_set, name="other", tags=["experiment"])
    return runs


def address(judgment_list, query=""):
    return reverse("run-trend", args=[judgment_list.pk]) + query


def test_runs_with_the_tag_come_in_the_order_of_upload_with_their_means(client, engineer, judgment_list):
    make_runs(judgment_list)

    points = client.get(address(judgment_list, "?tag=nightly")).context["points"]

    assert [point.run.name for point in points] == ["day 0", "day 1", "day 2"]
    assert [point.value for point in points] == pytest.approx([0, SECOND / 2, 1], abs=1e-12)
    assert {point.queries for point in points} == {QUERIES}


def test_the_interval_is_students_over_the_queries_and_stays_within_the_measure(
    client, engineer, judgment_list
):
    """By hand: half the values are 0.6309, half 0, so that s = 0.3155 · √(16/15); t of 15 degrees of freedom is 2.1314."""
    make_runs(judgment_list)

    first, second, third = client.get(address(judgment_list, "?tag=nightly")).context["points"]

    reach = 2.13145 * SECOND / 2 / 15**0.5
    assert (second.low, second.high) == pytest.approx((SECOND / 2 - reach, SECOND / 2 + reach), abs=1e-5)
    assert (first.low, third.high) == (0, 1)


def test_the_spread_of_a_run_is_read_once_until_a_grade_changes(client, engineer, judgment_list):
    make_runs(judgment_list)
    client.get(address(judgment_list, "?tag=nightly"))

    def looked():
        with CaptureQueriesContext(connection) as statements:
            points = client.get(address(judgment_list, "?tag=nightly")).context["points"]
        return [point.interval for point in points], any("STDDEV" in one["sql"] for one in statements)

    first, again = looked(), looked()
    query = judgment_list.query_set.queries.earliest("pk")
    change_grade(judgment_list, query, "b", 3)
    after, _ = looked()

    assert first == again
    assert not again[1]
    assert after != first[0]


def test_too_few_queries_and_other_averages_have_no_interval(client, engineer, judgment_list):
    make_runs(judgment_list, queries=14)

    few = client.get(address(judgment_list, "?tag=nightly"))
    assert not any(point.interval for point in few.context["points"])
    assert "intervals of each mean" not in html_of(few)
    median = client.get(address(judgment_list, "?tag=nightly&average=median")).context["points"]
    assert [point.value for point in median] == pytest.approx([0, SECOND / 2, 1], abs=1e-12)


@pytest.mark.parametrize(
    ("parameters", "last"),
    [
        ("on=max", 3 / (3 * (1 + SECOND))),
        ("on=dcg", 3.0),
        ("on=judged", 1.0),
        ("on=RR&measures=RR", 1.0),
        ("on=P%402~1&measures=RR+P%402~1", 0.5),
    ],
)
def test_any_measure_of_the_page_can_be_drawn(client, engineer, judgment_list, parameters, last):
    make_runs(judgment_list)

    response = client.get(address(judgment_list, f"?tag=nightly&k=2&{parameters}"))

    assert response.context["points"][-1].value == pytest.approx(last, abs=1e-12)


def test_a_measure_that_is_not_on_the_page_means_the_default(client, engineer, judgment_list):
    make_runs(judgment_list)

    response = client.get(address(judgment_list), {"on": "AP"})

    assert response.context["trend_choice"].on == "global"
    assert "is shown:</strong> this link asks for AP, which isn’t among its further measures." in html_of(
        response
    )


@pytest.mark.parametrize("on", ["nothing", "'", "AP P@1"])
def test_what_is_no_measure_is_refused(client, engineer, judgment_list, on):
    make_runs(judgment_list)

    response = client.get(address(judgment_list), {"on": on})

    assert response.status_code == 422
    assert response.context["choice"].errors == {"on": [f"“{on}” isn’t a measure."]}


def test_versions_and_changes_of_the_default_formula_are_marked_between_the_runs(
    client, engineer, judgment_list
):
    make_runs(judgment_list)
    at = freeze_version(judgment_list=judgment_list).frozen_at
    freeze_version(judgment_list=judgment_list, at=at + timedelta(minutes=1))
    for day, run in enumerate(Run.objects.filter(tags=["nightly"]).order_by("name")):
        Run.objects.filter(pk=run.pk).update(created_at=at + timedelta(days=day - 0.5))
    for changed_at, name in ((at + timedelta(days=1), "ours"), (at - timedelta(days=9), "too early")):
        Act.objects.create(
            query_set=judgment_list.query_set,
            at=changed_at,
            verb="changed",
            subject="the default formula",
            after={"default": name},
        )

    response = client.get(address(judgment_list, "?tag=nightly"))

    marks = [(mark.text, mark.place) for mark in response.context["marks"]]
    assert marks == [("Version 1 frozen", 1), ("Version 2 frozen", 1), ("Default formula: ours", 2)]
    # Two changes between the same runs share a line, so their numbers don't lie on each other.
    assert [numbers for _, numbers, _ in response.context["chart"]["marks"]] == ["1–2", "3"]
    assert html_of(response).count("Version 1 frozen") >= 2  # in the picture and below it


def test_a_version_gives_the_values_of_its_grades(client, engineer, judgment_list):
    make_runs(judgment_list)
    freeze_version(judgment_list=judgment_list)
    for query in judgment_list.query_set.queries.all():
        change_grade(judgment_list, query, "a", 0)

    frozen = client.get(address(judgment_list, "?tag=nightly&version=1")).context["points"]
    live = client.get(address(judgment_list, "?tag=nightly")).context["points"]

    assert [point.value for point in frozen] == pytest.approx([0, SECOND / 2, 1], abs=1e-12)
    assert [point.value for point in live] == [0, 0, 0]


def test_picture_table_csv_and_json_have_the_same_numbers(client, engineer, judgment_list):
    make_runs(judgment_list)

    response = client.get(address(judgment_list, "?tag=nightly"))
    sent = client.get(address(judgment_list, "?tag=nightly&format=csv"))
    header, *rows = csv.reader(io.StringIO(b"".join(sent.streaming_content).decode()))
    found = client.get(address(judgment_list, "?tag=nightly&format=json")).json()

    points = response.context["points"]
    html = html_of(response)
    for point, row, record in zip(points, rows, found["runs"], strict=True):
        cells = dict(zip(header, row, strict=True))
        assert (cells["run"], cells["commit"]) == (point.run.name, point.run.commit)
        assert float(cells["value"]) == record["value"] == point.value
        assert float(cells["low"]) == record["low"] == point.low
        assert f"{point.value:.4f} ({point.low:.4f} to {point.high:.4f})" in html
        assert f">{point.value:.4f}</td>" in html
    assert found["measure"] == "NDCG-global@10"


def test_dots_lead_to_their_runs_and_a_line_connects_tagged_runs_only(client, engineer, judgment_list):
    runs = make_runs(judgment_list)

    tagged = html_of(client.get(address(judgment_list, "?tag=nightly&k=5")))
    every = html_of(client.get(address(judgment_list, "?k=5")))

    for run in runs:
        assert f'href="{reverse("run", args=[judgment_list.pk, run.pk])}?k=5" class="trend-dot"' in tagged
    assert tagged.count('class="trend-line"') == len(runs) - 1
    assert "trend-line" not in every
    assert every.count('class="trend-dot"') == 4


def test_one_run_leads_to_the_upload_of_the_next_instead_of_a_picture(client, engineer, judgment_list):
    make_runs(judgment_list)

    page = html_of(client.get(address(judgment_list, "?tag=experiment")))

    assert 'class="trend-dot"' not in page
    assert f'href="{reverse("run-upload", args=[judgment_list.query_set_id])}">Upload a run</a>' in page
    assert "The numbered lines" not in page


def test_more_runs_than_a_picture_holds_come_in_pages_the_newest_first(
    client, engineer, judgment_list, monkeypatch
):
    monkeypatch.setattr("evaluation.scores.views.trend.PER_PAGE", 2)
    make_runs(judgment_list)

    newest = client.get(address(judgment_list, "?tag=nightly")).context["points"]
    older = client.get(address(judgment_list, "?tag=nightly&page=2")).context["points"]

    assert [point.run.name for point in newest] == ["day 1", "day 2"]
    assert [point.run.name for point in older] == ["day 0"]


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        ("?tag=unknown", 200, "No runs have this tag"),
        ("?tag=" + "x" * 61, 422, "isn’t valid"),
        ("?tag=a%00", 422, "isn’t valid"),
        ("?k=0", 422, "0 is too small. Enter 1 or more."),
        ("?page=999&tag=nightly", 200, "day 2"),
    ],
)
def test_bad_parameters_give_a_clear_page(client, engineer, judgment_list, query, status, says):
    make_runs(judgment_list, queries=1)

    response = client.get(address(judgment_list, query))

    assert response.status_code == status
    assert says in html_of(response)


def test_without_grades_and_without_runs_the_page_says_so(client, engineer, judgment_list):
    assert "No runs yet" in html_of(client.get(address(judgment_list)))
    make.make_run(judgment_list.query_set)
    assert "No grades yet" in html_of(client.get(address(judgment_list)))
