"""Storing runs whole or not at all."""

import numpy as np
import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from evaluation.base.errors import RunExists, RunRefused
from evaluation.base.sql import unpack_documents, unpack_scores
from evaluation.models import Ranking, Run
from evaluation.runs.actions.runs import delete_run, store_run
from tests import factories as make
from tests.touchstone_core.formats.texts import read_run
from touchstone_core.formats.text import decode

pytestmark = pytest.mark.django_db

TREC = b"q1 Q0 d2 1 2.5 bm25\nq1 Q0 d1 2 1.25 bm25\nq2 Q0 d3 1 7 bm25\n"


def parsed(data: bytes = TREC):
    return read_run(decode(data, name="run.trec", limit=10_000))


@pytest.fixture
def query_set():
    query_set = make.make_query_set()
    for external_id in ("q1", "q2", "q3"):
        make.make_query(query_set, external_id)
    return query_set


def test_a_run_is_stored_with_its_rankings_in_evaluated_order(query_set):
    run = store_run(query_set=query_set, parsed=parsed(), name="bm25")

    first, second = Ranking.objects.filter(run=run).order_by("query__external_id")
    assert (run.query_count, run.row_count) == (2, 3)
    assert unpack_documents(first.documents) == ["d2", "d1"]
    assert np.array_equal(unpack_scores(first.scores), [2.5, 1.25])
    assert (first.size, first.hit_ranks, first.pairs_revision) == (2, [], 0)
    assert unpack_documents(second.documents) == ["d3"]


def test_a_ranking_without_scores_and_an_empty_one_are_kept(query_set):
    run = store_run(query_set=query_set, parsed=parsed(b'{"q1": ["b", "a"], "q2": []}'), name="listed")

    first, empty = Ranking.objects.filter(run=run).order_by("query__external_id")
    assert (unpack_documents(first.documents), first.scores) == (["b", "a"], None)
    assert (empty.size, unpack_documents(empty.documents)) == (0, [])


def test_a_name_is_given_once_whatever_its_case(query_set):
    store_run(query_set=query_set, parsed=parsed(), name="bm25")

    with pytest.raises(RunExists, match="“BM25”"):
        store_run(query_set=query_set, parsed=parsed(), name="BM25")
    assert Run.objects.count() == 1


def test_a_file_with_errors_is_refused_and_nothing_is_stored(query_set):
    with pytest.raises(RunRefused, match="Line 1"):
        store_run(query_set=query_set, parsed=parsed(b"q1 Q0 d1 1 nan x\nq1 Q0 d2 2 1 x\n"), name="bad")
    assert not Run.objects.exists()


def test_an_unknown_query_stores_nothing_at_all(query_set):
    with pytest.raises(RunRefused, match="“q9”"):
        store_run(query_set=query_set, parsed=parsed(TREC + b"q9 Q0 d1 1 1 bm25\n"), name="bad")
    assert not Run.objects.exists()
    assert not Ranking.objects.exists()


def test_an_order_that_the_database_does_not_know_stores_nothing(query_set):
    with pytest.raises(IntegrityError, match="run_order_known"):
        store_run(query_set=query_set, parsed=parsed(), name="bm25", order="fate")
    assert not Run.objects.exists()


def test_storing_costs_the_same_number_of_statements_for_any_number_of_queries(query_set):
    with CaptureQueriesContext(connection) as one:
        store_run(query_set=query_set, parsed=parsed(b'{"q1": ["a"]}'), name="one")
    with CaptureQueriesContext(connection) as three:
        store_run(
            query_set=query_set, parsed=parsed(b'{"q1": ["a"], "q2": ["a"], "q3": ["a"]}'), name="three"
        )

    assert len(one) == len(three)


def test_deleting_a_run_takes_its_rankings_along(query_set):
    run = store_run(query_set=query_set, parsed=parsed(), name="bm25")

    delete_run(run=run)

    assert not Ranking.objects.exists()


TIED = b"q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\nq1 Q0 c 3 2 x\nq2 Q0 a 1 3 x\nq2 Q0 b 2 2 x\n"


@pytest.mark.parametrize(("order", "ranks"), [("score", [2, None]), ("rank", [None, None])])
def test_where_ties_begin_is_kept_unless_the_rank_column_decides(query_set, order, ranks):
    run = store_run(
        query_set=query_set,
        parsed=read_run(decode(TIED, name="run.trec", limit=10_000), order=order),
        name="tied",
        order=order,
    )

    found = Ranking.objects.filter(run=run).order_by("query__external_id")
    assert [ranking.first_tie for ranking in found] == ranks


def test_a_ranking_without_scores_has_no_ties(query_set):
    run = store_run(query_set=query_set, parsed=parsed(b'{"q1": ["b", "a"]}'), name="listed")

    assert Ranking.objects.get(run=run).first_tie is None
