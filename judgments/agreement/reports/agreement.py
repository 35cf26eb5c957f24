"""How far the raters of a list agree: the headline, every query, the use of grades."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from judgments.agreement import alpha as shares
from judgments.agreement import coefficients, resampling
from judgments.agreement.figures import NO_COUPLES, ONE_GRADE, Figure, Level
from judgments.agreement.sql import agreement as sql
from judgments.agreement.units import Floats, Ints, Units, coincidences, counts, moments
from judgments.base.digits import written
from judgments.models import JudgmentList, Scale
from judgments.models.scale import CONTINUOUS_TOLERANCE

FEW_PAIRS = 20
"""With fewer pairs with two judgments, a query's alpha is shown pale."""
PREVAILS = 0.8
STEADY = 5
"""Each query's mean distance is averaged with this many pairs of the list's mean, so that queries with few pairs don't lead."""
NO_NEARNESS = "Only scales with an order and three grades or more have near misses."
FREE_FLEISS = "Fleiss’ kappa needs grades on fixed steps."
FREE_GWET = "Gwet’s coefficients need grades on fixed steps."

SORTS = {
    "worth": "queries to review",
    "agreement": "the least agreement",
    "distance": "the widest apart",
    "alpha": "the lowest alpha",
    "pairs": "the most pairs",
}


@dataclass(frozen=True, slots=True)
class Steps:
    """The grades of a scale, rising, with their labels; a scale without fixed steps has none, only its range."""

    level: Level
    values: Floats
    labels: list[str]
    low: float
    high: float
    continuous: bool

    @property
    def places(self) -> Floats:
        """The numbers between which distances are measured: values at interval level, otherwise positions."""
        return self.values if self.level == "interval" else np.arange(len(self.values), dtype=np.float64)

    @property
    def tolerance(self) -> float:
        """How far apart two grades without fixed steps may be and still count as the same."""
        return CONTINUOUS_TOLERANCE * (self.high - self.low)

    @property
    def center(self) -> float:
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Headline:
    """The figures of all pairs with two or more judgments. If `interval` is None, `interval_why` gives the reason.

    `harmonic_size` is the harmonic mean of the pairs' numbers of judgments.
    """

    alpha: Figure
    interval: resampling.Interval | None
    interval_why: str
    level: Level
    queries: int
    pairs: int
    judgments: int
    harmonic_size: float
    agreement: Figure
    chance: Figure
    near: Figure
    all_agree: Figure
    fleiss: Figure
    gwet: Figure
    gwet_name: str
    prevailing: float

    @property
    def wide(self) -> bool:
        return self.interval is not None and self.queries < resampling.FEW_QUERIES

    @property
    def one_prevails(self) -> bool:
        """Whether one grade is so common that this alone makes alpha low, so that Gwet's coefficient is shown as well."""
        return self.prevailing > PREVAILS

    @property
    def bar(self) -> tuple[float, float, float]:
        """On a line from 0 to 100: the end of alpha's bar, the start of its interval, and the interval's width."""
        end = 100 * min(1.0, max(0.0, self.alpha.value or 0.0))
        low, high = (
            (100 * max(0.0, edge) for edge in (self.interval.low, self.interval.high))
            if self.interval
            else (0, 0)
        )
        return end, low, high - low

    @property
    def reading(self) -> str:
        return reading(self.alpha.value, self.level)


@dataclass(frozen=True, slots=True)
class ByQuery:
    """One entry for each query with a pair that has two judgments. Undefined figures are NaN."""

    query_ids: list[int]
    pairs: Ints
    agreement: Floats
    distance: Floats
    alpha: Floats

    def order(self, sort: str) -> Ints:
        """The indices of queries, by one of SORTS; undefined figures come last."""
        keys = {
            "worth": -self.worth,
            "agreement": self.agreement,
            "distance": -self.distance,
            "alpha": self.alpha,
            "pairs": -self.pairs,
        }
        return np.argsort(keys[sort], kind="stable")

    @property
    def worth(self) -> Floats:
        """The mean distance (nominal: the share that differs), pulled towards the list's mean if there are few pairs."""
        apart = np.where(np.isnan(self.distance), 1 - self.agreement, self.distance)
        mean = (apart @ self.pairs) / max(1, self.pairs.sum())
        worth: Floats = (apart * self.pairs + mean * STEADY) / (self.pairs + STEADY)
        return worth


@dataclass(frozen=True, slots=True)
class GradeUse:
    """`counts` of each grade or bin, named by `labels`; `cannot` counts answers without a grade."""

    labels: list[str]
    counts: list[int]
    cannot: int

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def shares(self) -> list[float]:
        return [count / self.total if self.total else 0.0 for count in self.counts]

    @property
    def middle(self) -> float | None:
        """The share of the grades between the lowest and the highest; None if there are no such grades."""
        return sum(self.shares[1:-1]) if len(self.counts) > 2 and self.total else None


@dataclass(frozen=True, slots=True)
class Agreement:
    """`coincidences` (V, V) are those of all pairs together; None on a scale without fixed steps."""

    steps: Steps
    headline: Headline
    by_query: ByQuery
    coincidences: Floats | None


def steps_of(scale: Scale) -> Steps:
    """One query. A scale without fixed steps is always treated as an interval scale."""
    grades = [] if scale.continuous else list(scale.grades.values_list("value", "label").order_by("value"))
    values = np.array([value for value, _ in grades], dtype=np.float64)
    return Steps(
        "interval" if scale.continuous else cast("Level", scale.level),
        values,
        [f"{written(value)} {label}" for value, label in grades],
        scale.minimum,
        scale.maximum,
        scale.continuous,
    )


