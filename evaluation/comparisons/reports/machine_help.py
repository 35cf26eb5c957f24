"""How runs differ by people's grades, made more certain by a machine's grades, which never count by themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

import numpy as np
from django.db import transaction

from evaluation.base.errors import EvaluationError
from evaluation.base.reports import scale_info
from evaluation.base.sql import known_ids
from evaluation.comparisons.reports.deciding import AllPages, read_all_pages
from evaluation.models import Run
from judgments.agreement.sql.machines import machines_grades, machines_left_out
from judgments.models import JudgmentList, Query, Rater, Version
from touchstone_core.comparison.values import Value, count, difference, percent_text, signed, value, words
from touchstone_core.deciding.documents import Documents
from touchstone_core.formats.columns import Column
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gain import gains
from touchstone_core.metrics.query_sums import sums
from touchstone_core.metrics.types import Floats, Mask
from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import Interval
from touchstone_core.significance.planning import SIGNIFICANCE
from touchstone_core.significance.prediction import Estimate, PredictionPoweredMean, prediction_powered_mean

SPAN: Final = 1.0  # of a difference of NDCG-max
MOST_DOCUMENTS: Final = 500_000


class TooManyDocumentsError(EvaluationError):
    """More documents than a page has the time for."""

    sentence = "These pages hold too many documents to be read at once. Compare fewer runs, or choose a smaller cutoff."


@dataclass(frozen=True, slots=True)
class MachineHelp:
    """A run beside the baseline, by mean NDCG-max over all `queries` that one of the compared runs answers. In `changed` of them
    the two pages differ: people and the machine graded all of that in `people`, only the machine in `others`, and the machine not
    all in `left_out`. Without enough queries of people, `lacking` says so and there is no estimate.
    """

    machine: str
    run: Run
    queries: int
    changed: int
    left_out: int
    people: int
    others: int
    mean: PredictionPoweredMean | None
    lacking: str

    @property
    def alone(self) -> Estimate | None:
        return self.mean.people_alone if self.mean else None

    @property
    def with_machine(self) -> Estimate | None:
        """None where the machine is no help."""
        return self.mean.with_machine if self.mean and self.mean.weight else None

    @property
    def sentence(self) -> str:
        """What the machine does for the estimate."""
        if self.mean is None:
            return self.lacking
        if not self.mean.others:
            return "No help: there is no changed query that only the machine graded."
        if not self.mean.weight:
            return "No help: its differences go with people’s no more than by chance."
        alone, together = self.mean.people_alone.interval, self.mean.with_machine.interval
        share = percent_text((together.high - together.low) / (alone.high - alone.low))
        return f"{signed(self.mean.with_machine.mean)} on average, in an interval {share} as wide as that of people alone."


def machine_help(
    judgment_list: JudgmentList,
    runs: Sequence[Run],
    formula: Formula,
    *,
    held_out: str,
    version: Version | None = None,
) -> list[MachineHelp]:
    """For each machine that doesn't count in the list, by name, each run but the first beside the first. All intervals hold together.

    One statement, and seven more where there are machines, whatever their number and that of runs and queries. Raises
    TooManyDocumentsError, or MetricsError for a formula that the list's scale doesn't allow.
    """
    machines = machines_left_out(judgment_list.pk)
    if not machines:
        return []
    queries = Query.objects.filter(query_set=judgment_list.query_set_id).count()
    if len(runs) * queries * formula.cutoff > MOST_DOCUMENTS:
        raise TooManyDocumentsError
    names = dict(
        Rater.objects.filter(query_set=judgment_list.query_set_id, pk__in=machines)
        .order_by("name")
        .values_list("pk", "name")
    )
    pages = read_all_pages(judgment_list, runs, formula, held_out=held_out, version=version)
    of_machines = _gains(judgment_list, machines, pages)
    level = 1 - SIGNIFICANCE / (len(machines) * (len(runs) - 1))
    return [
        _help(names[machine], run, pages.beside(place), _beside(pages, of_machines[machine], place), level)
        for machine in names
        for place, run in enumerate(runs[1:], 1)
    ]


@transaction.atomic
def _gains(judgment_list: JudgmentList, machines: Sequence[int], pages: AllPages) -> dict[int, Floats]:
    """(R, Q, N) what each machine's grades of the pages are worth; NaN where it gave none."""
    names = [name for of_run in pages.pages for page in of_run for name in page]
    ids = known_ids(judgment_list.query_set_id, set(names))
    document = np.array([ids.get(name, 0) for name in names], dtype=np.int64)
    is_known = document > 0
    # Run, query and rank, in the order of the names.
    at = tuple(axis[is_known] for axis in np.nonzero(pages.document >= 0))
    document = document[is_known]
    pair = at[1] * (1 + document.max(initial=0)) + document
    _, first, back = np.unique(pair, return_index=True, return_inverse=True)
    query = np.array(pages.queries, dtype=np.int64)[at[1][first]]
    grades = {machine: np.full(len(first), np.nan) for machine in machines}
    for machine, place, grade in machines_grades(judgment_list.pk, machines, query, document[first]):
        grades[machine][place] = grade
    scale = scale_info(judgment_list.scale)
    found = {machine: np.full(pages.document.shape, np.nan) for machine in machines}
    for machine, own in grades.items():
        given = ~np.isnan(own)
        own[given] = gains(own[given], pages.formula.gain, scale)
        found[machine][at] = own[back]
    return found


