"""How many judgments a pair gets: lowered while raters hold it, raised where answers differ."""

import csv

import numpy as np
import pytest

from judgments.lists.actions import pairs
from judgments.models import Document, Judgment, JudgmentList, Slot
from judgments.raters.actions import assignments as actions
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, NOW, Scene
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db


def lower(scene, overlap, at=NOW):
    pairs.set_overlap(judgment_list=scene.list, overlap=overlap, at=at)


def hold(scene, *users):
    """All of them hold the only pair."""
    (pair_id,) = {pair_id for user in users for pair_id in scene.claim(user)}
    return pair_id


def counts(scene):
    return {
        "open": Slot.objects.filter(state="open", surplus=False).count(),
        "surplus": Slot.objects.filter(surplus=True).count(),
        "counted": sum(scene.list.list_queries.values_list("open_count", flat=True)),
    }


def test_lowered_while_two_hold_a_pair_the_second_answer_is_kept_as_extra():
    scene = Scene(queries=1, documents=1, overlap=3)
    first, second = scene.rater(), scene.rater()
    pair_id = scene.claim(first)[0]
    scene.claim(second)

    lower(scene, 1)

    assert counts(scene) == {"open": 1, "surplus": 1, "counted": 1}
    assert scene.claim(scene.rater(), at=LATER) == [pair_id]
    judged = [scene.judge(user, pair_id, at=LATER).judgment.extra for user in (second, first)]
    assert judged == [
        False,
        True,
    ]  # both leases had run out; the slot of a third rater is now the one too many


def test_whoever_of_two_holders_judges_first_is_the_one_that_counts():
    scene = Scene(queries=1, documents=1, overlap=2)
    holders = [scene.rater(), scene.rater()]
    pair_id = hold(scene, *holders)
    lower(scene, 1)
    surplus = Slot.objects.get(surplus=True).rater.user

    assert not scene.judge(surplus, pair_id).judgment.extra

    assert counts(scene) == {"open": 0, "surplus": 1, "counted": 0}
    other = next(user for user in holders if user != surplus)
    assert scene.claim(other) == [pair_id]  # still on the screen
    assert scene.judge(other, pair_id).judgment.extra
    assert counts(scene) == {"open": 0, "surplus": 0, "counted": 0}


def test_a_superfluous_slot_goes_as_soon_as_it_is_let_go():
    scene = Scene(queries=1, documents=1, overlap=2)
    holders = [scene.rater(), scene.rater()]
    pair_id = hold(scene, *holders)
    lower(scene, 1)
    surplus = Slot.objects.get(surplus=True)

    scene.skip(surplus.rater.user, pair_id)

    assert counts(scene) == {"open": 1, "surplus": 0, "counted": 1}


def test_a_superfluous_slot_whose_lease_ran_out_is_nobodys():
    scene = Scene(queries=1, documents=1, overlap=2)
    holders = [scene.rater(), scene.rater()]
    pair_id = hold(scene, *holders)
    lower(scene, 1)
    surplus = Slot.objects.get(surplus=True).rater
    keeper = next(user for user in holders if user != surplus.user)
    scene.judge(keeper, pair_id)

    assert scene.claim(scene.rater(), at=LATER) == []
    assert scene.claim(surplus.user, at=LATER) == []
    assert actions.release_rater(judgment_list=scene.list, rater=surplus, at=NOW) == 1
    assert not Slot.objects.filter(state="open").exists()


def test_raised_again_a_superfluous_slot_is_wanted_again():
    scene = Scene(queries=1, documents=1, overlap=2)
    holders = [scene.rater(), scene.rater()]
    pair_id = hold(scene, *holders)
    lower(scene, 1)
    lower(scene, 3)

    assert counts(scene) == {"open": 3, "surplus": 0, "counted": 3}
    assert [scene.judge(user, pair_id).judgment.extra for user in holders] == [False, False]


def test_undo_after_the_overlap_was_lowered_leaves_no_slot_too_many():
    scene = Scene(queries=1, documents=1, overlap=2)
    first, second = scene.rater(), scene.rater()
    for user in (first, second):
        scene.judge(user, scene.claim(user)[0])
    lower(scene, 1)

    pair_id = scene.undo(first)

    assert counts(scene) == {"open": 0, "surplus": 1, "counted": 0}
    assert scene.claim(scene.rater(), at=LATER) == []
    assert scene.judge(first, pair_id).judgment.extra


def adaptive(scene, step=1.0, most=3):
    pairs.set_adaptive(judgment_list=scene.list, step=step, most=most, at=NOW)


def count_answers(scene, *values):
    """Fresh raters answer the only pair as long as it is handed out; how many did."""
    count = 0
    for value in values:
        user = scene.rater()
        if not (held := scene.claim(user)):
            break
        more = {"reason": "language"} if value is None else {"value": value}
        scene.judge(user, held[0], **more)
        count += 1
    return count


@pytest.mark.parametrize(
    ("values", "answers"),
    [
        ([2, 2, 0], 2),
        ([2, 1, 0, 0], 3),
        ([0, 3, 3, 3], 3),
        ([0, 3, None, 3], 3),
        ([None, 3, 3, 3], 2),
        ([None, None, 3], 2),
    ],
)
def test_one_more_rater_where_two_answers_differ(values, answers):
    scene = Scene(queries=1, documents=1, overlap=2)
    adaptive(scene)

    assert count_answers(scene, *values) == answers
    assert counts(scene)["counted"] == 0
    assert not Judgment.objects.filter(extra=True).exists()


