"""Documents of a run are drawn at random for its raters, the log says so, and the estimate reads it there."""

import numpy as np
import pytest

from evaluation.comparisons.reports.pool_history import pool_history
from evaluation.models import Comparing
from evaluation.pools.actions.deciding import PairsChangedError
from evaluation.pools.actions.pools import add_pool
from evaluation.pools.actions.sampling import add_sample
from evaluation.pools.reports.batches import UndecidableError
from evaluation.pools.reports.sampling import read_sample_batch
from judgments.lists.reports.selections import acts_that_decided
from judgments.models import SELECTION, Act, Pair, Slot, SlotState
from tests import factories as make
from tests.evaluation.pools.deciding import judge_all, make_deciding
from tests.evaluation.scored import make_scale
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db
FORMULA = Formula(cutoff=4)
QUERIES = 40
PAGES = QUERIES * 4
TRUTH = (1 + 1 / 2) / (1 + 1 / np.log2(3) + 1 / 2 + 1 / np.log2(5))
"""NDCG-max@4 of pages whose first and third document have the top grade, and the others the lowest."""


@pytest.fixture
def world():
    """A list without pairs, and the second of its runs, whose pages are all alike."""
    judgment_list, runs = make_deciding(queries=QUERIES)
    return judgment_list, runs[1]


def add(judgment_list, run, judgments=50, **others):
    choice = {"run": run, "formula": FORMULA, "judgments": judgments} | others
    return add_sample(judgment_list=judgment_list, **choice)


def add_and_judge(judgment_list, run, judgments=50):
    """How many pairs were added."""
    pairs = add(judgment_list, run, judgments)
    judge_all(judgment_list)
    return pairs


def read(judgment_list, run, judgments=50, formula=FORMULA):
    return read_sample_batch(judgment_list=judgment_list, run=run, formula=formula, judgments=judgments)


def acts():
    return list(Act.objects.filter(after__has_key=SELECTION).order_by("pk").values_list("after", flat=True))


def is_near(level):
    """Within twice the interval, which is missed once in ten thousand times; what 95 % are is another test's."""
    return abs(level.expected - TRUTH) < level.high - level.low


def names(batch):
    return {name for _, name in batch.fresh}


def test_the_log_says_what_was_drawn(world):
    judgment_list, run = world

    assert add(judgment_list, run) == 50
    judge_all(judgment_list)
    assert add(judgment_list, run) == 50

    first, second = acts()
    assert (first["selection"], first["runs"], first["depth"]) == (
        "at random",
        [{"id": run.pk, "name": "new"}],
        4,
    )
    assert (first["documents drawn"], second["documents drawn"]) == (50, 100)
    assert first["formula"] == FORMULA.key


def test_a_preview_shows_the_pairs_that_are_added(world):
    judgment_list, run = world
    preview = read(judgment_list, run)

    add(judgment_list, run)

    assert names(preview) == set(Pair.objects.values_list("document__external_id", flat=True))


def test_first_ranks_are_drawn_more_often(world):
    """With the chance that their weights have: 1 to 0.43 for the first and the fourth rank."""
    judgment_list, run = world
    counts = np.zeros(4)
    for _ in range(20):
        other = make.make_list(judgment_list.query_set, scale=judgment_list.scale)
        for name in names(read(other, run, 40)):
            counts[int(name.split("-")[2])] += 1

    expected = 800 * np.array([1, 0.631, 0.5, 0.431]) / 2.562
    assert counts == pytest.approx(expected, abs=60)


def test_before_enough_is_judged_nothing_is_said(world):
    judgment_list, run = world
    assert read(judgment_list, run).level is None

    add(judgment_list, run)

    waiting = read(judgment_list, run)
    assert (waiting.level, waiting.waiting, waiting.draws) == (None, 50, 0)


def test_once_they_are_judged_the_level_is_near_and_its_interval_gets_narrower(world):
    judgment_list, run = world
    add_and_judge(judgment_list, run)
    first = read(judgment_list, run)
    add_and_judge(judgment_list, run)
    second = read(judgment_list, run)

    assert (first.draws, second.draws) == (50, 100)
    assert is_near(first.level)
    assert is_near(second.level)
    assert second.level.high - second.level.low < 0.7 * (first.level.high - first.level.low)
    assert first.width == pytest.approx((second.level.high - second.level.low) / 2, rel=0.2)


def test_while_a_further_batch_waits_the_last_estimate_stays(world):
    judgment_list, run = world
    add_and_judge(judgment_list, run)
    before = read(judgment_list, run)

    add(judgment_list, run)

    batch = read(judgment_list, run)
    assert (batch.level, batch.draws, batch.waiting) == (before.level, 50, 50)


def test_judged_to_the_end_it_is_exact(world):
    judgment_list, run = world
    while add_and_judge(judgment_list, run):
        pass

    batch = read(judgment_list, run)
    assert batch.is_exact
    assert batch.level.expected == pytest.approx(TRUTH)
    assert (batch.draws, batch.documents, batch.fresh, batch.plan) == (PAGES, PAGES, [], [])


