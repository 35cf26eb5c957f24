"""Intended and other queries, against counts by hand and by sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.impact.intent import COLUMNS, count_intent, intent_words

CASE = st.tuples(st.booleans(), st.booleans(), st.sampled_from([-0.5, 0.0, 0.25]), st.booleans())


def test_four_queries_by_hand():
    found = count_intent(
        np.array([True, True, True, False]),
        changed=np.array([True, True, False, True]),
        difference=np.array([0.5, -0.5, 0.0, 0.25]),
        undecided=np.array([True, False, False, True]),
    )

    assert found.as_json() == {
        "intended": {"queries": 3, "changed": 2, "improved": 1, "worse": 1, "same": 1, "undecided": 1},
        "others": {"queries": 1, "changed": 1, "improved": 1, "worse": 0, "same": 0, "undecided": 1},
        "changed": 3,
        "precision": 2 / 3,
        "recall": 2 / 3,
    }
    assert [column.read(found) for column in COLUMNS] == [3, 2, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 2 / 3, 2 / 3]


@given(st.lists(CASE, min_size=1, max_size=30))
def test_precision_and_recall_are_those_of_sets(cases):
    intended, changed, difference, undecided = (np.array(column) for column in zip(*cases, strict=True))
    found = count_intent(intended, changed=changed, difference=difference, undecided=undecided)
    named = {place for place, case in enumerate(cases) if case[0]}
    moved = {place for place, case in enumerate(cases) if case[1]}

    assert found.precision == (len(named & moved) / len(moved) if moved else None)
    assert found.recall == (len(named & moved) / len(named) if named else None)
    assert found.intended.changed == len(named & moved)
    assert found.others.changed == len(moved - named)
    for part, size in ((found.intended, len(named)), (found.others, len(cases) - len(named))):
        assert part.queries == size == part.improved + part.worse + part.same


def test_without_grades_only_changes_are_counted():
    found = count_intent(np.array([True, False]), changed=np.array([False, False]))

    assert (found.precision, found.recall) == (None, 0.0)
    assert (found.intended.improved, found.others.undecided) == (None, None)


def test_where_nobody_compares_pages_there_is_no_precision():
    found = count_intent(np.array([True, False]), changed=None, difference=np.array([0.5, 0.0]))

    assert (found.changed, found.precision, found.recall) == (None, None, None)
    assert found.intended.improved == 1


def test_both_halves_are_said_in_a_sentence_each():
    pages = {"changed": np.array([True, False]), "difference": np.array([0.5, 0.0])}
    some = intent_words(count_intent(np.array([True, False]), **pages), ranks=True)
    every = intent_words(count_intent(np.array([True, True]), **pages), ranks=False)
    none = intent_words(count_intent(np.array([False, False]), **pages), ranks=True)
    unseen = intent_words(
        count_intent(np.array([True, False]), changed=None, difference=pages["difference"]), ranks=True
    )
    bare = intent_words(count_intent(np.array([True, False]), changed=pages["changed"]), ranks=True)

    assert "1 changed, 1 improved" in some
    assert "1 other query" in some
    assert "went up" in every
    assert "other" not in every
    assert none == "None of the intended queries is compared."
    assert "changed" not in unseen
    assert "1 improved" in unseen
    assert "improved" not in bare
    assert "1 changed" in bare
