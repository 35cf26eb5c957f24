"""Runs in files compared with the first of them. Needs neither Django nor a database."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.bounds import GREATEST_CUTOFF, bounds
from evaluation.metrics.errors import MetricsError
from evaluation.metrics.formula import IDEALS, Formula
from evaluation.metrics.gain import top_gain
from evaluation.metrics.ladder import LOSSES, Ladder, ladder
from evaluation.metrics.moves import numbered
from evaluation.metrics.rounding import Rounded, read_rounded
from evaluation.metrics.types import Floats
from evaluation.reports.file_scores import FileScore, FileScores, score_files
from evaluation.reports.page_evidence import evidence, page_gains
from evaluation.reports.verdict import Figures, Verdict, on_of, verdict
from evaluation.significance.comparison import Comparison, compare
from evaluation.significance.differences import differences
from evaluation.significance.intervals import MeanDifference, mean_difference
from evaluation.significance.settings import Settings


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """Every run but the first beside the first, on one measure; `left_out` queries have no value in some run."""

    measure: str
    queries: int
    left_out: int
    means: tuple[float, ...]
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class FileComparison:
    """`splits` are the changes of NDCG-max by step for each run but the first, and `evidence` what changed on its pages and
    what is settled, over all judged queries; `coverage` and `intervals` are of each run. The last three are None for pages
    that nobody looks at."""

    scored: FileScores
    formula: Formula
    seed: int
    measures: tuple[MeasureComparison, ...]
    splits: tuple[dict[str, MeanDifference], ...]
    coverage: tuple[float, ...] | None
    intervals: tuple[dict[str, tuple[float, float]], ...] | None
    evidence: tuple[Figures, ...] | None

    @property
    def baseline(self) -> FileScore:
        return self.scored.scores[0]

    @property
    def runs(self) -> Sequence[FileScore]:
        return self.scored.scores[1:]


def compare_files(
    qrels: Path,
    runs: Sequence[Path],
    *,
    measures: str,
    cutoff: int,
    seed: int = 1,
    max_grade: float | None = None,
) -> FileComparison:
    """The first run is the baseline. A query that a run does not answer counts 0, whatever a measure's policy says.

    Raises MetricsError for fewer than two runs, a bad measure or cutoff, and where no query can be compared; and whatever
    `score_files` raises.
    """
    if seed < 0:
        raise MetricsError("The seed must be a whole number from 0.")
    if len(runs) < 2:
        raise MetricsError("A comparison needs two runs or more; the first is the baseline.")
    formula = Formula(cutoff=cutoff)
    shown = cutoff if cutoff <= GREATEST_CUTOFF else 0
    scored = score_files(
        qrels, runs, measures=missing_counts(measures), max_grade=max_grade, shown=max(shown, 0)
    )
    if scored.judged.scale.top_grade <= 0:
        raise MetricsError("No grade lies above 0, so that there is nothing to compare.")
    ladders = [ladder(score.run.run, formula) for score in scored.scores]
    coverage = intervals = None
    told = None
    if shown:
        told = _evidence(scored, formula)
        bound = [bounds(score.run.run, formula) for score in scored.scores]
        coverage = tuple(float(one.coverage.mean()) for one in bound)
        intervals = tuple(
            {ideal: (float(one.low[ideal].mean()), float(one.high[ideal].mean())) for ideal in IDEALS}
            for one in bound
        )
    return FileComparison(
        scored=scored,
        formula=formula,
        seed=seed,
        measures=tuple(
            _on_measure(measure, scored, Settings(seed=seed)) for measure in scored.scores[0].values
        ),
        splits=tuple(_split(ladders[0], one) for one in ladders[1:]),
        coverage=coverage,
        intervals=intervals,
        evidence=told,
    )


def _evidence(scored: FileScores, formula: Formula) -> tuple[Figures, ...]:
    """Of each run but the first."""
    runs = [score.run for score in scored.scores]
    documents = numbered([run.pages for run in runs], formula.cutoff)
    gains = np.stack([page_gains(run.run, formula) for run in runs])
    top = top_gain(formula.gain, scored.judged.scale)
    return tuple(
        evidence(documents[[0, place]], gains[[0, place]], formula.discounts(), top).counts()
        for place in range(1, len(runs))
    )


def missing_counts(measures: str) -> str:
    """The same measures without a policy for missing queries, so that these count 0."""
    return " ".join(str(counts_missing(one)) for _, one in read_rounded(measures))


def counts_missing(one: Rounded) -> Rounded:
    """A comparison is paired: a query that a run does not answer is never left out of it."""
    kept = tuple(pair for pair in one.measure.parameters if pair[0] != "missing")
    return one._replace(measure=replace(one.measure, parameters=kept))


def _on_measure(measure: str, scored: FileScores, settings: Settings) -> MeasureComparison:
    values = np.array([score.values[measure] for score in scored.scores])
    kept = ~np.isnan(values).any(axis=0)
    if not kept.any():
        raise MetricsError(f"No query has a value of {measure} in every run.")
    values = values[:, kept]
    return MeasureComparison(
        measure=measure,
        queries=int(kept.sum()),
        left_out=int((~kept).sum()),
        means=tuple(float(mean) for mean in values.mean(axis=1)),
        comparisons=compare(values[0], list(values[1:]), settings=settings),
    )


def _split(baseline: Ladder, run: Ladder) -> dict[str, MeanDifference]:
    """The change of NDCG-max, and what order, depth and recall gained of it."""
    found = {"change": _share(baseline, baseline.dcg, run.dcg)}
    for loss in LOSSES[:-1]:  # the content gap is the same for every run
        found[loss] = _share(baseline, -baseline.loss(loss), -run.loss(loss))
    return found


def _share(ideals: Ladder, before: Floats, after: Floats) -> MeanDifference:
    return mean_difference(differences(before / ideals.ideal_max, after / ideals.ideal_max))


def verdict_on(found: FileComparison, measure: MeasureComparison, place: int) -> Verdict:
    """What the page says of the run at this place behind the baseline, on this measure."""
    told = [one.as_json() for one in measure.comparisons]
    tested = sum(one["holm"] is not None for one in told)
    settled = found.evidence and found.evidence[place]
    on = on_of(found.formula, measure.measure)
    return verdict(told[place], settled or None, tested, on=on, cutoff=found.formula.cutoff)


def as_json(found: FileComparison) -> dict[str, Any]:
    """Canonical texts as keys, full precision, None for what is undefined; seed and draws stand in each record."""
    judged = found.scored.judged
    return {
        "qrels": {"file": judged.name, "queries": judged.queries, "judgments": judged.judgments},
        "baseline": {"name": found.baseline.run.name, "file": found.baseline.run.file},
        "formula": found.formula.key,
        "seed": found.seed,
        "coverage": found.coverage,
        "intervals": found.intervals,
        "runs": [
            {
                "name": score.run.name,
                "file": score.run.file,
                "queries": score.counts(),
                "measures": {one.measure: one.comparisons[place].as_json() for one in found.measures},
                "evidence": found.evidence and found.evidence[place],
                "split": {
                    part: {"mean": change.mean, "interval": _ends(change)}
                    for part, change in found.splits[place].items()
                },
            }
            for place, score in enumerate(found.runs)
        ],
    }


def _ends(change: MeanDifference) -> list[float] | None:
    return None if change.interval is None else [change.interval.low, change.interval.high]
