"""Settling the slots of many pairs takes a few looks at each, whatever the planner believes of a list that is new to it."""

import json

import pytest
from django.db import connection

from judgments.lists.actions.pairs import add_pairs, settle
from judgments.models import Document, Query, Slot
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER

QUERIES, DOCUMENTS = 100, 20
PAIRS = QUERIES * DOCUMENTS
REMOVED = ("Rows Removed by Filter", "Rows Removed by Join Filter", "Rows Removed by Index Recheck")


def rows_visited(plan):
    """By all nodes of a plan that was executed."""
    here = plan["Actual Rows"] + sum(plan.get(name, 0) for name in REMOVED)
    return here * plan["Actual Loops"] + sum(map(rows_visited, plan.get("Plans", [])))


@pytest.fixture
def new_list(db):
    """Its pairs came after the last statistics, at which every slot of the site was done and nothing of the list was known."""
    query_set = make.make_query_set()
    documents = Document.objects.bulk_create(
        Document(query_set=query_set, external_id=str(nth)) for nth in range(DOCUMENTS)
    )
    queries = Query.objects.bulk_create(
        Query(query_set=query_set, external_id=str(nth), text=str(nth)) for nth in range(QUERIES)
    )
    pairs = [(query.pk, document.pk) for query in queries for document in documents]
    done, new = make.make_list(query_set), make.make_list(query_set)
    add_pairs(judgment_list=done, pairs=pairs)
    rater = make.make_rater(query_set, make.make_member(query_set, "rater"))
    Slot.objects.update(state="done", rater=rater)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE judgments_slot, judgments_pair, judgments_listquery, judgments_judgment")
    add_pairs(judgment_list=new, pairs=pairs)
    return new


@pytest.mark.parametrize("overlap", [1, 2, 0], ids=["nothing to do", "slots to add", "slots to remove"])
def test_settling_looks_at_each_pair_a_few_times(new_list, overlap):
    new_list.overlap = overlap
    visited = []

    def explain(execute, sql, params, many, context):
        if "INSERT INTO judgments_slot" not in sql and "UPDATE judgments_listquery" not in sql:
            return execute(sql, params, many, context)
        found = execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params, many, context)
        (plan,) = context["cursor"].fetchone()
        visited.append(rows_visited((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))
        return found

    with connection.execute_wrapper(explain):
        settle(new_list, at=LATER, pair_ids=list(new_list.pairs.values_list("pk", flat=True)))

    assert len(visited) == 2  # the slots, and the counts of queries
    assert max(visited) < 40 * PAIRS
    assert new_list.slots.count() == overlap * PAIRS
