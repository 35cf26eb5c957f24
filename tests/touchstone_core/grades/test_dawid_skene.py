"""Dawid-Skene against crowd-kit, against the paper written out, and at its edges."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.judgments.agreement import real
from tests.touchstone_core.grades.make_crowd_kit_answers import of_first_pairs
from touchstone_core.grades.dawid_skene import Labels, dawid_skene, misgivings, prior

ANSWERS = Path(__file__).parent / "crowd_kit_answers.json"


def labels_of(rows, grades):
    """From (pair, rater, grade index), pairs and raters in the order of their names."""
    pairs, raters = (sorted({row[column] for row in rows}) for column in (0, 1))
    return Labels(
        np.array([pairs.index(pair) for pair, _, _ in rows], dtype=np.int64),
        np.array([raters.index(rater) for _, rater, _ in rows], dtype=np.int64),
        np.array([grade for _, _, grade in rows], dtype=np.int64),
        grades,
    )


@pytest.fixture(scope="module")
def crowd():
    return labels_of(of_first_pairs(real.vuurens_labels()), 2)


@pytest.mark.parametrize("rounds", ["5", "25", "100"])
def test_crowd_kit_gives_the_same_chances(crowd, rounds):
    known = np.array(json.loads(ANSWERS.read_text())["rounds"][rounds])

    found = dawid_skene(crowd, np.zeros((2, 2)), rounds=int(rounds), tolerance=0)

    assert len(known) == crowd.pairs == 300
    assert np.abs(found.chances[:, 1] - known).max() < 1e-6
    assert (found.likeliest == (known > 0.5)).all()


def written_out(rows, grades, weights, rounds):
    """Dawid & Skene 1979, equations 2.3 to 2.5, label by label; `weights` are added to the counts of 2.3."""
    pairs, raters = (sorted({row[column] for row in rows}) for column in (0, 1))
    chances = {}
    for pair in pairs:
        own = [grade for name, _, grade in rows if name == pair]
        chances[pair] = [own.count(grade) / len(own) for grade in range(grades)]
    for _ in range(rounds):
        shares = [sum(chances[pair][t] for pair in pairs) / len(pairs) for t in range(grades)]
        habits = {}
        for rater in raters:
            counts = [[weights[t][g] for g in range(grades)] for t in range(grades)]
            for pair, name, grade in rows:
                if name == rater:
                    for t in range(grades):
                        counts[t][grade] += chances[pair][t]
            habits[rater] = [[count / sum(row) for count in row] for row in counts]
        fresh = {}
        for pair in pairs:
            products = list(shares)
            for name, rater, grade in rows:
                if name == pair:
                    products = [product * habits[rater][t][grade] for t, product in enumerate(products)]
            fresh[pair] = [product / sum(products) for product in products]
        chances = fresh
    return np.array([chances[pair] for pair in pairs])


@pytest.mark.parametrize("variant", ["nominal", "ordinal"])
def test_the_method_is_the_paper_with_a_prior(variant):
    rng = np.random.default_rng(5)
    right = rng.integers(4, size=40)
    rows = [
        (f"p{pair:02}", f"r{rater}", int(np.clip(right[pair] + rng.integers(-1, 2), 0, 3)))
        for pair in range(40)
        for rater in range(5)
        if rng.random() < 0.7
    ]
    weights = prior(variant, 4)

    found = dawid_skene(labels_of(rows, 4), weights, rounds=12, tolerance=0)

    assert found.rounds == 12
    assert found.chances == pytest.approx(written_out(rows, 4, weights, 12))
    assert found.habits.sum(axis=2) == pytest.approx(1)
    assert found.shares.sum() == pytest.approx(1)


def test_the_priors():
    assert prior("ordinal", 4)[0].tolist() == [2.0, 0.7, 0.2, 0.2]
    assert prior("nominal", 3)[1].tolist() == [0.5, 2.0, 0.5]


def uneven(pairs=400):
    """Three good raters and three who click at random, three judgments for each pair."""
    rng = np.random.default_rng(11)
    right = rng.integers(4, size=pairs)
    rows = []
    for pair in range(pairs):
        for rater in rng.choice(6, size=3, replace=False):
            sure = rng.random() < 0.9
            rows.append((pair, rater, right[pair] if rater < 3 and sure else rng.integers(4)))
    return right, labels_of(rows, 4)


@pytest.mark.parametrize("variant", ["nominal", "ordinal"])
def test_raters_who_click_at_random_lose_their_say(variant):
    right, labels = uneven()

    found = dawid_skene(labels, prior(variant, 4))

    votes = np.zeros((400, 4))
    np.add.at(votes, (labels.pair, labels.grade), 1)
    assert found.converged
    assert (found.likeliest == right).mean() > (votes.argmax(axis=1) == right).mean() + 0.05
    assert np.einsum("rtt->r", found.habits)[:3].min() > 3
    assert np.einsum("rtt->r", found.habits)[3:].max() < 2


def test_the_same_judgments_give_the_same_answer():
    _, labels = uneven(60)

    one, other = (dawid_skene(labels, prior("ordinal", 4)) for _ in range(2))

    assert (one.chances == other.chances).all()
    assert one.rounds == other.rounds


def test_rounds_end_the_search_where_the_tolerance_does_not():
    _, labels = uneven(60)

    found = dawid_skene(labels, prior("nominal", 4), rounds=2)

    assert (found.rounds, found.converged) == (2, False)


def test_equal_chances_go_to_the_lower_grade():
    found = dawid_skene(labels_of([("p", "a", 0), ("p", "b", 1)], 2), prior("nominal", 2))

    assert found.likeliest.tolist() == [0]
    assert found.mean_grades(np.array([0.0, 3.0])) == pytest.approx([1.5])


def test_a_grade_that_nobody_gave_has_no_chance():
    found = dawid_skene(labels_of([("p", "a", 0), ("q", "a", 2), ("q", "b", 2)], 3), np.zeros((3, 3)))

    assert found.chances[:, 1].max() < 1e-9


def test_no_judgments_give_no_estimate():
    found = dawid_skene(labels_of([], 3), prior("ordinal", 3))

    assert found.chances.shape == (0, 3)
    assert found.habits.shape == (0, 3, 3)
    assert found.likeliest.tolist() == []


def test_misgivings_say_what_is_too_little():
    assert misgivings(pairs=300) == []
    assert misgivings(pairs=40) == [
        "The model needs 300 pairs with two judgments or more, by raters who gave at least 20. This list has 40."
    ]
    assert misgivings(pairs=1)[0].endswith("This list has 1.")
    assert misgivings(pairs=0)[0].endswith("This list has none.")
