"""Stored runs whose scores differ in double precision only: as trec_eval by default, and found by reconcile otherwise."""

from decimal import Decimal

import numpy as np
import pytest
import pytrec_eval
from django.urls import reverse

from evaluation.guide.reports.reconcile import OtherNumber, Reconciliation
from evaluation.models import Evaluation, Ranking
from evaluation.runs.actions.runs import store_run
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.reports.other_orders import judged_runs_of
from judgments.models import Role
from tests import factories as make
from tests.evaluation.scored import make_grades
from tests.touchstone_core.formats.texts import read_run, text_of
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.order import order

pytestmark = pytest.mark.django_db

GRADES = {f"d{number}": number % 4 for number in range(12)}
CLOSE = {
    query: {f"d{number}": 1 + ((number * 7 + place) % 12) * 1e-8 for number in range(12)}
    for place, query in enumerate(("q1", "q2"))
}
RANKS = {document: rank for rank, document in enumerate(sorted(GRADES), 1)}


@pytest.fixture
def judgment_list():
    judgment_list = make.make_list(make.make_query_set())
    for query in CLOSE:
        make_grades(judgment_list, make.make_query(judgment_list.query_set, query), GRADES)
    return judgment_list


def store(judgment_list, by):
    rows = [f"{q} Q0 {d} {RANKS[d]} {s!r} t" for q, scores in CLOSE.items() for d, s in scores.items()]
    parsed = read_run(text_of("\n".join(rows)), order=by)
    run = store_run(query_set=judgment_list.query_set, parsed=parsed, name=by, order=by)
    bring_up_to_date(ScoringRequest(judgment_list, [run], Formula()))
    return run


def in_double():
    """What trec_eval makes of ranks instead of scores."""
    ranked = {}
    for query, scores in CLOSE.items():
        places = order(np.array(list(scores.values())), list(scores), "double")
        ranked[query] = {list(scores)[place]: float(-rank) for rank, place in enumerate(places)}
    return trec_eval(ranked)


def by_rank():
    return trec_eval({query: {d: float(-rank) for d, rank in RANKS.items()} for query in CLOSE})


def trec_eval(run):
    qrels = dict.fromkeys(CLOSE, GRADES)
    evaluated = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"}).evaluate(run)
    return np.mean([evaluated[query]["ndcg_cut_10"] for query in CLOSE])


@pytest.mark.parametrize(
    ("by", "expected", "tied"),
    [("score", lambda: trec_eval(CLOSE), True), ("double", in_double, False), ("rank", by_rank, False)],
)
def test_a_stored_run_is_in_the_order_that_was_chosen(judgment_list, by, expected, tied):
    run = store(judgment_list, by)

    evaluation = Evaluation.objects.get(run=run)
    assert evaluation.ndcg_global == pytest.approx(expected(), abs=1e-12)
    assert Ranking.objects.filter(run=run, first_tie__isnull=False).exists() == tied
    assert trec_eval(CLOSE) != pytest.approx(in_double(), abs=0.01)


@pytest.mark.parametrize(
    ("by", "others"),
    [
        ("score", {"double": in_double}),
        ("double", {"score": lambda: trec_eval(CLOSE)}),
        ("rank", {"score": lambda: trec_eval(CLOSE), "double": in_double}),
    ],
)
def test_reconcile_finds_the_number_that_another_order_gives(judgment_list, by, others):
    found = Reconciliation(*judged_runs_of(judgment_list, store(judgment_list, by)))

    for name, expected in others.items():
        number = Decimal(f"{expected():.12f}")
        answer = found.find(OtherNumber(number, 12), 10)
        matching = [one for row in answer.rows if row.matches for one in row.candidates]
        assert (name, "nDCG@10") in [(one.order, one.text) for one in matching]


def test_orders_that_change_nothing_are_not_tried(judgment_list):
    parsed = read_run(text_of("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 2 t\nq1 Q0 d3 3 1 t\n"))
    run = store_run(query_set=judgment_list.query_set, parsed=parsed, name="whole scores")
    bring_up_to_date(ScoringRequest(judgment_list, [run], Formula()))

    assert judged_runs_of(judgment_list, run)[1] == {}


def test_the_page_says_what_the_other_precision_would_give(client, judgment_list):
    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))
    run = store(judgment_list, "score")

    address = reverse("reconcile", args=[judgment_list.pk, run.pk])
    page = client.get(address, {"number": f"{in_double():.8f}"}).content.decode()

    assert f"as trec_eval 10.0 does, would give {in_double():.4f}." in page
    assert "scores in double precision" in page