@pytest.mark.parametrize(
    ("values", "answers"),
    [([0, 1, 9], 2), ([0, 2, 4, 6, 8, 9], 5), ([0, 2, 1, 9], 3), ([0, 9, 5, 4, 2], 4)],
)
def test_raters_are_added_until_enough_agree_or_the_most_is_reached(values, answers):
    scene = Scene(queries=1, documents=1, overlap=2, scale=make.preset("Slider 0–100"))
    adaptive(scene, step=2, most=5)

    assert count_answers(scene, *values) == answers


def test_grades_of_a_nominal_scale_differ_whatever_their_numbers():
    scene = Scene(queries=1, documents=1, overlap=2)
    scale = scene.query_set.scales.create(name="Kinds", level="nominal", maximum=1)
    for value in (0, 0.1):
        scale.grades.create(value=value, label=str(value), gain=0, key=str(int(value * 10)))
    JudgmentList.objects.update(scale=scale)
    scene.list.refresh_from_db()
    adaptive(scene, step=1)

    assert count_answers(scene, 0, 0.1, 0, 0) == 3


def test_a_changed_answer_takes_the_further_rater_back_and_undo_asks_for_one_again():
    scene = Scene(queries=1, documents=1, overlap=2)
    adaptive(scene)
    first, second = scene.rater(), scene.rater()
    pair_id = hold(scene, first, second)
    scene.judge(first, pair_id, 1)
    scene.judge(second, pair_id, 3)
    assert counts(scene) == {"open": 1, "surplus": 0, "counted": 1}

    scene.judge(second, pair_id, 1, at=LATER)
    assert counts(scene) == {"open": 0, "surplus": 0, "counted": 0}

    scene.undo(second, at=LATER)
    assert counts(scene) == {"open": 1, "surplus": 0, "counted": 1}


def test_the_rule_holds_for_answers_given_before_and_is_taken_back():
    scene = Scene(queries=1, documents=1, overlap=2)
    assert count_answers(scene, 0, 3, 3) == 2

    adaptive(scene)
    assert count_answers(scene, 3, 3) == 1
    lower(scene, 4)
    scene.list.refresh_from_db()
    assert (scene.list.overlap_most, counts(scene)["open"]) == (4, 1)
    pairs.set_adaptive(judgment_list=scene.list, step=None, most=9, at=NOW)
    assert scene.list.overlap_most is None


@pytest.mark.parametrize(
    ("step", "most", "message"),
    [(0, 3, "more than 0"), (1, None, "at most"), (1, 2, "at most"), (1, 31, "30")],
)
def test_rules_that_make_no_sense_are_refused(step, most, message):
    scene = Scene(queries=0, documents=0, overlap=2)

    with pytest.raises(pairs.AdaptiveError, match=message):
        pairs.set_adaptive(judgment_list=scene.list, step=step, most=most)


@pytest.mark.thorough
def test_on_real_judgments_the_third_rater_gives_2_20_judgments_per_pair_and_the_same_median():
    """3,188 product search pairs with three raters each, any two first; research/judging-tools.md, section 4."""
    grades = np.array(chorus())
    query_set = make.make_query_set()
    query = make.make_query(query_set)
    documents = Document.objects.bulk_create(
        Document(query_set=query_set, external_id=str(nth)) for nth in range(len(grades))
    )
    asked = [
        further(query_set, [(query.pk, document.pk) for document in documents], grades[:, first_two])
        for first_two in ([0, 1], [0, 2], [1, 2])
    ]

    assert len(grades) == 3188
    assert round(2 + np.mean(asked), 2) == 2.20
    for chosen, first_two in zip(asked, ([0, 1], [0, 2], [1, 2]), strict=True):
        with_third = np.where(chosen, np.median(grades, axis=1), grades[:, first_two[0]])
        assert np.array_equal(with_third, np.median(grades, axis=1))


def further(query_set, added, grades):
    """For which pairs of a list with these two grades each a third rater is asked."""
    judgment_list = make.make_list(query_set, overlap=2)
    pairs.add_pairs(judgment_list=judgment_list, pairs=added)
    keys = list(judgment_list.pairs.order_by("document_id").values_list("pk", flat=True))
    common = {"query_set": query_set, "judgment_list": judgment_list, "created_at": NOW, "updated_at": NOW}
    for nth, rater in enumerate([make.make_rater(query_set), make.make_rater(query_set)]):
        Judgment.objects.bulk_create(
            Judgment(**common, pair_id=key, rater=rater, value=row[nth])
            for key, row in zip(keys, grades, strict=True)
        )
    pairs.set_adaptive(judgment_list=judgment_list, step=1, most=3, at=NOW)
    asked = set(judgment_list.slots.filter(state="open").values_list("pair_id", flat=True))
    return np.array([key in asked for key in keys])


def chorus():
    """The grades of the three raters, pair by pair."""
    path = shared_data("chorus_ratings") / "Broad_Query_Set_individual_ratings.csv"
    with path.open(newline="") as file:
        rows = [[row[f"agent_{nth}_rating"] for nth in (1, 2, 3)] for row in csv.DictReader(file)]
    return [[float(grade) for grade in row] for row in rows]
