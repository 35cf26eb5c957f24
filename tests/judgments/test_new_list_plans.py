"""Acts on many pairs take a few looks at each, whatever the planner believes of a list that is new to it."""

from contextlib import contextmanager

import pytest
from django.db import connection

from judgments.grades.sql.consensus import look_ahead
from judgments.lists.actions.pairs import add_pairs, settle
from judgments.models import Document, Judgment, Query, Slot
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, NOW
from tests.judgments.plans import plan_of
from touchstone_core.grades.rules import ConsensusRule, Rule

QUERIES, DOCUMENTS = 100, 20
PAIRS = QUERIES * DOCUMENTS
A_FEW = 40
REMOVED = ("Rows Removed by Filter", "Rows Removed by Join Filter", "Rows Removed by Index Recheck")


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
    judge_all(done, make.make_rater(query_set, make.make_member(query_set, "rater")))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    add_pairs(judgment_list=new, pairs=pairs)
    return new


def judge_all(judgment_list, rater):
    of_rater = {"query_set": judgment_list.query_set, "judgment_list": judgment_list, "rater": rater}
    Judgment.objects.bulk_create(
        Judgment(**of_rater, pair_id=pair, value=1, created_at=NOW, updated_at=NOW)
        for pair in keys(judgment_list)
    )
    Slot.objects.filter(judgment_list=judgment_list, state="open").update(state="done", rater=rater)


def keys(judgment_list):
    return list(judgment_list.pairs.values_list("pk", flat=True))


@contextmanager
def visits(*statements):
    """How many rows the nodes of the plans visit together, for each statement that begins like one of these."""
    found = []

    def explain(execute, sql, params, many, context):
        if not any(one in sql for one in statements):
            return execute(sql, params, many, context)
        execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params, many, context)
        found.append(rows_visited(plan_of(context["cursor"])))
        return None

    with connection.execute_wrapper(explain):
        yield found


def rows_visited(plan):
    """By all nodes of a plan that was executed."""
    here = plan["Actual Rows"] + sum(plan.get(name, 0) for name in REMOVED)
    return here * plan["Actual Loops"] + sum(map(rows_visited, plan.get("Plans", [])))


@pytest.mark.parametrize("overlap", [1, 2, 0], ids=["nothing to do", "slots to add", "slots to remove"])
def test_settling_the_slots_of_all_pairs(new_list, overlap):
    new_list.overlap = overlap

    with visits("INSERT INTO judgments_slot", "UPDATE judgments_listquery") as found:
        settle(new_list, at=LATER, pair_ids=keys(new_list))

    assert len(found) == 2  # the slots, and the counts of queries
    assert max(found) < A_FEW * PAIRS
    assert new_list.slots.count() == overlap * PAIRS


@pytest.mark.parametrize("of_rater", [False, True])
def test_foreseeing_grades(new_list, of_rater):
    rater = make.make_rater(new_list.query_set, make.make_member(new_list.query_set, "rater"))
    judge_all(new_list, rater)

    with visits("FROM judgments_pair pair") as found:
        look_ahead(
            list_id=new_list.pk, rule=ConsensusRule(Rule.MEDIAN), rater_id=rater.pk if of_rater else None
        )

    assert len(found) == 1
    assert found[0] < A_FEW * PAIRS
