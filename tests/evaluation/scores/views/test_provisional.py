"""Runs with too few judgments are marked wherever their values stand: in the run table, the trend, and in files."""

import pytest
from django.db.models.expressions import RawSQL
from django.urls import reverse
from hypothesis import given

from evaluation.models import Evaluation, EvaluationTotals, Score
from evaluation.scores.actions.scores import is_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from tests import factories as make
from tests.api import Api
from tests.evaluation.scored import (
    cells_of,
    change_grade,
    evaluate,
    make_best_second,
    make_grades,
    make_ranking,
    text_of,
)
from tests.evaluation.stored import near, store
from tests.snapshot import undone
from tests.touchstone_core.metrics.scenes import formulas, scenes
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db

ALL = 4.543559338088346  # the discounts of ten ranks together, 1/log2(2) to 1/log2(11)
OPEN = 1 - 1 / ALL
"""Of a page whose first document alone is unjudged."""


MARK = 'class="tag tag-provisional"'


@pytest.fixture
def runs(judgment_list):
    """One whose first documents are unjudged, and one of which all is judged."""
    opened, queries = make_best_second(judgment_list)
    whole = make.make_run(judgment_list.query_set, name="whole")
    for query in queries:
        make_ranking(whole, query, [f"{query.external_id}-b"])
    return opened, whole


def page(client, judgment_list, name="run-table", **parameters):
    return client.get(reverse(name, args=[judgment_list.pk]), parameters)


def test_a_run_with_too_few_judgments_is_marked_in_the_table(client, engineer, judgment_list, runs):
    found = page(client, judgment_list, columns="global coverage")

    rows = [row for row in found.context["table"].rows if hasattr(row, "row")]
    marked = {row.row.run: row.row.is_provisional for row in rows}
    assert marked == {runs[0]: True, runs[1]: False}
    assert text_of(found).count(MARK) == 2  # beside the run, and what it means
    shares = {row.row.run: cells_of(row)["coverage"].text for row in rows}
    assert shares == {runs[0]: f"{100 * OPEN:.1f} %", runs[1]: "100.0 %"}


def test_where_enough_is_judged_nothing_is_said(client, engineer, judgment_list, runs):
    runs[0].delete()

    assert MARK not in text_of(page(client, judgment_list))
    assert MARK not in text_of(page(client, judgment_list, "run-trend"))


def test_a_run_of_which_nothing_is_judged_says_just_that(client, engineer, judgment_list):
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"a": 3})
    make_ranking(make.make_run(judgment_list.query_set), query, ["X"])

    assert MARK not in text_of(page(client, judgment_list))


def test_a_run_of_which_nothing_is_judged_is_covered_by_no_share(client, engineer, judgment_list):
    """Its pages have one document each, and the nine empty places below it made 78 % of a page “judged”."""
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"a": 3})
    run = make.make_run(judgment_list.query_set, name="strange")
    make_ranking(run, query, ["X"])

    table = page(client, judgment_list, columns="global coverage")
    of_run = text_of(client.get(reverse("run", args=[judgment_list.pk, run.pk])))
    trend = page(client, judgment_list, "run-trend")
    home = text_of(client.get(reverse("home")))

    (row,) = [row for row in table.context["table"].rows if hasattr(row, "row")]
    assert cells_of(row)["coverage"].text == "nothing judged"
    assert "of the weight of these pages is judged" not in of_run
    assert "nothing judged" in text_of(trend)
    assert "0.0000" not in text_of(trend)
    assert "unknown" not in text_of(page(client, judgment_list, "run-trend", on="judged")).split("<tbody>")[1]
    assert "strange, the newest run, is unknown: no result on its pages is judged." in home
    assert "0.0000" not in home
    assert "78.0 %" not in text_of(trend) + home
    assert page(client, judgment_list, format="json").json()["runs"][0]["coverage"] == pytest.approx(OPEN)


def test_the_trend_says_it_beside_the_dot_and_in_the_table(client, engineer, judgment_list, runs):
    found = page(client, judgment_list, "run-trend")

    said = text_of(found)
    assert said.count('class="trend-provisional"') == 1
    assert said.count(", provisional</title>") == 1
    assert "Hollow in the picture" in said
    points = page(client, judgment_list, "run-trend", format="json").json()["runs"]
    assert {one["run"]: one["coverage"] for one in points} == {
        runs[0].name: pytest.approx(OPEN),
        runs[1].name: 1,
    }


@pytest.mark.parametrize("name", ["home", "query-set"])
def test_home_and_the_overview_mark_it_beside_the_value(client, engineer, judgment_list, runs, name):
    page(client, judgment_list)  # scores

    found = client.get(reverse(name, args=[judgment_list.query_set_id] if name == "query-set" else []))

    assert text_of(found).count(MARK) == 1


def test_a_further_measure_looks_at_other_ranks_and_has_no_coverage(client, engineer, judgment_list, runs):
    found = page(client, judgment_list, "run-trend", measures="AP", on="AP")

    assert MARK not in text_of(found)


