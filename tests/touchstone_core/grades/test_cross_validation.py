"""Model and plain rules on held-back judgments: the rules written out, and raters of whom one knows who is right."""

from statistics import correlation

import numpy as np
import pytest

from touchstone_core.grades.cross_validation import compare
from touchstone_core.grades.dawid_skene import Labels

pytestmark = pytest.mark.sampled

SCALE = np.arange(4.0)


def labels(rows):
    pair, rater, grade = np.array(rows, dtype=np.int64).T
    return Labels(pair, rater, grade, 4)


def crowd(rng, pairs, each, *, careless=0, raters=10):
    """`each` raters per pair, right or one off; the first `careless` of them press any key."""
    rows = []
    for pair in range(pairs):
        right = rng.integers(4)
        for rater in rng.permutation(raters)[:each]:
            near = np.clip(right + rng.choice([-1, 0, 0, 0, 1]), 0, 3)
            rows.append((pair, rater, rng.integers(4) if rater < careless else near))
    return labels(rows)


@pytest.mark.parametrize("variant", ["ordinal", "nominal"])
def test_among_careless_raters_the_model_is_ahead(variant):
    found = compare(crowd(np.random.default_rng(3), 1_000, 5, careless=4), SCALE, variant)

    assert found.judgments == 1_000
    assert found.model > max(found.plain.values())
    assert 0 < found.low < found.ahead < found.high


def test_where_all_raters_are_alike_the_model_is_seldom_ahead():
    """Of 20 such lists; the interval promises one of 40 where model and rule are equal."""
    ahead = [
        compare(crowd(np.random.default_rng(seed), 300, 2), SCALE, "nominal").low > 0 for seed in range(20)
    ]

    assert sum(ahead) <= 2


def test_the_figure_of_a_plain_rule_is_the_correlation_with_the_other_judgment():
    """Of two judgments one is held back and the other is the grade; which one, chance decides: both ways the same here."""
    rng = np.random.default_rng(2)
    couples = [sorted(rng.integers(4, size=2).tolist()) for _ in range(80)]
    couples += [couple[::-1] for couple in couples]
    rows = [(pair, rater, grade) for pair, couple in enumerate(couples) for rater, grade in enumerate(couple)]

    found = compare(labels(rows), SCALE, "ordinal")

    one, other = zip(*couples, strict=True)
    assert found.plain["mean"] == found.plain["median"] == pytest.approx(correlation(one, other), abs=0.03)


def test_the_interval_is_that_of_drawing_the_pairs_anew():
    rng = np.random.default_rng(5)
    drawn = [compare(crowd(rng, 400, 3, careless=3), SCALE, "ordinal") for _ in range(12)]

    spread = np.std([one.ahead for one in drawn], ddof=1)
    half = np.mean([one.high - one.low for one in drawn]) / 2

    assert 0.5 < half / (1.96 * spread) < 2


def test_a_held_back_judgment_is_not_seen():
    """Each rater has one grade for everything: the other's tells nothing of it."""
    rows = [(pair, rater, 3 * rater) for pair in range(100) for rater in range(2)]

    found = compare(labels(rows), SCALE, "nominal")

    assert found.plain["majority"] == 0


def test_pairs_with_one_judgment_tell_nothing():
    assert compare(labels([(pair, pair % 3, pair % 4) for pair in range(100)]), SCALE, "nominal") is None


def test_grades_that_never_vary_have_no_correlation_and_no_order():
    rows = [(pair, rater, 2) for pair in range(60) for rater in range(3)]

    result = compare(labels(rows), SCALE, "ordinal")

    assert result.model == 0
    assert set(result.plain.values()) == {0}


def chosen(count, variant, pairs, each, **fields):
    """The share of so many lists whose model could be chosen: the whole interval is above 0."""
    crowds = (crowd(np.random.default_rng(seed), pairs, each, **fields) for seed in range(count))
    return np.mean([compare(one, SCALE, variant).low > 0 for one in crowds])


@pytest.mark.parametrize("variant", ["ordinal", "nominal"])
def test_the_model_can_be_chosen_where_four_of_ten_raters_press_any_key(variant):
    """A small part of test_the_rates_of_the_table."""
    assert chosen(5, variant, 400, 5, careless=4) >= 0.4


@pytest.mark.thorough
@pytest.mark.parametrize(("variant", "careless"), [("ordinal", 0.75), ("nominal", 0.45)])
def test_the_rates_of_the_table(variant, careless):
    """In docs/judging.md: 60 lists each."""
    alike = [chosen(60, variant, pairs, each) for pairs, each in ((300, 2), (400, 2))]
    if variant == "ordinal":
        alike += [chosen(60, variant, pairs, 3) for pairs in (300, 400)]

    assert max(alike) <= 0.05
    assert chosen(60, variant, 400, 5, careless=4) >= careless


@pytest.mark.thorough
def test_where_raters_are_alike_the_model_breaks_ties_of_two_better_than_the_majority():
    """So that it is chosen for every tenth list is no false alarm: in a long list it is surely ahead."""
    assert chosen(60, "nominal", 400, 3) <= 0.2
    assert compare(crowd(np.random.default_rng(1), 20_000, 3), SCALE, "nominal").low > 0.01
