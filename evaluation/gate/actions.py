"""Measures a run that is in a file beside a stored one. Nothing of the file is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from evaluation.base.errors import EvaluationError, RunRefused
from evaluation.base.reports.scales import scale_info
from evaluation.base.sql.documents import known_ids
from evaluation.comparisons.actions.comparing import settings_of
from evaluation.comparisons.sql import read_pages, read_queries
from evaluation.models import Run
from evaluation.runs.reports import Incoming
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.reports.state import State, list_state
from evaluation.scores.sql.hits import Key
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import QueryHits, read_fingerprint, read_grades, read_hits
from judgments.models import JudgmentList, Query, Version
from touchstone_core.bounds.universe import all_unjudged
from touchstone_core.formats.runs.runs import ParsedRun
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.types import Ints
from touchstone_core.offline.gate import Demand, MeasureResult, check_demands, measure_demand
from touchstone_core.significance.draws import SEED

_TRIES: Final = 3


class GradesMovedError(EvaluationError):
    """Somebody judges faster than the run is measured."""

    def __init__(self) -> None:
        super().__init__("The grades of the list keep changing. Try again, or name a version of the list.")


@dataclass(frozen=True, slots=True)
class Gate:
    """What came of a gate. `queries` were counted, `held_out` were not: nobody has opened them."""

    state: State
    file_name: str
    name: str
    sha256: str
    baseline: Run
    queries: int
    held_out: int
    measures: tuple[MeasureResult, ...]

    @property
    def passed(self) -> bool:
        return all(one.passed for one in self.measures)

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "list": self.state.as_json,
            "run": {"name": self.name, "file": self.file_name, "sha256": self.sha256},
            "baseline": {"id": self.baseline.pk, "name": self.baseline.name},
            "queries": self.queries,
            "held_out": self.held_out,
            "seed": SEED,
            "measures": [one.as_json() for one in self.measures],
        }


def measure_gate(
    *,
    judgment_list: JudgmentList,
    version: Version | None,
    baseline: Run,
    incoming: Incoming,
    demands: Sequence[Demand],
) -> Gate:
    """Both runs against one state of the grades; held-out queries do not count.

    Raises FormatError for a file of several runs, RunRefused for one with errors, GradesMovedError, and MetricsError as
    `check_demands` and `measure_demand` do.
    """
    check_demands(demands)
    run = incoming.parsed
    if not incoming.report.ok:
        raise RunRefused(next(incoming.report.errors.sentences()))
    for _ in range(_TRIES):
        state = list_state(judgment_list, version)
        bring_up_to_date(
            judgment_list=judgment_list, runs=[baseline], formula=Formula(), version=version
        )  # finds which of its documents are judged
        read = _read(judgment_list, version, baseline, run)
        if version is not None or read_fingerprint(judgment_list.pk) == state.revision:
            return _gate(judgment_list, version, baseline, incoming, demands, state, read)
    raise GradesMovedError


def _read(
    judgment_list: JudgmentList, version: Version | None, baseline: Run, run: ParsedRun
) -> tuple[list[int], JudgedRun, JudgedRun, Ints]:
    """The judged queries, the baseline, the run of the file, and how many unjudged documents both retrieved together."""
    ids = list(Query.objects.filter(query_set=judgment_list.query_set_id).values_list("external_id", "pk"))
    grades = read_grades(judgment_list.pk, [pk for _, pk in ids], version)
    index = GradeIndex(grades.values(), scale_info((version or judgment_list).scale))
    baseline_hits = read_hits(baseline.query_set_id, [Key(query, baseline.pk) for query in index.queries])
    runs = (index.join(list(baseline_hits)), index.join(_hits(baseline.query_set_id, run, dict(ids))))
    names = {pk: name for name, pk in ids}
    documents = {ranking.query: ranking.documents for ranking in run.rankings}
    rankings = [
        *read_pages(baseline.query_set_id, [baseline.pk], index.queries, -1),
        [documents.get(names[query], []) for query in index.queries],
    ]
    unjudged_counts = all_unjudged(runs, np.arange(len(index.queries)), rankings)
    return index.queries, *runs, np.array(unjudged_counts, dtype=np.int64)


def _hits(query_set_id: int, run: ParsedRun, queries: dict[str, int]) -> list[QueryHits]:
    """As they would be stored; no run has the number 0."""
    names = {document for ranking in run.rankings for document in ranking.documents}
    ids = known_ids(query_set_id, names)
    rows = []
    for ranking in run.rankings:
        hits = [(rank, ids[name]) for rank, name in enumerate(ranking.documents, 1) if name in ids]
        ranks, documents = [rank for rank, _ in hits], [document for _, document in hits]
        rows.append(QueryHits(0, queries[ranking.query], len(ranking.documents), ranks, documents))
    return rows


def _gate(
    judgment_list: JudgmentList,
    version: Version | None,
    baseline: Run,
    incoming: Incoming,
    demands: Sequence[Demand],
    state: State,
    read: tuple[list[int], JudgedRun, JudgedRun, Ints],
) -> Gate:
    queries, before, after, unjudged = read
    every = read_queries(
        judgment_list.pk, version.pk if version else None, settings_of(judgment_list.query_set).held_out
    )
    at = np.searchsorted(every.query, queries)
    order = np.argsort(every.place[at])
    in_test = order[~every.tagged[at][order]]
    return Gate(
        state=state,
        file_name=incoming.file_name,
        name=incoming.name,
        sha256=incoming.sha256,
        baseline=baseline,
        queries=len(in_test),
        held_out=len(queries) - len(in_test),
        measures=tuple(measure_demand(demand, before, after, in_test, unjudged) for demand in demands),
    )
