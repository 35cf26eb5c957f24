"""How machines grade the pairs that people graded (ADR 86). For admins."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from judgments.agreement import rater_pairs as arithmetic
from judgments.agreement import resampling
from judgments.agreement.rater_pairs import FEW_PAIRS
from judgments.agreement.reports.agreement import Steps
from judgments.agreement.reports.rater_agreement import number_or_none
from judgments.agreement.sql import machines as sql
from judgments.agreement.units import Floats
from judgments.models import JudgmentList, Rater
from touchstone_core.formats.columns import Column

NEARLY = 1e-9


@dataclass(frozen=True, slots=True)
class MachineFigures:
    """A machine compared with the grades of pairs, which are people's. Undefined figures are None.

    `bias` is how much higher it grades on average, in grades of the scale, with the 95 % interval from `low` to `high`.
    `counts` has a row for each of people's grades; it's empty on a scale without fixed steps.
    """

    rater_id: int
    pairs: int
    queries: int
    agreement: float | None
    kappa: float | None
    bias: float | None
    low: float | None
    high: float | None
    counts: list[list[int]]


@dataclass(frozen=True, slots=True)
class MachineRow:
    """A machine for the page, files and programs. `judgments` are its grades in the list, also of pairs that no people graded."""

    name: str
    origin: str
    judgments: int
    figures: MachineFigures

    @property
    def enough(self) -> bool:
        return self.figures.pairs >= FEW_PAIRS


COLUMNS: list[Column[MachineRow]] = [
    Column("machine", "", "name", label="Machine"),
    Column("judgments", "", "judgments", label="Judgments"),
    Column("compared", "pairs that people graded, too", "figures__pairs", label="Compared"),
    Column("agreement", "", "figures__agreement", label="Same grade"),
    Column("kappa", "", "figures__kappa", label="Kappa"),
    Column("higher_by", "", "figures__bias", label="Higher by", term="higher by"),
    Column("higher_by_low", "the lower end of its 95 % interval", "figures__low", term="higher by"),
    Column("higher_by_high", "the upper end of its 95 % interval", "figures__high", term="higher by"),
    Column("origin", "what made its grades, as somebody wrote it", "origin", label="Made by"),
]


def machine_figures(
    judgment_list: JudgmentList, steps: Steps, machines: Sequence[int]
) -> list[MachineFigures]:
    """In the order of `machines`, also those that graded nothing that people graded. One statement."""
    by_machine: dict[int, list[tuple[int, float, float, int]]] = {one: [] for one in machines}
    for rater_id, query_id, people, own, pairs in sql.count_compared(judgment_list.pk, machines):
        by_machine[rater_id].append((query_id, people, own, pairs))
    return [_figures(rater_id, rows, steps) for rater_id, rows in by_machine.items()]


def _figures(rater_id: int, rows: list[tuple[int, float, float, int]], steps: Steps) -> MachineFigures:
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    people, own = (places_of(table[:, column], steps) for column in (1, 2))
    sums = _sums_by_query(
        table[:, 0], own, people, table[:, 3], near=steps.tolerance if steps.continuous else 0
    )
    total, counts = sums.sum(axis=0), _confusion(people, own, table[:, 3], steps)
    has_order = steps.level != "nominal"
    interval = resampling.interval(sums, _bias) if has_order else None
    kappa = arithmetic.concordance(total) if has_order else arithmetic.kappa(counts, steps.places)
    with np.errstate(invalid="ignore"):
        agreement = total[6] / total[0]
    return MachineFigures(
        rater_id,
        pairs=int(total[0]),
        queries=len(sums),
        agreement=number_or_none(agreement),
        kappa=number_or_none(float(kappa)),
        bias=number_or_none(float(_bias(total))) if has_order else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        counts=counts.astype(int).tolist(),
    )


def places_of(values: Floats, steps: Steps) -> Floats:
    """Where grades are on the line on which distances are measured. A mean of grades may be between two."""
    if steps.continuous:
        return values - steps.center
    return np.interp(values, steps.values, steps.places)


def _sums_by_query(queries: Floats, own: Floats, people: Floats, pairs: Floats, *, near: float) -> Floats:
    """The columns of `rater_pairs.SUMS`, a row for each query."""
    is_near = np.abs(own - people) <= near + NEARLY
    each = np.stack([np.ones_like(own), own, people, own**2, people**2, own * people, is_near], axis=1)
    ids, place = np.unique(queries, return_inverse=True)
    sums = np.zeros((len(ids), each.shape[1]))
    np.add.at(sums, place, each * pairs[:, None])
    return sums


def _bias(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: Floats = (sums[..., 1] - sums[..., 2]) / sums[..., 0]
    return mean


def _confusion(people: Floats, own: Floats, pairs: Floats, steps: Steps) -> Floats:
    """A row for each of people's grades, the nearest of the scale; of two as near the lower one."""
    size = 0 if steps.continuous else len(steps.values)
    counts = np.zeros((size, size))
    if size:
        row, column = (np.abs(each[:, None] - steps.places).argmin(axis=1) for each in (people, own))
        np.add.at(counts, (row, column), pairs)
    return counts


def machine_rows(figures: Iterable[MachineFigures], judgments: Mapping[int, int]) -> list[MachineRow]:
    """By name. `judgments` are the numbers of their grades. One query."""
    by_rater = {one.rater_id: one for one in figures}
    raters = Rater.objects.in_bulk(list(by_rater)) if by_rater else {}
    rows = [
        MachineRow(rater.name, rater.origin, judgments.get(key, 0), by_rater[key])
        for key, rater in raters.items()
    ]
    return sorted(rows, key=lambda row: row.name)
