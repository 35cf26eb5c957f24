"""Whether single raters have become stricter or milder than others, over their latest judgments. For admins to look at."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import sqrt

import numpy as np

from judgments import accuracy
from judgments.ingest.drift import Beside, beside_others
from judgments.models import JudgmentList
from judgments.reports.agreement import Steps

SLICES = 10
SHOWN = 20
LATEST, LEAST, AT_ONCE = 1_000, 100, 20_000
"""How many judgments of a rater are looked at: at most, at least, and of all raters together."""
HEIGHT = 40.0
"""Of a chart that is 100 wide."""
MOST_POINTS = 200

WAYS = {"higher": "grades above the others now", "lower": "grades below the others now"}


@dataclass(frozen=True, slots=True)
class Slice:
    """A tenth of a rater's judgments. `apart` is the mean difference, `average` the moving one at its end."""

    since: datetime
    until: datetime
    judgments: int
    same: float
    apart: float
    average: float


@dataclass(frozen=True, slots=True)
class Chart:
    """In a box of 100 × HEIGHT: the line of the moving average, and where its limits and its 0 stand."""

    line: str
    upper: float
    lower: float
    zero: float

    @property
    def band(self) -> float:
        return self.lower - self.upper


@dataclass(frozen=True, slots=True)
class RaterDrift:
    """`way` says in words what an admin should look at; empty if nothing. No chart for grades without an order."""

    rater_id: int
    name: str
    judgments: int
    way: str
    slices: list[Slice]
    chart: Chart | None


@dataclass(frozen=True, slots=True)
class Drift:
    """`limit` is three standard deviations of the moving average, as far from 0 as chance hardly brings it."""

    raters: list[RaterDrift]
    limit: float
    looked_at: int


def drift(
    judgment_list: JudgmentList,
    steps: Steps,
    names: Mapping[int, str],
    rater_ids: Sequence[int],
    *,
    without: Sequence[int] = (),
) -> Drift:
    """The first raters of `rater_ids`, those to look at first. One statement, of bounded cost.

    The moving average weighs each judgment with a tenth (Roberts 1959); the standard deviation is that of all raters here.
    """
    shown = list(rater_ids)[:SHOWN]
    looked_at = max(LEAST, min(LATEST, AT_ONCE // max(1, len(shown))))
    near = steps.tolerance if steps.continuous else 0.0
    found: dict[int, list[Beside]] = defaultdict(list)
    for one in beside_others(judgment_list.pk, shown, near=near, limit=looked_at, without=without):
        found[one.rater_id].append(one)
    apart = [one.apart for own in found.values() for one in own]
    sigma = float(np.std(apart)) if apart and steps.level != "nominal" else 0.0
    limit = 3 * sigma * sqrt(accuracy.WEIGHT / (2 - accuracy.WEIGHT))
    rows = [
        _of_rater(rater_id, names[rater_id], found[rater_id], sigma, limit)
        for rater_id in shown
        if len(found[rater_id]) >= accuracy.ENOUGH
    ]
    return Drift(sorted(rows, key=lambda row: not row.way), limit, looked_at)


def _of_rater(rater_id: int, name: str, own: Sequence[Beside], sigma: float, limit: float) -> RaterDrift:
    differences = [one.apart for one in own]
    averages = accuracy.moving_averages(differences)
    way = accuracy.drift(differences, sigma)
    chart = _chart(averages, limit) if limit else None
    return RaterDrift(rater_id, name, len(own), WAYS.get(way, ""), list(_slices(own, averages)), chart)


def _slices(own: Sequence[Beside], averages: Sequence[float]) -> Iterator[Slice]:
    for part in np.array_split(np.arange(len(own)), SLICES):
        these = [own[at] for at in part]
        yield Slice(
            since=these[0].at,
            until=these[-1].at,
            judgments=len(these),
            same=float(np.mean([one.same for one in these])),
            apart=float(np.mean([one.apart for one in these])),
            average=averages[part[-1]],
        )


def _chart(averages: Sequence[float], limit: float) -> Chart:
    """The limits stand at a quarter and three quarters, unless the line would leave the box: then all is drawn smaller."""
    reach = max(2 * limit, 1.05 * max(map(abs, averages)))
    places = np.linspace(0, len(averages) - 1, min(len(averages), MOST_POINTS)).round().astype(int).tolist()
    last = len(averages) - 1
    line = " ".join(f"{100 * at / last:.2f},{_height(averages[at], reach):.2f}" for at in places)
    return Chart(line, _height(limit, reach), _height(-limit, reach), _height(0, reach))


def _height(value: float, reach: float) -> float:
    return HEIGHT / 2 * (1 - value / reach)
