"""What the database counts for agreement."""

import numpy as np
import pytest

from judgments.agreement.sql import agreement as ingest
from tests.judgments.agreed import Agreed

pytestmark = pytest.mark.django_db

SCALE = np.arange(4.0)


@pytest.fixture
def scene():
    """Two queries of three documents; three raters, not all of them everywhere."""
    scene = Agreed()
    scene.raters = [
        scene.rater("ann", [3, 1, 0, 2, "-", 1]),
        scene.rater("bob", [1, 1, 3, None, 2, "-"], extra=True),
        scene.rater("cy", [3, "-", 0, 2, "-", "-"], gold="gold"),
    ]
    return scene


def kinds(counts):
    """(query ID, grades, pairs) of what was found."""
    grades = np.split(counts.units.grades, np.cumsum(counts.units.sizes)[:-1])
    rows = zip(
        counts.units.query.tolist(), counts.units.kind.tolist(), counts.units.pairs.tolist(), strict=True
    )
    return sorted((counts.query_ids[query], grades[kind].tolist(), pairs) for query, kind, pairs in rows)


def test_pairs_with_the_same_grades_stand_together(scene):
    first, second = scene.pairs[0].query_id, scene.pairs[3].query_id

    counts = ingest.combinations(scene.list.pk, singles=True)

    assert kinds(counts) == [
        (first, [0, 0, 3], 1),
        (first, [1, 1], 1),
        (first, [1, 3, 3], 1),
        (second, [2, 2], 1),
    ]
    assert counts.singles == {1: 1, 2: 1}
    assert ingest.combinations(scene.list.pk, singles=False).singles == {}


def test_raters_can_be_left_out(scene):
    first, second = scene.pairs[0].query_id, scene.pairs[3].query_id
    bob = scene.raters[1].pk

    counts = ingest.combinations(scene.list.pk, singles=True, without=[bob])
    couples = ingest.rater_pairs_of(ingest.teams(scene.list.pk, SCALE, without=[bob]), 4)

    assert kinds(counts) == [(first, [0, 0], 1), (first, [3, 3], 1), (second, [2, 2], 1)]
    assert bob not in couples.rater_ids
    assert couples.counts.sum() == 3


def test_practice_and_other_lists_do_not_count(scene):
    scene.rater("learner", [0, 0, 0, 0, 0, 0], gold="practice")
    other = Agreed()
    other.rater("dee", [1, 1])
    other.rater("eve", [1, 1])

    counts = ingest.combinations(scene.list.pk, singles=True)

    assert counts.units.judgments == 10
    assert len(ingest.use(scene.list.pk)) == 3
    assert len(ingest.rater_pairs_of(ingest.teams(scene.list.pk, SCALE), 4).rater_ids) == 3
    assert len(ingest.combinations(other.list.pk, singles=True).query_ids) == 1


def test_what_each_rater_gave_in_which_kinds_of_pairs(scene):
    ann, bob, cy = (rater.pk for rater in scene.raters)

    counts = ingest.teams(scene.list.pk, SCALE)

    grades = [tuple(each) for each in np.split(counts.kinds.grades, np.cumsum(counts.kinds.sizes)[:-1])]
    rows = {
        (counts.rater_ids[rater], grades[kind], grade): times
        for _, rater, kind, grade, times in counts.judgments.tolist()
    }
    assert rows == {
        (ann, (1, 3, 3), 3): 1,
        (bob, (1, 3, 3), 1): 1,
        (cy, (1, 3, 3), 3): 1,
        (ann, (1, 1), 1): 1,
        (bob, (1, 1), 1): 1,
        (ann, (0, 0, 3), 0): 1,
        (bob, (0, 0, 3), 3): 1,
        (cy, (0, 0, 3), 0): 1,
        (ann, (2, 2), 2): 1,
        (cy, (2, 2), 2): 1,
    }


def test_couples_of_raters_are_counted_by_both_grades(scene):
    ann, bob, cy = (rater.pk for rater in scene.raters)

    counts = ingest.rater_pairs_of(ingest.teams(scene.list.pk, SCALE), 4)

    assert counts.rater_ids == [ann, bob, cy]
    assert list(zip(counts.first.tolist(), counts.second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    cells = [{tuple(cell): 1 for cell in np.argwhere(counts).tolist()} for counts in counts.counts]
    assert cells == [
        {(3, 1): 1, (1, 1): 1, (0, 3): 1},
        {(3, 3): 1, (0, 0): 1, (2, 2): 1},
        {(1, 3): 1, (3, 0): 1},
    ]


def test_couples_on_a_scale_without_steps_are_sums(scene):
    counts = ingest.rater_pairs_of_any_value(scene.list.pk, center=1.0, near=2.0)

    assert counts.rater_ids == [rater.pk for rater in scene.raters]
    assert counts.counts.tolist() == [
        [3, 1, 2, 5, 4, -2, 2],
        [3, 2, 2, 6, 6, 6, 3],
        [2, 2, 1, 4, 5, -2, 1],
    ]


def test_use_of_grades_and_of_tenths(scene):
    ann, bob, _ = (rater.pk for rater in scene.raters)

    grades = ingest.use(scene.list.pk)
    bins = ingest.binned_use(scene.list.pk, low=0, high=3, bins=3)

    assert grades[ann] == {0: 1, 1: 2, 2: 1, 3: 1}
    assert grades[bob] == {1: 2, 2: 1, 3: 1, None: 1}
    assert bins[ann] == {0: 1, 1: 2, 2: 2}
    assert bins[bob] == {1: 2, 2: 2, None: 1}
    assert ingest.binned_use(scene.list.pk, low=3, high=3, bins=2)[bob][0] == 1


def test_an_empty_list_has_nothing_to_count():
    empty = Agreed()

    counts = ingest.combinations(empty.list.pk, singles=True)
    couples = ingest.rater_pairs_of(ingest.teams(empty.list.pk, SCALE), 4)

    assert (len(counts.units.pairs), counts.query_ids, counts.singles) == (0, [], {})
    teams = ingest.teams(empty.list.pk, SCALE)
    assert (teams.rater_ids, teams.judgments.shape) == ([], (0, 5))
    assert (couples.rater_ids, couples.counts.shape) == ([], (0, 4, 4))
    assert ingest.rater_pairs_of_any_value(empty.list.pk, center=0, near=1).counts.shape == (0, 7)
    assert ingest.use(empty.list.pk) == ingest.binned_use(empty.list.pk, low=0, high=1, bins=2) == {}
