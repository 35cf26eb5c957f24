"""Whether single raters have become stricter or milder than others, over their latest judgments. For admins to look at."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from judgments.agreement.reports.agreement import Steps
from judgments.agreement.sql.drift import Beside, beside_others
from judgments.models import JudgmentList
from judgments.raters import strictness
from touchstone_core.grades import accuracy

SLICES = 10
SHOWN = 20
LATEST, LEAST, AT_ONCE = 1_000, 100, 20_000
"""How many judgments of a rater are looked at: at most, at least, and of all raters together."""
HEIGHT = 40.0
"""Of a chart that is 100 wide."""
MOST_POINTS = 200

WAYS = {"higher": "grades higher than before", "lower": "grades lower than before"}


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
    """In a box of 100 × HEIGHT: the line of the moving average, and how high the rater's own mean and 0 stand."""

    line: str
    usual: float
    zero: float


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
    """`ordered`: whether grades have an order, so that one can be higher than another."""

    raters: list[RaterDrift]
    ordered: bool
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

    The moving average weighs each judgment with a tenth (Roberts 1959). All charts have the same scale.
    """
    shown = list(rater_ids)[:SHOWN]
    looked_at = max(LEAST, min(LATEST, AT_ONCE // max(1, len(shown))))
    near = steps.tolerance if steps.continuous else 0.0
    found: dict[int, list[Beside]] = defaultdict(list)
    for one in beside_others(judgment_list.pk, shown, near=near, limit=looked_at, without=without):
        found[one.rater_id].append(one)
    ordered = steps.level != "nominal"
    kept = {rater_id: own for rater_id, own in found.items() if len(own) >= accuracy.ENOUGH}
    lines = {rater_id: _averages(own) for rater_id, own in kept.items()}
    reach = 1.05 * max((abs(value) for line in lines.values() for value in line), default=0.0)
    rows = [
        RaterDrift(
            rater_id,
            names[rater_id],
            len(kept[rater_id]),
            WAYS.get(_way(kept[rater_id]), "") if ordered else "",
            list(_slices(kept[rater_id], lines[rater_id])),
            _chart(kept[rater_id], lines[rater_id], reach or 1.0) if ordered else None,
        )
        for rater_id in shown
        if rater_id in kept
    ]
    return Drift(sorted(rows, key=lambda row: not row.way), ordered, looked_at)


def _averages(own: Sequence[Beside]) -> list[float]:
    return accuracy.moving_averages([one.apart for one in own])


def _way(own: Sequence[Beside]) -> str:
    return strictness.drift(
        [one.apart for one in own], [one.others for one in own], [one.query_id for one in own]
    )


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


def _chart(own: Sequence[Beside], averages: Sequence[float], reach: float) -> Chart:
    """`reach` is how far from 0 the upper edge stands."""
    places = np.linspace(0, len(averages) - 1, min(len(averages), MOST_POINTS)).round().astype(int).tolist()
    last = len(averages) - 1
    line = " ".join(f"{100 * at / last:.2f},{_height(averages[at], reach):.2f}" for at in places)
    usual = float(np.clip(np.mean([one.apart for one in own]), -reach, reach))
    return Chart(line, _height(usual, reach), _height(0, reach))


def _height(value: float, reach: float) -> float:
    return HEIGHT / 2 * (1 - value / reach)