def test_documents_that_were_in_the_list_before_count_as_they_are(world):
    """The first two ranks were judged, which alone would give a far higher level."""
    judgment_list, run = world
    add_pool(judgment_list=judgment_list, runs=[run], depth=2)
    judge_all(judgment_list)

    add_and_judge(judgment_list, run, 40)

    batch = read(judgment_list, run)
    assert (batch.certain, batch.draws) == (2 * QUERIES, 40)
    assert {name.split("-")[2] for name in names(batch)} == {"2", "3"}
    assert is_near(batch.level)
    assert batch.level.high - batch.level.low < 0.2


def test_what_others_add_meanwhile_takes_no_turn_away(world):
    """All first ranks are judged between two batches. They have the top grade, and only those whose turn it was count."""
    judgment_list, run = world
    add_and_judge(judgment_list, run, 60)
    alone = read(judgment_list, run).level

    add_pool(judgment_list=judgment_list, runs=[run], depth=1)
    judge_all(judgment_list)

    assert read(judgment_list, run).level == alone
    fresh = read(judgment_list, run, 50)
    assert "0" not in {name.split("-")[2] for name in names(fresh)}
    assert fresh.draws_after > 60 + 50


def test_pairs_that_nobody_can_judge_gain_nothing_and_are_not_waited_for(world):
    judgment_list, run = world
    add(judgment_list, run)
    rater = make.make_rater(judgment_list.query_set)
    Slot.objects.update(state=SlotState.DONE, rater=rater)
    few = list(Pair.objects.order_by("pk")[:45])
    make.make_all_consensus((pair, 3.0) for pair in few)

    batch = read(judgment_list, run)

    assert (batch.waiting, batch.unknown) == (0, 5)
    assert batch.level.expected == pytest.approx(45 / 50)


def test_pairs_that_were_taken_out_again_are_drawn_again(world):
    judgment_list, run = world
    add_and_judge(judgment_list, run)
    names_before = set(Pair.objects.values_list("document__external_id", flat=True))
    gone = Pair.objects.order_by("pk")[3]
    name = gone.document.external_id
    gone.delete()

    batch = read(judgment_list, run, 1)

    assert (batch.level, batch.waiting, names(batch)) == (None, 1, {name})
    add_and_judge(judgment_list, run, 1)
    assert read(judgment_list, run).draws == 50
    assert set(Pair.objects.values_list("document__external_id", flat=True)) == names_before


def test_once_all_pairs_of_a_draw_are_gone_there_was_none(world):
    judgment_list, run = world
    add(judgment_list, run)
    Pair.objects.all().delete()

    batch = read(judgment_list, run)

    assert (batch.waiting, batch.certain, batch.draws) == (0, 0, 0)


def test_another_gain_reads_the_same_draw_and_another_depth_has_its_own(world):
    judgment_list, run = world
    add_and_judge(judgment_list, run)

    assert read(judgment_list, run, formula=Formula(cutoff=4, gain="exp")).draws == 50
    deeper = read(judgment_list, run, formula=Formula(cutoff=3))
    assert deeper.draws == 0
    assert deeper.certain > 30


def test_held_out_queries_are_not_drawn(world):
    judgment_list, run = world
    query_set = judgment_list.query_set
    held_out = list(query_set.queries.values_list("pk", flat=True)[:30])
    query_set.queries.filter(pk__in=held_out).update(tags=["kept"])
    Comparing.objects.create(query_set=query_set, held_out="kept")

    assert read(judgment_list, run).documents == 10 * 4


def test_queries_that_are_held_out_later_end_nothing(world):
    judgment_list, run = world
    while add_and_judge(judgment_list, run):
        pass
    query_set = judgment_list.query_set
    query_set.queries.filter(pk=query_set.queries.first().pk).update(tags=["kept"])
    Comparing.objects.create(query_set=query_set, held_out="kept")

    assert read(judgment_list, run).level.expected == pytest.approx(TRUTH)


def test_judgments_are_shared_by_the_raters_of_a_pair():
    judgment_list, runs = make_deciding(overlap=3)

    assert add(judgment_list, runs[0], 31) == 10
    assert add(judgment_list, runs[0], 1) == 1


def test_pairs_that_changed_since_a_preview_add_nothing(world):
    judgment_list, run = world
    add(judgment_list, run)

    with pytest.raises(PairsChangedError):
        add(judgment_list, run, pair_count=0)
    assert Pair.objects.count() == 50


def test_where_no_grade_gains_anything_nothing_can_be_estimated(world):
    judgment_list, run = world
    judgment_list.scale = make_scale(0)

    with pytest.raises(UndecidableError, match="No grade of this list gains anything"):
        add(judgment_list, run)


def test_a_sample_is_no_pool_and_decides_nothing(world):
    judgment_list, run = world
    add(judgment_list, run)

    assert pool_history(judgment_list, [run])["runs"] == []
    assert acts_that_decided(judgment_list) == []


def test_it_takes_six_statements(world, django_assert_num_queries):
    judgment_list, run = world
    add(judgment_list, run)

    with django_assert_num_queries(8):  # with the two of a transaction of its own
        read(judgment_list, run)