def test_a_run_of_which_nothing_is_judged_is_hollow_in_the_trend(client, engineer, judgment_list):
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"a": 3})
    for document in ("a", "X"):
        make_ranking(make.make_run(judgment_list.query_set), query, [document])

    said = text_of(page(client, judgment_list, "run-trend"))

    assert said.count('class="trend-provisional"') == 1
    assert ": unknown</title>" in said


def test_how_many_are_judged_is_not_provisional(client, engineer, judgment_list, runs):
    assert MARK not in text_of(page(client, judgment_list, "run-trend", on="judged"))


def test_programs_read_it_in_every_row(client, engineer, judgment_list, runs):
    of_file = page(client, judgment_list, format="json").json()["runs"]
    of_api = Api(engineer).get(f"lists/{judgment_list.pk}/runs").json()["runs"]

    for rows in (of_file, of_api):
        assert {row["run"]: row["coverage"] for row in rows} == {
            runs[0].name: pytest.approx(OPEN),
            runs[1].name: 1,
        }


def test_a_grade_that_comes_takes_the_mark_away(client, engineer, judgment_list, runs):
    page(client, judgment_list)
    for query in judgment_list.query_set.queries.all():
        make_grades(judgment_list, query, {"X": None})
        change_grade(judgment_list, query, "X", 1)

    assert MARK not in text_of(page(client, judgment_list))
    assert set(Score.objects.values_list("coverage", flat=True)) == {1}


@pytest.mark.parametrize("before", [None, 1.0], ids=["new", "changed"])
def test_what_a_host_of_before_has_scored_gets_its_coverage_when_it_is_seen(
    client, engineer, judgment_list, runs, before
):
    """Such a host knows no coverage: its scores have none, its totals are shorter, and a mean of before stays as it was."""
    page(client, judgment_list)
    first, second = judgment_list.query_set.queries.all()
    Score.objects.filter(query=first).update(coverage=None)
    EvaluationTotals.objects.update(sums=RawSQL("sums[:array_length(sums, 1) - 2]", []))
    Evaluation.objects.filter(run=runs[0]).update(coverage=before)
    kept = Score.objects.filter(evaluation__run=runs[0], query=second)
    where = kept.annotate(at=RawSQL("evaluation_score.ctid::text", [])).values_list("at")
    stood = list(where)

    rows = page(client, judgment_list, format="json").json()["runs"]

    assert {row["run"]: row["coverage"] for row in rows} == {
        runs[0].name: pytest.approx(OPEN),
        runs[1].name: 1,
    }
    assert list(where) == stood  # what has a coverage isn't scored again
    assert is_up_to_date(ScoringRequest(judgment_list, runs, Formula()))


def test_such_a_host_that_scores_a_changed_query_only_is_noticed(client, engineer, judgment_list, runs):
    evaluate(runs[0], judgment_list)
    first, second = judgment_list.query_set.queries.all()
    Score.objects.filter(query=first).update(coverage=None)
    EvaluationTotals.objects.update(sums=RawSQL("sums[:array_length(sums, 1) - 2]", []))

    change_grade(judgment_list, second, f"{second.external_id}-a", 2)

    assert MARK in text_of(page(client, judgment_list))


def test_queries_that_the_mean_leaves_out_cover_nothing(client, engineer, judgment_list, runs):
    """With them the coverage would be 1 − (1 − OPEN) 2 / 12, so that nothing was said of means over two queries."""
    for number in range(10):
        query = make.make_query(judgment_list.query_set, external_id=f"unanswered-{number}")
        make_grades(judgment_list, query, {f"{number}": 3})

    assert evaluate(runs[0], judgment_list).coverage == pytest.approx(1 - (1 - OPEN) * 2 / 12)
    assert evaluate(runs[0], judgment_list, Formula(missing="skip")).coverage == pytest.approx(OPEN)


@given(scenes(), formulas())
@undone()
def test_the_mean_is_one_minus_the_width_of_the_interval_of_ndcg_max(db, scene, formula):
    """The width is that between the NDCG-max with no gain and with the top gain for every unjudged document, rank by rank."""
    judgment_list, run, _ = store(scene, [1.0])
    plain = Formula(cutoff=formula.cutoff, discount=formula.discount, base=formula.base)
    discounts = plain.discounts()
    widths = []
    for name, grades in scene.judgments.items():
        counts = name in scene.rankings or not formula.skips_missing
        if counts and any(grade is not None for grade in grades.values()):
            shown = scene.rankings.get(name, [])[: plain.cutoff]
            unjudged = [grades.get(document) is None for document in shown]
            widths.append(sum(discounts[: len(shown)][unjudged]) / sum(discounts))

    found = evaluate(run, judgment_list, formula).coverage

    assert found == (near(1 - sum(widths) / len(widths)) if widths else None)