def _beside(pages: AllPages, gain: Floats, place: int) -> Documents:
    pair = [0, place]
    return Documents.of_pages(pages.document[pair], gain[pair], pages.formula.discounts(), pages.top)


def _help(machine: str, run: Run, by_people: Documents, by_machine: Documents, level: float) -> MachineHelp:
    queries = by_people.queries
    is_changed = _queries_with(by_people, by_people.weight != 0)
    by_both = is_changed & ~_queries_with(by_people, by_people.open)
    graded = is_changed & ~_queries_with(by_machine, by_machine.open)
    values = [
        sums(one.query, one.weight * np.nan_to_num(one.gain), queries) for one in (by_people, by_machine)
    ]
    both, others = by_both & graded, graded & ~by_both
    changed = int(is_changed.sum())
    mean, lacking = None, ""
    try:
        mean = prediction_powered_mean(
            values[0][both],
            values[1][both],
            values[1][others],
            changed=changed,
            queries=queries,
            level=level,
            span=SPAN,
        )
    except SignificanceError as error:
        lacking = str(error)
    return MachineHelp(
        machine,
        run,
        queries,
        changed=changed,
        left_out=int((is_changed & ~graded).sum()),
        people=int(both.sum()),
        others=int(others.sum()),
        mean=mean,
        lacking=lacking,
    )


def _queries_with(documents: Documents, mask: Mask) -> Mask:
    """(Q,) the queries of which a document is in the mask (D,)."""
    return np.bincount(documents.query[mask], minlength=documents.queries) > 0


def _interval(interval: Interval | None) -> Value:
    return value(None) if interval is None else words(f"{signed(interval.low)} to {signed(interval.high)}")


def _queries(name: str, label: str, meaning: str, group: str = "") -> Column[MachineHelp]:
    return Column(name, meaning, name, count, label=label, group=group, term="changed queries")


def _estimate(name: str, group: str, path: str, term: str = "") -> list[Column[MachineHelp]]:
    """The mean and its interval: two cells on pages, three numbers in files."""

    def reader(inside: str) -> Callable[[MachineHelp], Any]:
        def read(row: MachineHelp) -> Any:
            estimate = getattr(row, path)
            return estimate and attrgetter(inside)(estimate)

        return read

    return [
        Column(name, "", reader("mean"), difference, label="Difference", group=group, term=term),
        Column("", "", reader("interval"), _interval, label="Interval", group=group, json=None),
        Column(f"{name}_low", "", reader("interval.low")),
        Column(f"{name}_high", "", reader("interval.high")),
    ]


_PEOPLE: Final = "People alone"
_MACHINE: Final = "With the machine"
COLUMNS: Final[list[Column[MachineHelp]]] = [
    Column("machine", "", "machine", words, label="Machine", numeric=False),
    Column("run", "", "run__name", words, label="Run", numeric=False),
    Column("queries", "", "queries"),
    Column("changed", "", "changed", count, label="Changed queries"),
    _queries(
        "left_out", "Left out", "changed queries of which the machine didn’t grade everything that differs"
    ),
    _queries(
        "people",
        "Queries",
        "changed queries of which people and the machine graded everything that differs",
        _PEOPLE,
    ),
    *_estimate("difference", _PEOPLE, "alone"),
    _queries(
        "others",
        "More queries",
        "changed queries of which only the machine graded everything that differs",
        _MACHINE,
    ),
    *_estimate("difference_with_machine", _MACHINE, "with_machine", "help of a machine"),
    Column(
        "correlation",
        "",
        lambda row: row.mean and row.mean.correlation,
        value,
        label="Correlation",
        group=_MACHINE,
        term="correlation with people",
    ),
]
