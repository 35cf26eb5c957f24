"""How much higher machines grade than people, by what each run shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.models import Run
from evaluation.scores.sql.judged_runs import HitColumns, read_hit_columns
from judgments.agreement.reports.agreement import steps_of
from judgments.agreement.reports.machines import places_of
from judgments.agreement.reports.rater_agreement import number_or_none
from judgments.agreement.resampling import ROUNDS, SEED, resample
from judgments.agreement.sql.machines import grades_of_documents, machines_left_out
from judgments.models import JudgmentList, Rater
from touchstone_core.formats.columns import Column
from touchstone_core.metrics.types import Floats, Ints

ENOUGH: Final = 0.95
"""An interval needs a mean in this share of the samples."""


@dataclass(frozen=True, slots=True)
class MachineOnRun:
    """How much higher a machine grades than people, on the first documents of a run that both graded. None where there are none.

    `low` and `high` are the ends of the 95 % interval, from resampled queries.
    """

    machine: str
    run: Run
    pairs: int
    bias: float | None
    low: float | None
    high: float | None


MACHINES: Final[list[Column[MachineOnRun]]] = [
    Column("machine", "", "machine"),
    Column("run", "", "run__name"),
    Column("compared", "", "pairs"),
    Column("higher_by", "", "bias"),
    Column("higher_by_low", "", "low"),
    Column("higher_by_high", "", "high"),
]


def machines_on_runs(judgment_list: JudgmentList, runs: Sequence[Run], *, first: int) -> list[MachineOnRun]:
    """For each machine that doesn't count, by name, and each of the runs, whose hits are up to date: by its `first` documents.

    Nothing on a scale without order. One statement, and four more if there are machines.
    """
    machines = machines_left_out(judgment_list.pk) if judgment_list.scale.has_order and runs else []
    if not machines:
        return []
    keys = (judgment_list.query_set_id, judgment_list.pk)
    shown = [
        (run_id, _first(hits, first)) for run_id, hits in read_hit_columns(*keys, [run.pk for run in runs])
    ]
    pairs, place = np.unique(np.concatenate([one for _, one in shown]), axis=0, return_inverse=True)
    apart = _differences(judgment_list, machines, pairs)
    of_run = np.split(place.ravel(), np.cumsum([len(one) for _, one in shown])[:-1])
    in_run = np.zeros((len(shown), len(pairs)))
    for nth, places in enumerate(of_run):
        in_run[nth, places] = 1
    raters = Rater.objects.filter(query_set=judgment_list.query_set_id, pk__in=machines)
    names = dict(raters.values_list("pk", "name"))
    by_key = {run.pk: run for run in runs}
    ordered = [by_key[run_id] for run_id, _ in shown]
    return [
        row
        for machine, own in sorted(zip(machines, apart, strict=True), key=lambda one: names[one[0]])
        for row in _on_runs(names[machine], ordered, own, in_run, pairs[:, 0])
    ]


def _first(hits: HitColumns, first: int) -> Ints:
    """The query and document (N, 2) of the hits at these ranks."""
    query = np.repeat(hits.query, hits.hits)
    return np.stack([query, hits.document], axis=1)[hits.rank <= first]


def _differences(judgment_list: JudgmentList, machines: Sequence[int], pairs: Ints) -> Floats:
    """Machine − people for each machine and pair; NaN where one of them has no grade."""
    steps = steps_of(judgment_list.scale)
    apart = np.full((len(machines), len(pairs)), np.nan)
    rows = grades_of_documents(judgment_list.pk, machines, pairs[:, 0], pairs[:, 1])
    if rows:
        rater, place, people, own = np.array(rows, dtype=np.float64).T
        row = np.searchsorted(machines, rater.astype(np.int64))
        apart[row, place.astype(np.int64)] = places_of(own, steps) - places_of(people, steps)
    return apart


def _on_runs(
    machine: str, runs: Sequence[Run], apart: Floats, in_run: Floats, queries: Ints
) -> Iterator[MachineOnRun]:
    """All runs are resampled together: the same queries for each, so that their intervals can be compared."""
    graded = ~np.isnan(apart)
    ids, place = np.unique(queries, return_inverse=True)
    sums = np.zeros((len(ids), len(runs), 2))
    for column, values in enumerate((graded * 1.0, np.where(graded, apart, 0.0))):
        np.add.at(sums[:, :, column], place, (in_run * values).T)
    samples = (
        resample(sums, _mean_difference, rounds=ROUNDS, seed=SEED) if len(ids) else np.empty((0, len(runs)))
    )
    means = _mean_difference(sums.sum(axis=0))
    for nth, run in enumerate(runs):
        low, high = _ends(samples[:, nth]) if (sums[:, nth, 0] > 0).sum() > 1 else (None, None)
        yield MachineOnRun(machine, run, int(sums[:, nth, 0].sum()), number_or_none(means[nth]), low, high)


def _mean_difference(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_difference: Floats = sums[..., 1] / sums[..., 0]
    return mean_difference


def _ends(values: Floats) -> tuple[float | None, float | None]:
    defined = values[~np.isnan(values)]
    if len(defined) < ENOUGH * len(values):
        return None, None
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)
