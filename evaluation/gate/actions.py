"""Measures a run that is in a file, alone or beside a stored one. Nothing of the file is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from evaluation.base.errors import EvaluationError, RunRefused
from evaluation.base.reports import scale_info
from evaluation.base.sql import known_ids
from evaluation.comparisons.actions.comparing import settings_of
from evaluation.comparisons.reports.deciding import runs_of_acts, show_pairs, targeted_pairs
from evaluation.comparisons.sql import read_pages, read_queries
from evaluation.models import Run
from evaluation.runs.reports.incoming import Choices, Incoming, read_incoming
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.reports.state import State, list_state
from evaluation.scores.sql.hits import Key
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import QueryHits, read_fingerprint, read_grades, read_hits
from judgments.lists.reports.selections import acts_that_decided
from judgments.models import JudgmentList, Query, Version
from touchstone_core.bounds.universe import all_unjudged
from touchstone_core.formats.problems import Report
from touchstone_core.formats.runs.runs import ParsedRun
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.types import Ints
from touchstone_core.offline.gate import Demand, GateRuns, check_demands, page_size
from touchstone_core.offline.gate_alone import measure_all
from touchstone_core.offline.gate_report import GateReport

_TRIES: Final = 3


class GradesMovedError(EvaluationError):
    """Somebody judges faster than the run is measured."""

    sentence = "The grades of the list keep changing. Try again, or name a version of the list."


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """What came of a file that could be read. `gate` is None where its `report` has errors."""

    report: Report
    gate: GateReport | None


def gate_run_file(
    *,
    source: bytes | Path,
    file_name: str,
    judgment_list: JudgmentList,
    version: Version | None,
    baseline: Run | None,
    demands: Sequence[Demand],
    choices: Choices,
    limit: int,
) -> GateOutcome:
    """Reads the file and measures its run, so that a process of its own has only the outcome to hand back.

    Raises FormatError where nothing can be read, and what `measure_gate` raises.
    """
    check_demands(demands, has_baseline=baseline is not None)
    data = source if isinstance(source, bytes) else source.read_bytes()
    query_set = judgment_list.query_set
    incoming = read_incoming(data, file_name=file_name, query_set=query_set, choices=choices, limit=limit)
    if not incoming.report.ok:
        return GateOutcome(incoming.report, None)
    gate = measure_gate(
        judgment_list=judgment_list, version=version, baseline=baseline, incoming=incoming, demands=demands
    )
    return GateOutcome(incoming.report, gate)


def measure_gate(
    *,
    judgment_list: JudgmentList,
    version: Version | None,
    baseline: Run | None,
    incoming: Incoming,
    demands: Sequence[Demand],
) -> GateReport:
    """Both runs against one state of the grades; held-out queries do not count.

    Raises FormatError for a file of several runs, RunRefused for one with errors, GradesMovedError, and MetricsError as
    `check_demands` and `measure_demand` do.
    """
    check_demands(demands, has_baseline=baseline is not None)
    if not incoming.report.ok:
        raise RunRefused(next(incoming.report.errors.sentences()))
    for _ in range(_TRIES):
        state = list_state(judgment_list, version)
        if baseline is not None:
            bring_up_to_date(
                ScoringRequest(judgment_list, [baseline], Formula(), version=version)
            )  # finds which of its documents are judged
        runs = _read(judgment_list, version, baseline, incoming, page_size(demands))
        if version is not None or read_fingerprint(judgment_list.pk) == state.revision:
            return _report(state, baseline, incoming, demands, runs)
    raise GradesMovedError


def _read(
    judgment_list: JudgmentList,
    version: Version | None,
    baseline: Run | None,
    incoming: Incoming,
    cutoff: int,
) -> GateRuns:
    """The baseline, if there is one, and the run, with all that they retrieved for the judged queries; pages are to the `cutoff`."""
    query_set = judgment_list.query_set_id
    ids = list(Query.objects.filter(query_set=query_set).values_list("external_id", "pk"))
    grades = read_grades(judgment_list.pk, [pk for _, pk in ids], version)
    index = GradeIndex(grades.values(), scale_info((version or judgment_list).scale))
    run = incoming.parsed
    runs = [index.join(_hits(query_set, run, dict(ids)))]
    names = {pk: name for name, pk in ids}
    documents = {ranking.query: ranking.documents for ranking in run.rankings}
    rankings = [[documents.get(names[query], []) for query in index.queries]]
    if baseline is not None:
        hits = read_hits(query_set, [Key(query, baseline.pk) for query in index.queries])
        runs.insert(0, index.join(list(hits)))
        rankings = [*read_pages(query_set, [baseline.pk], index.queries, -1), *rankings]
    pages = [[page[:cutoff] for page in of_run] for of_run in rankings]
    return GateRuns(
        runs[0] if baseline else None,
        runs[-1],
        baseline_name=baseline.name if baseline else "",
        run_name=incoming.name,
        counted=_counted(judgment_list, version, index.queries),
        pages=rankings,
        unjudged=np.array(all_unjudged(runs, np.arange(len(index.queries)), rankings), dtype=np.int64),
        targeted=_targeted(judgment_list, version, baseline, index.queries, pages),
    )


def _targeted(
    judgment_list: JudgmentList,
    version: Version | None,
    baseline: Run | None,
    queries: Sequence[int],
    pages: Sequence[Sequence[Sequence[str]]],
) -> list[bool]:
    """Which runs show pairs that were judged for what they decide: so does any run between which and another they were to decide."""
    acts = acts_that_decided(judgment_list, version)
    shown = show_pairs(targeted_pairs(judgment_list, acts), queries, pages)
    if baseline and baseline.pk in runs_of_acts(acts):
        shown[0] = True
    return shown


def _counted(judgment_list: JudgmentList, version: Version | None, queries: Sequence[int]) -> Ints:
    """The places of the queries that aren't held out, in the order of their IDs."""
    held_out = settings_of(judgment_list.query_set).held_out
    every = read_queries(judgment_list.pk, version.pk if version else None, held_out)
    at = np.searchsorted(every.query, queries)
    order = np.argsort(every.place[at])
    return order[~every.tagged[at][order]]


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


def _report(
    state: State, baseline: Run | None, incoming: Incoming, demands: Sequence[Demand], runs: GateRuns
) -> GateReport:
    return GateReport(
        run=incoming.name,
        file=incoming.file_name,
        baseline=baseline.name if baseline else "",
        judgments=f"{state.list_name}: {state}",
        queries=len(runs.counted),
        held_out=runs.run.queries - len(runs.counted),
        measures=measure_all(demands, runs),
        origin={
            "list": state.as_json,
            "run": {"name": incoming.name, "file": incoming.file_name, "sha256": incoming.sha256},
            "baseline": baseline and {"id": baseline.pk, "name": baseline.name},
        },
    )