def agreement(judgment_list: JudgmentList, steps: Steps, *, without: Sequence[int] = ()) -> Agreement:
    """One query for the judgments; `without` are the IDs of raters who are left out."""
    combinations = sql.combinations(judgment_list.pk, singles=not steps.continuous, without=without)
    return _on_range(combinations, steps) if steps.continuous else _on_steps(combinations, steps)


def _on_steps(combinations: sql.Combinations, steps: Steps) -> Agreement:
    """Grades on fixed steps: everything from coincidence matrices."""
    units = combinations.units
    sums = coincidences(units, steps.values)
    total = sums.sum(axis=0)
    positions = np.arange(len(steps.values))
    has_order = steps.level != "nominal"
    grade_counts, pairs = counts(units, steps.values), units.pairs_of_kinds
    weights = coefficients.quadratic_weights(steps.places) if has_order else np.eye(len(steps.values))
    singles = np.array([combinations.singles.get(value, 0) for value in steps.values.tolist()])
    nearness = has_order and len(steps.values) > 2
    headline = _headline(
        units,
        sums,
        lambda samples: shares.alpha(samples, steps.values, steps.level),
        level=steps.level,
        agreement=Figure.of(float(shares.observed_agreement(total)), NO_COUPLES),
        chance=Figure.of(float(shares.expected_agreement(total)), NO_COUPLES),
        near=Figure.of(float(shares.within_one(total, positions)) if nearness else np.nan, NO_NEARNESS),
        all_agree=Figure.of(coefficients.all_agree(grade_counts, pairs), NO_COUPLES),
        fleiss=coefficients.fleiss(grade_counts, pairs),
        gwet=coefficients.gwet(grade_counts, pairs, singles, weights),
        gwet_name="AC2" if has_order else "AC1",
        prevailing=float(total.sum(axis=0).max(initial=0.0) / max(1.0, total.sum())),
    )
    distance = shares.mean_distance(sums, steps.places)
    by_query = ByQuery(
        combinations.query_ids,
        units.pairs_of_queries,
        shares.observed_agreement(sums),
        distance if has_order else np.full_like(distance, np.nan),
        shares.alpha(sums, steps.values, steps.level),
    )
    return Agreement(steps, headline, by_query, total)


def _on_range(combinations: sql.Combinations, steps: Steps) -> Agreement:
    """Grades without fixed steps: sums of values. Two answers agree if they are at most a tenth of the range apart."""
    sums = moments(combinations.units, center=steps.center, near=steps.tolerance)
    total = sums.sum(axis=0)
    headline = _headline(
        combinations.units,
        sums,
        shares.alpha_of_moments,
        level=steps.level,
        agreement=Figure.of(float(shares.near_share_of_moments(total)), NO_COUPLES),
        chance=Figure(None, "Not computed for grades without fixed steps. Alpha takes it into account."),
        near=Figure(None, NO_NEARNESS),
        all_agree=Figure(None, NO_NEARNESS),
        fleiss=Figure(None, FREE_FLEISS),
        gwet=Figure(None, FREE_GWET),
        gwet_name="AC2",
        prevailing=0.0,
    )
    by_query = ByQuery(
        combinations.query_ids,
        combinations.units.pairs_of_queries,
        shares.near_share_of_moments(sums),
        shares.mean_distance_of_moments(sums),
        shares.alpha_of_moments(sums),
    )
    return Agreement(steps, headline, by_query, None)


def _headline(
    units: Units, sums: Floats, figure: Callable[[Floats], Floats], *, level: Level, **figures: object
) -> Headline:
    value = float(figure(sums.sum(axis=0)))
    interval = resampling.interval(sums, figure)
    return Headline(
        alpha=Figure.of(value, ONE_GRADE if len(units.pairs) else NO_COUPLES),
        interval=interval,
        interval_why="" if interval else _why_no_interval(len(sums)),
        level=level,
        queries=len(sums),
        pairs=int(units.pairs.sum()),
        judgments=units.judgments,
        harmonic_size=units.harmonic_size,
        **figures,  # type: ignore[arg-type]
    )


def _why_no_interval(queries: int) -> str:
    if queries < 2:
        return "An interval needs at least two queries with pairs that have two judgments."
    return "Too few grades differ for an interval: in many samples of the queries all grades are the same."


READINGS = (
    (0.8, "Raters agree closely."),
    (2 / 3, "Raters agree well. Three raters of a product search reached 0.77."),
    (0.4, "Raters agree moderately, as they often do on search results."),
    (0.2, "Raters agree little, as untrained crowds do. Review the guidelines, and the queries below."),
    (0.0, "Raters agree hardly more than by chance. Review the guidelines, and the queries below."),
)
NOMINAL_READINGS = (
    (0.8, "Raters agree closely."),
    (
        0.6,
        "Raters agree well. Three raters of a product search reached 0.64 with near misses counted as misses.",
    ),
    *READINGS[2:],
)
"""For a nominal category two neighboring grades are as different as any two, and alpha is close to Fleiss' kappa, so these
limits are the ones of Landis & Koch 1977 for kappa. The product search is Chorus data, at both levels."""


def reading(alpha: float | None, level: Level) -> str:
    """An alpha in plain words, compared with what is usual at its level. Empty if there is none."""
    if alpha is None:
        return ""
    less = "Raters agree less than by chance. Check whether grades or pairs were mixed up."
    readings = NOMINAL_READINGS if level == "nominal" else READINGS
    return next((words for least, words in readings if alpha >= least), less)
