"""How far the raters of a list agree: the headline, every query, the use of grades."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from judgments.agreement import alpha as shares
from judgments.agreement import coefficients, resampling
from judgments.agreement.figures import NO_COUPLES, ONE_GRADE, Figure, Level
from judgments.agreement.sql import agreement as ingest
from judgments.agreement.units import Floats, Ints, Units, coincidences, counts, moments
from judgments.base.digits import written
from judgments.models import JudgmentList, Scale
from touchstone_core.grades.accuracy import CONTINUOUS_TOLERANCE

FEW_PAIRS = 20
"""Below this many pairs with two judgments, the alpha of a query is shown pale."""
PREVAILS = 0.8
STEADY = 5
"""How many pairs of the list's mean distance a query is mixed with before queries are ordered by it."""
NO_NEARNESS = "Only scales with an order and three grades or more have near misses."
FREE_FLEISS = "Fleiss' kappa is for grades on fixed steps."
FREE_GWET = "Gwet's coefficients are for grades on fixed steps."

SORTS = {
    "worth": "those most worth a look",
    "agreement": "the least agreement",
    "distance": "the widest apart",
    "alpha": "the lowest alpha",
    "pairs": "the most pairs",
}


@dataclass(frozen=True, slots=True)
class Steps:
    """The grades of a list, rising, with their labels; of a scale without fixed steps none, but its range."""

    level: Level
    values: Floats
    labels: list[str]
    low: float
    high: float
    continuous: bool

    @property
    def places(self) -> Floats:
        """Where grades stand when distances are taken: values at interval level, else positions."""
        return self.values if self.level == "interval" else np.arange(len(self.values), dtype=np.float64)

    @property
    def tolerance(self) -> float:
        """How far apart two answers without fixed steps may be and still agree."""
        return CONTINUOUS_TOLERANCE * (self.high - self.low)

    @property
    def center(self) -> float:
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Headline:
    """What is said of all pairs with two or more judgments. `interval` is None where `interval_why` says why."""

    alpha: Figure
    interval: resampling.Interval | None
    interval_why: str
    level: Level
    queries: int
    pairs: int
    judgments: int
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
        """Whether one grade is so common that alpha falls for that alone, so that Gwet's coefficient is worth a look."""
        return self.prevailing > PREVAILS

    @property
    def bar(self) -> tuple[float, float, float]:
        """For a line from 0 to 100: where alpha ends, where its interval begins and how wide it is."""
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
    """One entry for each query with a pair that has two judgments. NaN where a figure is not defined."""

    query_ids: list[int]
    pairs: Ints
    agreement: Floats
    distance: Floats
    alpha: Floats

    def order(self, sort: str) -> Ints:
        """The indices of queries, by one of SORTS; what is not defined comes last."""
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
        """The mean distance, or the share of disagreement where grades have none, drawn to the list's for few pairs."""
        apart = np.where(np.isnan(self.distance), 1 - self.agreement, self.distance)
        mean = (apart @ self.pairs) / max(1, self.pairs.sum())
        found: Floats = (apart * self.pairs + mean * STEADY) / (self.pairs + STEADY)
        return found


@dataclass(frozen=True, slots=True)
class GradeUse:
    """`counts` of each grade or bin, named by `labels`; `cannot` are answers without a grade."""

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
        """The share of the grades between the lowest and the highest; None where there are none."""
        return sum(self.shares[1:-1]) if len(self.counts) > 2 and self.total else None


@dataclass(frozen=True, slots=True)
class Agreement:
    """`coincidences` (V, V) of all pairs together; None on a scale without fixed steps."""

    steps: Steps
    headline: Headline
    by_query: ByQuery
    coincidences: Floats | None


def steps_of(scale: Scale) -> Steps:
    """One query. Whatever its level is called, a scale without fixed steps is taken at interval level."""
    grades = [] if scale.continuous else list(scale.grades.values_list("value", "label").order_by("value"))
    levels: dict[str, Level] = {"nominal": "nominal", "ordinal": "ordinal", "interval": "interval"}
    values = np.array([value for value, _ in grades], dtype=np.float64)
    return Steps(
        "interval" if scale.continuous else levels[scale.level],
        values,
        [f"{written(value)} {label}" for value, label in grades],
        scale.minimum,
        scale.maximum,
        scale.continuous,
    )


