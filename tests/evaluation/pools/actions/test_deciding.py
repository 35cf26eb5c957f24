"""Pairs are added for what they decide, the log says so, and the rule to stop reads it there."""

import numpy as np
import pytest

from evaluation.comparisons.reports.deciding import deciding_formula, earlier_checks
from evaluation.comparisons.reports.pool_history import pool_history
from evaluation.models import Comparing
from evaluation.pools.actions.deciding import add_deciding
from evaluation.pools.reports.deciding import read_deciding_batch
from evaluation.pools.reports.pool import preview_deciding
from judgments.models import SELECTION, Act, Pair, Slot, SlotState
from tests import factories as make
from tests.evaluation.pools.deciding import QUERIES, judge_all, make_deciding
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db
FORMULA = Formula(cutoff=4)


def added(judgment_list, runs, judgments=25, seed=1):
    return add_deciding(
        judgment_list=judgment_list,
        runs=runs,
        formula=FORMULA,
        judgments=judgments,
        random=np.random.default_rng(seed),
    )


def batch(judgment_list, runs, judgments=25):
    random = np.random.default_rng(1)
    return read_deciding_batch(
        judgment_list=judgment_list, runs=runs, formula=FORMULA, judgments=judgments, random=random
    )


def acts():
    return list(Act.objects.filter(after__has_key=SELECTION).order_by("pk").values_list("after", flat=True))


def test_the_log_says_which_pairs_were_chosen_and_which_were_drawn():
    judgment_list, runs = make_deciding()

    assert added(judgment_list, runs) == 25

    targeted, random = acts()
    assert (targeted["pairs"], random["pairs"]) == (22, 3)
    assert (targeted["selection"], random["selection"]) == ("for what they decide", "at random")
    assert targeted["runs"] == [{"id": run.pk, "name": run.name} for run in runs]
    assert (targeted["judged before"], targeted["formula"]) == (0, FORMULA.key)
    assert random["chance to be drawn"] == pytest.approx(3 / (QUERIES * 8))
    first, last = targeted["pair_keys"]
    names = Pair.objects.filter(pk__range=(first, last)).values_list("document__external_id", flat=True)
    assert {name.split("-")[2] for name in names} <= {"0", "1", "2"}  # the first three ranks
    assert last < random["pair_keys"][0]


def test_judging_and_asking_again_ends_with_a_decision():
    judgment_list, runs = make_deciding()
    judged = 0
    while added(judgment_list, runs):
        judged += judge_all(judgment_list)

    told = batch(judgment_list, runs)
    assert told.decided
    assert told.ahead == runs[1]
    assert judged < QUERIES * 8
    checks = earlier_checks(judgment_list, runs, FORMULA)
    assert [check.judged for check in checks] == sorted({check.judged for check in checks})
    assert [check.z for check in earlier_checks(judgment_list, runs[::-1], FORMULA)] == [
        -check.z for check in checks
    ]
    assert earlier_checks(judgment_list, runs, Formula(cutoff=3)) == []


def test_checks_are_of_the_gain_and_the_discount_alone():
    judgment_list, runs = make_deciding()
    added(judgment_list, runs)

    assert len(earlier_checks(judgment_list, runs, Formula(cutoff=4, depth=50, zero=1))) == 1
    assert deciding_formula(Formula(cutoff=4, depth=50, missing="skip")) == FORMULA


def test_what_waits_is_not_added_twice():
    judgment_list, runs = make_deciding()
    added(judgment_list, runs)

    told = batch(judgment_list, runs)

    assert told.waiting == 25
    assert added(judgment_list, runs, seed=1) == 25
    assert Pair.objects.count() == 50


def test_what_nobody_can_judge_is_neither_waited_for_nor_added_again():
    judgment_list, runs = make_deciding()
    added(judgment_list, runs)
    rater = make.make_rater(judgment_list.query_set)
    few = Pair.objects.filter(judgment_list=judgment_list).order_by("pk")[:5]
    Slot.objects.filter(pair__in=list(few)).update(state=SlotState.DONE, rater=rater)

    told = batch(judgment_list, runs)

    assert told.waiting + told.unknown == 25
    assert told.unknown == 5
    assert added(judgment_list, runs, seed=1) == 25
    assert Pair.objects.count() == 50


def test_judgments_are_shared_by_the_raters_of_a_pair():
    judgment_list, runs = make_deciding(overlap=3)

    assert added(judgment_list, runs, judgments=31) == 10
    assert added(judgment_list, runs, judgments=1) == 1


def test_pairs_that_were_taken_out_again_are_no_check():
    judgment_list, runs = make_deciding()
    added(judgment_list, runs)

    Pair.objects.all().delete()

    assert earlier_checks(judgment_list, runs, FORMULA) == []


def test_held_out_queries_are_not_looked_at():
    judgment_list, runs = make_deciding()
    query_set = judgment_list.query_set
    query_set.queries.filter(pk__in=list(query_set.queries.values_list("pk", flat=True)[:15])).update(
        tags=["kept"]
    )
    Comparing.objects.create(query_set=query_set, held_out="kept")

    assert batch(judgment_list, runs).outlook.pool == 5 * 8


def test_a_part_of_a_pool_is_no_pool():
    judgment_list, runs = make_deciding()
    added(judgment_list, runs)

    assert pool_history(judgment_list, runs)["runs"] == []


@pytest.mark.parametrize("queries", [3, 30])
def test_the_number_of_statements_does_not_grow(queries, django_assert_num_queries):
    judgment_list, runs = make_deciding(queries=queries)
    added(judgment_list, runs)
    judge_all(judgment_list)

    with django_assert_num_queries(10):
        preview_deciding(judgment_list=judgment_list, runs=runs, formula=FORMULA, judgments=20)
