"""Passes or fails a run in a file, alone or beside a baseline in another one. Needs neither Django nor a database."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from touchstone_core.comparison.page_evidence import documents_needed
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.options import Options
from touchstone_core.metrics.selection import Selection
from touchstone_core.offline.file_scores import (
    FileScores,
    refuse_unrelated,
    refuse_without_hits,
    score_files,
)
from touchstone_core.offline.files import AS_TREC_EVAL
from touchstone_core.offline.gate import Demand, GateRuns, check_demands, page_size
from touchstone_core.offline.gate_alone import measure_all
from touchstone_core.offline.gate_report import GateReport
from touchstone_core.words import counted


def gate_files(
    qrels: Path,
    run: Path,
    baseline: Path | None,
    demands: Sequence[Demand],
    *,
    max_grade: float | None = None,
    options: Options = AS_TREC_EVAL,
) -> tuple[GateReport, list[str]]:
    """The report and warnings. Raises what `score_files`, `check_demands` and `measure_demand` raise."""
    check_demands(demands, has_baseline=baseline is not None)
    formulas = [Selection.of(*demand.measure).formula for demand in demands]
    scored = score_files(
        qrels,
        [run] if baseline is None else [baseline, run],
        measures=" ".join(str(demand.measure) for demand in demands),
        max_grade=max_grade,
        page_size=max(map(documents_needed, formulas), default=0),
        options=options,
    )
    if len(scored.scores) != (1 if baseline is None else 2):
        raise FormatError(
            "A gate takes one run and at most one baseline. Give a file with one run for each of them."
        )
    refuse_unrelated(scored)
    if baseline is not None:
        refuse_without_hits(scored.scores[0])
    return _report(scored, demands), scored.warnings


def _report(scored: FileScores, demands: Sequence[Demand]) -> GateReport:
    every = [score.run for score in scored.scores]
    baseline, run = every[0] if len(every) > 1 else None, every[-1]
    judged = scored.judged
    runs = GateRuns(
        None if baseline is None else baseline.run,
        run.run,
        baseline_name=baseline.name if baseline else "",
        run_name=run.name,
        counted=np.array(run.in_order),
        pages=[one.pages for one in every],
        targeted=scored.targeted(page_size(demands)),
    )
    return GateReport(
        run=run.name,
        file=run.file,
        baseline=baseline.name if baseline else "",
        judgments=f"{judged.name}: {counted(judged.judgments, 'judgment')} of {counted(judged.queries, 'query', 'queries')}",
        queries=judged.queries,
        held_out=0,
        measures=measure_all(demands, runs),
        origin={
            "qrels": {
                "file": judged.name,
                "queries": judged.queries,
                "judgments": judged.judgments,
                "max_grade": judged.scale.top_grade,
            },
            "run": {"name": run.name, "file": run.file},
            "baseline": baseline and {"name": baseline.name, "file": baseline.file},
        },
    )