def agreement(judgment_list: JudgmentList, steps: Steps, *, without: Sequence[int] = ()) -> Agreement:
    """One query for the judgments; `without` are the ids of raters who are left out."""
    found = ingest.combinations(judgment_list.pk, singles=not steps.continuous, without=without)
    return _free(found, steps) if steps.continuous else _fixed(found, steps)


def _fixed(found: ingest.Combinations, steps: Steps) -> Agreement:
    """Grades on fixed steps: everything from coincidence matrices."""
    sums = coincidences(found.units, steps.values)
    total = sums.sum(axis=0)
    positions = np.arange(len(steps.values))
    ordered = steps.level != "nominal"
    given, alike = counts(found.units, steps.values), found.units.pairs_of_kinds
    weights = coefficients.quadratic_weights(steps.places) if ordered else np.eye(len(steps.values))
    singles = np.array([found.singles.get(value, 0) for value in steps.values.tolist()])
    nearness = ordered and len(steps.values) > 2
    headline = _headline(
        found.units,
        sums,
        lambda drawn: shares.alpha(drawn, steps.values, steps.level),
        level=steps.level,
        agreement=Figure.of(float(shares.observed_agreement(total)), NO_COUPLES),
        chance=Figure.of(float(shares.expected_agreement(total)), NO_COUPLES),
        near=Figure.of(float(shares.within_one(total, positions)) if nearness else np.nan, NO_NEARNESS),
        all_agree=Figure.of(coefficients.all_agree(given, alike), NO_COUPLES),
        fleiss=coefficients.fleiss(given, alike),
        gwet=coefficients.gwet(given, alike, singles, weights),
        gwet_name="AC2" if ordered else "AC1",
        prevailing=float(total.sum(axis=0).max(initial=0.0) / max(1.0, total.sum())),
    )
    distance = shares.mean_distance(sums, steps.places)
    by_query = ByQuery(
        found.query_ids,
        found.units.pairs_of_queries,
        shares.observed_agreement(sums),
        distance if ordered else np.full_like(distance, np.nan),
        shares.alpha(sums, steps.values, steps.level),
    )
    return Agreement(steps, headline, by_query, total)


def _free(found: ingest.Combinations, steps: Steps) -> Agreement:
    """Grades without fixed steps: sums of values; two answers agree if they are a tenth of the range apart or less."""
    sums = moments(found.units, center=steps.center, near=steps.tolerance)
    total = sums.sum(axis=0)
    headline = _headline(
        found.units,
        sums,
        shares.alpha_of_moments,
        level=steps.level,
        agreement=Figure.of(float(shares.near_share_of_moments(total)), NO_COUPLES),
        chance=Figure(None, "Not worked out for grades without fixed steps; alpha takes it into account."),
        near=Figure(None, NO_NEARNESS),
        all_agree=Figure(None, NO_NEARNESS),
        fleiss=Figure(None, FREE_FLEISS),
        gwet=Figure(None, FREE_GWET),
        gwet_name="AC2",
        prevailing=0.0,
    )
    by_query = ByQuery(
        found.query_ids,
        found.units.pairs_of_queries,
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
        **figures,  # type: ignore[arg-type]
    )


def _why_no_interval(queries: int) -> str:
    if queries < 2:
        return "An interval needs at least two queries with pairs that have two judgments."
    return "Too few grades differ for an interval: in many drawings of the queries all are the same."


READINGS = (
    (0.8, "Raters agree closely."),
    (2 / 3, "Raters agree well. Three raters of a product search reached 0.77."),
    (0.4, "Raters agree in part, as they often do on search results."),
    (0.2, "Raters agree little, as untrained crowds do. Look at the guidelines, and at the queries below."),
    (0.0, "Raters agree hardly more than by chance. Look at the guidelines, and at the queries below."),
)
NOMINAL_READINGS = (
    (0.8, "Raters agree closely."),
    (
        0.6,
        "Raters agree well. Three raters of a product search reached 0.64 when near misses counted as misses.",
    ),
    *READINGS[2:],
)
"""At nominal level two neighboring grades are as different as any two, and alpha is that of Fleiss' kappa: the
marks are those of Landis & Koch 1977 for kappa. The product search is data of Chorus, at both levels."""


def reading(alpha: float | None, level: Level) -> str:
    """An alpha in plain words, beside what is usual at its level; the customary marks are no gates. Nothing for none."""
    if alpha is None:
        return ""
    less = "Raters agree less than by chance. Look whether grades or pairs have been mixed up."
    readings = NOMINAL_READINGS if level == "nominal" else READINGS
    return next((words for least, words in readings if alpha >= least), less)
