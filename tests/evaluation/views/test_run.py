"""The page of one run."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import Run
from judgments.formats.problems import Report
from judgments.models import Role
from tests import factories as make
from tests.evaluation.scored import change_grade, make_grades, make_ranking

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    return make.make_list(make.make_query_set(name="Shop"), name="First pass")


@pytest.fixture
def engineer(client, judgment_list):
    user = make.make_member(judgment_list.query_set, Role.ENGINEER)
    client.force_login(user)
    return user


@pytest.fixture
def run(judgment_list):
    """Five queries: perfect, with holes, missing, empty, and without any gain."""
    query_set = judgment_list.query_set
    run = make.make_run(query_set, name="bm25", file_name="bm25.trec", sha256="ab" * 32)
    for name in ("perfect", "holes", "missing", "empty", "hopeless"):
        query = make.make_query(query_set, name, text=f"{name} text")
        make_grades(judgment_list, query, {f"{name}-a": 0 if name == "hopeless" else 3})
        if name != "missing":
            ranking = [] if name == "empty" else [f"{name}-a"]
            make_ranking(run, query, ["X", *ranking] if name == "holes" else ranking)
    return run


def address(judgment_list, run, query=""):
    return reverse("run", args=[judgment_list.pk, run.pk]) + query


def listed(client, judgment_list, run, query=""):
    return [row.external_id for row in client.get(address(judgment_list, run, query)).context["rows"]]


def test_the_summary_names_the_means_the_file_and_the_order(client, engineer, judgment_list, run):
    report = Report()
    report.warn(3, "score", "x", "something else", kind="odd")
    Run.objects.update(report=report.to_json())

    html = client.get(address(judgment_list, run)).content.decode()

    mean = (1 + 1 / 1.584962500721156) / 5
    for text in (
        f"{mean:.4f}",
        "bm25.trec",
        "ab" * 32,
        "then document id",
        "expected something else",
        "1 warning",
        "1 hole; missing counts as 0",
    ):
        assert text in html


def test_the_worst_queries_come_first_and_every_column_sorts(client, engineer, judgment_list, run):
    assert listed(client, judgment_list, run)[-2:] == ["holes", "perfect"]
    assert listed(client, judgment_list, run, "?sort=-global")[:2] == ["perfect", "holes"]
    assert listed(client, judgment_list, run, "?sort=query")[0] == "empty"

    for heading in client.get(address(judgment_list, run)).context["headings"]:
        for sort in (heading.column.key, "-" + heading.column.key):
            assert len(listed(client, judgment_list, run, f"?sort={sort}")) == 5


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?show=missing", ["missing"]),
        ("?show=empty", ["empty"]),
        ("?show=holes", ["holes"]),
        ("?show=zero", ["hopeless"]),
        ("?q=PERF", ["perfect"]),
        ("?q=text&show=holes", ["holes"]),
        ("?q=nothing", []),
    ],
)
def test_queries_are_filtered(client, engineer, judgment_list, run, query, expected):
    assert listed(client, judgment_list, run, query) == expected


@pytest.mark.parametrize("query", ["?show=best", "?k=0", "?q=" + "x" * 300])
def test_a_bad_choice_gives_no_numbers(client, engineer, judgment_list, run, query):
    response = client.get(address(judgment_list, run, query))

    assert response.status_code == 422
    assert "heat-" not in response.content.decode()
    assert 'role="alert"' in response.content.decode() or "errorlist" in response.content.decode()


def test_a_bad_filter_is_not_called_a_bad_formula(client, engineer, judgment_list, run):
    page = client.get(address(judgment_list, run, "?show=evil&k=5")).content.decode()

    assert "because the list cannot be narrowed down like that" in page
    assert "not a formula" not in page
    assert 'href="?k=5">Show all queries' in page


def test_a_query_that_is_missing_says_so(client, engineer, judgment_list, run):
    (row,) = client.get(address(judgment_list, run, "?show=missing")).context["rows"]

    assert (row.state, row.retrieved, row.judged.text) == ("missing", None, "–")
    assert row.losses[2].number == pytest.approx(3)


def test_other_lists_are_one_link_away(client, engineer, judgment_list, run):
    other = make.make_list(judgment_list.query_set, name="Second pass")

    html = client.get(address(judgment_list, run, "?k=5")).content.decode()

    assert address(other, run, "?k=5") in html
    assert b"No grades yet" in client.get(address(other, run)).content


def test_a_changed_grade_shows_on_the_next_view(client, engineer, judgment_list, run):
    client.get(address(judgment_list, run))

    change_grade(judgment_list, judgment_list.query_set.queries.get(external_id="perfect"), "perfect-a", 0)

    assert "perfect" in listed(client, judgment_list, run, "?show=zero")


def test_the_csv_has_every_query_with_every_digit(client, engineer, judgment_list, run):
    query = judgment_list.query_set.queries.get(external_id="holes")
    query.text = "@SUM(A1)"
    query.save()

    response = client.get(address(judgment_list, run, "?format=csv&sort=query"))
    header, *rows = csv.reader(io.StringIO(b"".join(response.streaming_content).decode()))

    assert header[:8] == [
        "list",
        "formula",
        "run",
        "query id",
        "query",
        "nDCG(ideal='local')@10",
        "nDCG(ideal='recall')@10",
        "nDCG@10",
    ]
    by_query = {row[3]: dict(zip(header, row, strict=True)) for row in rows}
    assert len(by_query) == 5
    assert by_query["holes"]["query"] == "'@SUM(A1)"
    assert float(by_query["holes"]["nDCG@10"]) == 1 / 1.584962500721156
    assert float(by_query["holes"]["lost order"]) == pytest.approx(3 - 3 / 1.584962500721156)
    assert by_query["holes"]["Holes@10"] == "1"
    assert by_query["missing"]["retrieved"] == ""
    assert "first-pass_bm25" in response["Content-Disposition"]


def test_only_staff_of_the_query_set_see_it(client, judgment_list, run):
    for user in (
        make.make_member(judgment_list.query_set, Role.RATER),
        make.make_member(make.make_query_set(), Role.ADMIN),
    ):
        client.force_login(user)
        assert client.get(address(judgment_list, run)).status_code == 404


def test_a_run_of_another_query_set_is_not_found(client, judgment_list):
    other = make.make_run(make.make_query_set())
    client.force_login(make.make_user(is_superuser=True))

    assert client.get(address(judgment_list, other)).status_code == 404


def queries_of(client, url):
    client.get(url)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def test_the_number_of_queries_is_small_and_constant(client, engineer, judgment_list, run):
    few = queries_of(client, address(judgment_list, run))
    for _ in range(30):
        query = make.make_query(judgment_list.query_set)
        make_grades(judgment_list, query, {f"{query.external_id}-{place}": 2 for place in range(3)})
        make_ranking(run, query, [f"{query.external_id}-1", "X"])

    assert queries_of(client, address(judgment_list, run)) == few <= 15
