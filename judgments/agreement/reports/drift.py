"""Whether raters have become stricter or milder than others, over their latest judgments. For admins to review."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from judgments.agreement.reports.agreement import Steps
from judgments.agreement.sql.drift import ComparedJudgment, compared_judgments
from judgments.models import JudgmentList
from judgments.raters import strictness
from touchstone_core.grades import accuracy

SLICES = 10
MOST_RATERS = 20
LATEST, LEAST, AT_ONCE = 1_000, 100, 20_000
"""Judgments read of each rater, at most and at least, and of all raters together."""
HEIGHT = 40.0
"""The height of a chart; it is 100 wide."""
MOST_POINTS = 200

WAYS = {"higher": "grades higher than before", "lower": "grades lower than before"}


@dataclass(frozen=True, slots=True)
class Slice:
    """A tenth of a rater's judgments. `apart` is the mean difference, `average` the moving average at its end."""

    since: datetime
    until: datetime
    judgments: int
    same: float
    apart: float
    average: float


@dataclass(frozen=True, slots=True)
class Chart:
    """In a box of 100 × HEIGHT: the line of the moving average, and the heights of the rater's own mean and of 0."""

    line: str
    usual: float
    zero: float


@dataclass(frozen=True, slots=True)
class RaterDrift:
    """`way` says what an admin should review; empty if nothing. Grades without an order have no chart."""

    rater_id: int
    name: str
    judgments: int
    way: str
    slices: list[Slice]
    chart: Chart | None


@dataclass(frozen=True, slots=True)
class Drift:
    """`ordered`: whether grades have an order. `looked_at` is the number of judgments read of each rater."""

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
    """The first raters of `rater_ids`, those to review first. One statement of bounded cost.

    The moving average gives each judgment a weight of one tenth (Roberts 1959). All charts have the same scale.
    """
    rater_ids = rater_ids[:MOST_RATERS]
    limit = max(LEAST, min(LATEST, AT_ONCE // max(1, len(rater_ids))))
    near = steps.tolerance if steps.continuous else 0.0
    by_rater: dict[int, list[ComparedJudgment]] = {rater_id: [] for rater_id in rater_ids}
    for one in compared_judgments(judgment_list.pk, rater_ids, near=near, limit=limit, without=without):
        by_rater[one.rater_id].append(one)
    has_order = steps.level != "nominal"
    by_rater = {rater_id: own for rater_id, own in by_rater.items() if len(own) >= accuracy.ENOUGH}
    lines = {
        rater_id: accuracy.moving_averages([one.apart for one in own]) for rater_id, own in by_rater.items()
    }
    reach = 1.05 * max((abs(value) for line in lines.values() for value in line), default=0.0)
    rows = [
        RaterDrift(
            rater_id,
            names[rater_id],
            len(own),
            WAYS.get(_way(own), "") if has_order else "",
            list(_slices(own, lines[rater_id])),
            _chart(own, lines[rater_id], reach or 1.0) if has_order else None,
        )
        for rater_id, own in by_rater.items()
    ]
    return Drift(sorted(rows, key=lambda row: not row.way), has_order, limit)


def _way(own: Sequence[ComparedJudgment]) -> str:
    return strictness.drift(
        [one.apart for one in own], [one.others for one in own], [one.query_id for one in own]
    )


def _slices(own: Sequence[ComparedJudgment], averages: Sequence[float]) -> Iterator[Slice]:
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


def _chart(own: Sequence[ComparedJudgment], averages: Sequence[float], reach: float) -> Chart:
    """`reach` is the value at the upper edge."""
    places = np.linspace(0, len(averages) - 1, min(len(averages), MOST_POINTS)).round().astype(int).tolist()
    last = len(averages) - 1
    line = " ".join(f"{100 * at / last:.2f},{_height(averages[at], reach):.2f}" for at in places)
    usual = float(np.clip(np.mean([one.apart for one in own]), -reach, reach))
    return Chart(line, _height(usual, reach), _height(0, reach))


def _height(value: float, reach: float) -> float:
    return HEIGHT / 2 * (1 - value / reach)
