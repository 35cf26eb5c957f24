"""The run table of a judgment list."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import Evaluation
from judgments.models import Role
from tests import factories as make
from tests.evaluation.scored import cells_of, change_grade, make_grades, make_ranking, queries_of
from touchstone_core.metrics.formula import IDEALS

pytestmark = pytest.mark.django_db


def address(judgment_list, query=""):
    return reverse("run-table", args=[judgment_list.pk]) + query


def make_scene(judgment_list, runs=2, queries=2):
    query_set = judgment_list.query_set
    asked = [make.make_query(query_set) for _ in range(queries)]
    for query in asked:
        make_grades(judgment_list, query, {f"{query.external_id}-a": 3, f"{query.external_id}-b": 1})
    made = []
    for place in range(runs):
        run = make.make_run(query_set)
        for query in asked:
            make_ranking(run, query, ["X"] * 0 + [f"x{i}" for i in range(place)] + [f"{query.external_id}-a"])
        made.append(run)
    return made, asked


def download(client, url):
    response = client.get(url)
    text = b"".join(response.streaming_content).decode()
    return response, list(csv.reader(io.StringIO(text)))


def test_four_ndcgs_stand_side_by_side(client, engineer, judgment_list):
    (first, second), _ = make_scene(judgment_list)

    html = client.get(address(judgment_list)).content.decode()

    assert first.name in html
    assert second.name in html
    for text in (
        "0.8262",
        "Linear gain",
        "DCG()@10" if "DCG()@10" in html else "DCG@10",
        'aria-sort="descending"',
    ):
        assert text in html


def test_a_grade_that_changes_is_right_on_the_next_view(client, engineer, judgment_list):
    _, (query, _) = make_scene(judgment_list, runs=1)
    assert b"0.8262" in client.get(address(judgment_list)).content

    change_grade(judgment_list, query, f"{query.external_id}-b", 0)
    html = client.get(address(judgment_list)).content.decode()

    assert "0.8262" not in html
    assert f"{(1 + 3 / (3 + 1 / 1.584962500721156)) / 2:.4f}" in html


def test_it_sorts_in_the_database_by_every_column(client, engineer, judgment_list):
    (first, second), _ = make_scene(judgment_list)

    headings = client.get(address(judgment_list)).context["table"].headings
    for column in (each for each in headings if each.sort):
        for sort in (column.column.key, "-" + column.column.key):
            response = client.get(address(judgment_list, f"?sort={sort}"))
            assert response.status_code == 200
            (sorted_by,) = [each for each in response.context["table"].headings if each.direction]
            assert sorted_by.column.key == column.column.key
    turned = client.get(address(judgment_list, "?sort=global"))
    assert [row.row.run for row in turned.context["table"].rows] == [second, first]


def test_only_global_and_max_have_a_best(client, engineer, judgment_list):
    make_scene(judgment_list)

    best, other = map(cells_of, client.get(address(judgment_list)).context["table"].rows)

    assert [best[ideal].best for ideal in IDEALS] == [False, False, True, True]
    assert not any(other[ideal].best for ideal in IDEALS)


def test_the_ladder_sums_to_all_and_is_told_in_words(client, engineer, judgment_list):
    make_scene(judgment_list)

    response = client.get(address(judgment_list))

    for row in response.context["table"].rows:
        ladder = cells_of(row)["shares of the total, %"]
        assert sum(segment.width for segment in ladder) == pytest.approx(100)
    assert b"DCG 22 %" in response.content


def test_defaults_leave_the_url(client, engineer, judgment_list):
    make_scene(judgment_list)

    response = client.get(address(judgment_list, "?k=10&gain=exp&discount=log2&base=3&depth=&sort=run"))

    assert response.status_code == 302
    assert response["Location"] == address(judgment_list, "?sort=run&gain=exp")


def test_the_defaults_that_were_chosen_are_said_by_the_cutoff(client, engineer, judgment_list):
    make_scene(judgment_list)

    response = client.get(address(judgment_list, "?k=10&gain=linear&discount=log2&average=mean&measures="))

    assert response["Location"] == address(judgment_list, "?k=10")
    assert client.get(response["Location"]).status_code == 200


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("?k=0", "0 is too small. Enter 1 or more."),
        ("?k=ten", "whole number"),
        ("?gain=cubic", "“cubic” isn’t one of"),
        ("?discount=jk&base=1", "Use a number above 1"),
        ("?discount=jk&base=nan", "number"),
        ("?depth=5", "Use at least the cutoff"),
        ("?k=99999999999999999999", "is too large. Enter 100,000 or less."),
    ],
)
def test_a_bad_formula_gives_its_message_and_no_numbers(client, engineer, judgment_list, query, message):
    make_scene(judgment_list)

    response = client.get(address(judgment_list, query))

    assert response.status_code == 422
    assert message in response.content.decode()
    assert "heat-" not in response.content.decode()
    assert not Evaluation.objects.exists()


def test_a_continuous_scale_offers_no_table(client, judgment_list):
    scale = judgment_list.scale
    scale = type(scale).objects.create(name="slider", continuous=True, maximum=100)
    other = make.make_list(judgment_list.query_set, scale=scale)
    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))

    assert client.get(address(other, "?gain=table")).status_code == 422
    assert "the scale’s table" in client.get(address(judgment_list, "?gain=table&k=0")).text


def test_runs_without_grades_say_so(client, engineer, judgment_list):
    make.make_run(judgment_list.query_set)

    assert b"No grades yet" in client.get(address(judgment_list)).content


def test_no_runs_lead_to_the_upload(client, engineer, judgment_list):
    response = client.get(address(judgment_list))

    assert b"No runs yet" in response.content
    assert reverse("run-upload", args=[judgment_list.query_set.pk]) in response.content.decode()


def test_the_csv_has_every_run_with_every_digit_under_canonical_names(client, engineer, judgment_list):
    make_scene(judgment_list, runs=3)

    response, (header, *rows) = download(client, address(judgment_list, "?format=csv&gain=exp"))

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert 'filename="first-pass_runs_dcggainexp10.csv"' in response["Content-Disposition"]
    assert header[:6] == [
        "list",
        "formula",
        "run",
        "nDCG(gain='exp', ideal='local')@10",
        "nDCG(gain='exp', ideal='recall')@10",
        "nDCG(gain='exp')@10",
    ]
    assert len(rows) == 3
    best = Evaluation.objects.order_by("-ndcg_global").first()
    assert float(rows[0][5]) == best.ndcg_global


def test_a_run_name_cannot_become_a_formula_in_a_spreadsheet(client, engineer, judgment_list):
    (run,), _ = make_scene(judgment_list, runs=1)
    run.name = '=HYPERLINK("http://example.com")'
    run.save()

    _, (_, row) = download(client, address(judgment_list, "?format=csv"))

    assert row[2] == '\'=HYPERLINK("http://example.com")'


def test_only_staff_of_the_query_set_see_it(client, judgment_list):
    rater = make.make_member(judgment_list.query_set, Role.RATER)
    stranger = make.make_member(make.make_query_set(), Role.ADMIN)

    for user in (rater, stranger):
        client.force_login(user)
        assert client.get(address(judgment_list)).status_code == 404


def test_htmx_gets_the_part_only(client, engineer, judgment_list):
    make_scene(judgment_list)

    response = client.get(address(judgment_list), headers={"HX-Request": "true"})

    assert response.content.decode().strip().startswith('<div id="scored">')
    assert "HX-Request" in response["Vary"]


def test_many_runs_come_in_pages(client, engineer, judgment_list, monkeypatch):
    monkeypatch.setattr("evaluation.scores.views.run_table.PER_PAGE", 3)
    make_scene(judgment_list, runs=4, queries=1)

    page = client.get(address(judgment_list, "?page=2")).context["page"]

    assert len(page.object_list) == 1


def test_the_number_of_queries_is_small_and_constant(client, engineer, judgment_list):
    make_scene(judgment_list)
    few = queries_of(client, address(judgment_list))

    make_scene(judgment_list, runs=28, queries=28)

    assert queries_of(client, address(judgment_list)) == few <= 15


def test_the_first_look_after_a_grade_changed_takes_eight_more_however_many_runs(
    client, engineer, judgment_list
):
    """Whether a worker is at it; in a transaction: the lock, what has changed, grades, hits, and one statement that stores all."""
    _, (query, *_) = make_scene(judgment_list, runs=5, queries=3)
    known = queries_of(client, address(judgment_list))
    change_grade(judgment_list, query, f"{query.external_id}-b", 0)

    with CaptureQueriesContext(connection) as captured:
        client.get(address(judgment_list))

    assert len(captured) == known + 8 <= 21
