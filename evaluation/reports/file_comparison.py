"""Runs in files compared with the first of them. Needs neither Django nor a database."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from evaluation.bounds import GREATEST_CUTOFF, PooledPages, bounds, most_unjudged
from evaluation.impact.intent import IntentCounts, count_intent
from evaluation.ingest.files import AS_TREC_EVAL
from evaluation.ingest.formats.options import Options
from evaluation.metrics.direction import greatest_difference
from evaluation.metrics.errors import MetricsError
from evaluation.metrics.formula import IDEALS, Formula
from evaluation.metrics.gain import top_gain
from evaluation.metrics.ladder import LOSSES, Ladder, ladder
from evaluation.metrics.moves import numbered
from evaluation.metrics.rounding import read_rounded
from evaluation.metrics.short_pages import ShortPages
from evaluation.metrics.types import Floats, Mask
from evaluation.reports.file_scores import FileScore, FileScores, score_files
from evaluation.reports.page_evidence import UNIVERSE, Change, Evidence, Standing, evidence, page_gains
from evaluation.reports.pool_estimate import expected_beside, pool_estimate
from evaluation.reports.verdict import Figures, Verdict, on_of, tested_runs, verdict
from evaluation.significance.comparison import Comparison, compare
from evaluation.significance.differences import differences
from evaluation.significance.draws import SEED
from evaluation.significance.intervals import MeanDifference, level_of_each, mean_difference
from evaluation.significance.settings import Settings
from judgments.words import counted

_TOO_FEW: Final = "A comparison needs two runs or more; the first is the baseline."


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """Every run but the first beside the first, on one measure; `left_out` queries have no value in some run."""

    measure: str
    queries: int
    left_out: int
    means: tuple[float, ...]
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Intended:
    """Of a file with query ids: how many there are, those without a judgment, and by measure what each run but the first does to
    the named queries and to all others."""

    queries: int
    unknown: list[str]
    counts: dict[str, tuple[IntentCounts, ...]]


@dataclass(frozen=True, slots=True)
class FileComparison:
    """`splits` are the changes of NDCG-max by step for each run but the first, and `evidence` what changed on its pages and
    what is settled, over all judged queries; `coverage`, `intervals` and `short_pages` are of each run. Coverage, intervals and
    evidence are None for pages that nobody looks at."""

    scored: FileScores
    formula: Formula
    seed: int
    measures: tuple[MeasureComparison, ...]
    splits: tuple[dict[str, MeanDifference], ...]
    coverage: tuple[float, ...] | None
    intervals: tuple[dict[str, tuple[float, float]], ...] | None
    evidence: tuple[Figures, ...] | None
    short_pages: tuple[ShortPages, ...]
    intended: Intended | None

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
    seed: int = SEED,
    max_grade: float | None = None,
    options: Options = AS_TREC_EVAL,
    intended: Path | None = None,
) -> FileComparison:
    """The first run is the baseline. What is drawn is drawn for the queries in the order of their ids. A query that a run does
    not answer counts 0, whatever a measure's policy says. `intended` is a file with the ids of the queries that the change
    was meant to touch, one a line.

    Raises MetricsError for fewer than two runs, a bad measure or cutoff, and where no query can be compared; and whatever
    `score_files` raises.
    """
    if seed < 0:
        raise MetricsError("The seed must be a whole number from 0.")
    if len(runs) < 2 and options.several != "split":
        raise MetricsError(_TOO_FEW)
    formula = Formula(cutoff=cutoff)
    shown = cutoff if cutoff <= GREATEST_CUTOFF else 0
    named = None if intended is None else read_intended(intended)
    scored = score_files(
        qrels,
        runs,
        measures=" ".join(str(one.counting_missing) for _, one in read_rounded(measures)),
        max_grade=max_grade,
        shown=max(shown, 0),
        options=options,
    )
    if len(scored.scores) < 2:
        raise MetricsError(_TOO_FEW)
    if scored.judged.scale.top_grade <= 0:
        raise MetricsError("No grade lies above 0, so that there is nothing to compare.")
    ladders = [ladder(score.run.run, formula) for score in scored.scores]
    coverage = intervals = None
    evidences: list[Evidence] | None = None
    told = None
    if shown:
        judged = [score.run.run for score in scored.scores]
        document = numbered([score.run.pages for score in scored.scores], cutoff)
        gain = np.stack([page_gains(run, formula) for run in judged])
        unjudged = most_unjudged(judged, document, gain)
        bound = [bounds(run, formula, unjudged) for run in judged]
        coverage = tuple(float(one.coverage.mean()) for one in bound)
        top = top_gain(formula.gain, scored.judged.scale)
        pool = pool_estimate(PooledPages(document, gain, formula.discounts(), top), len(judged))
        evidences = [
            evidence(document[[0, place]], (judged[0], judged[place]), formula, unjudged)
            for place in range(1, len(judged))
        ]
        told = tuple(
            one.counts() | expected_beside(pool, coverage, place) for place, one in enumerate(evidences, 1)
        )
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
        splits=tuple(_split(ladders[0], one, len(runs) - 1) for one in ladders[1:]),
        coverage=coverage,
        intervals=intervals,
        evidence=told,
        short_pages=tuple(map(ShortPages.of_ladder, ladders)),
        intended=None if named is None else _intended(named, scored, evidences),
    )


def read_intended(path: Path) -> list[str]:
    """The ids in a file, one a line, each once; empty lines are skipped.

    Raises MetricsError for a file without any or not in UTF-8, and OSError.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise MetricsError(
            f"{path.name} isn't in UTF-8. Save it as UTF-8, with one query id a line."
        ) from error
    named = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not named:
        raise MetricsError(f"{path.name} names no query. Write one query id a line.")
    return named


def _intended(named: Sequence[str], scored: FileScores, evidences: Sequence[Evidence] | None) -> Intended:
    """Raises MetricsError where none of the queries is judged."""
    queries = scored.scores[0].run.queries
    known = set(queries)
    unknown = [name for name in named if name not in known]
    if len(unknown) == len(named):
        raise MetricsError(
            f"None of the {counted(len(named), 'intended query', 'intended queries')} is in {scored.judged.name}; "
            f"the first is “{named[0]}”."
        )
    mask = np.isin(np.array(queries), np.array(named))
    return Intended(
        queries=len(named),
        unknown=unknown,
        counts={
            measure: tuple(
                _counted(mask, scored, measure, place, evidences) for place in range(1, len(scored.scores))
            )
            for measure in scored.scores[0].values
        },
    )


def _counted(
    mask: Mask, scored: FileScores, measure: str, place: int, evidences: Sequence[Evidence] | None
) -> IntentCounts:
    """Over the queries that every run has a value for."""
    values = np.array([score.values[measure] for score in scored.scores])
    kept = ~np.isnan(values).any(axis=0)
    one = evidences[place - 1].of(kept) if evidences else None
    return count_intent(
        mask[kept],
        changed=None if one is None else one.change != Change.NONE,
        difference=differences(values[0, kept], values[place, kept]),
        undecided=None if one is None else one.standing == Standing.OPEN,
    )


def _on_measure(measure: str, scored: FileScores, settings: Settings) -> MeasureComparison:
    order = _by_id(scored.scores[0].run.queries)
    values = np.array([score.values[measure][order] for score in scored.scores])
    kept = ~np.isnan(values).any(axis=0)
    if not kept.any():
        raise MetricsError(f"No query has a value of {measure} in every run.")
    values = values[:, kept]
    return MeasureComparison(
        measure=measure,
        queries=int(kept.sum()),
        left_out=int((~kept).sum()),
        means=tuple(float(mean) for mean in values.mean(axis=1)),
        comparisons=compare(
            values[0], list(values[1:]), settings=settings, span=greatest_difference(measure, values)
        ),
    )


def _by_id(queries: Sequence[str]) -> list[int]:
    """By code points, as PostgreSQL orders the same ids for the page."""
    return sorted(range(len(queries)), key=queries.__getitem__)


def _split(baseline: Ladder, run: Ladder, runs: int) -> dict[str, MeanDifference]:
    """The change of NDCG-max, which the comparison on it says the interval of, and what order, depth and recall gained."""
    parts = LOSSES[:-1]  # the content gap is the same for every run
    level = level_of_each(len(parts) * runs)
    found = {"change": replace(_share(baseline, baseline.dcg, run.dcg, level), interval=None)}
    for loss in parts:
        found[loss] = _share(baseline, -baseline.loss(loss), -run.loss(loss), level)
    return found


def _share(ideals: Ladder, before: Floats, after: Floats, level: float) -> MeanDifference:
    return mean_difference(
        differences(before / ideals.ideal_max, after / ideals.ideal_max), level=level, span=1.0
    )


def verdict_on(found: FileComparison, measure: MeasureComparison, place: int) -> Verdict:
    """What the page says of the run at this place behind the baseline, on this measure."""
    told = [one.as_json() for one in measure.comparisons]
    tested = tested_runs(told)
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
        "intended": found.intended and {"queries": found.intended.queries, "unknown": found.intended.unknown},
        "short_pages": [one.as_json() for one in found.short_pages],
        "bounds_over": UNIVERSE if found.intervals else None,
        "runs": [
            {
                "name": score.run.name,
                "file": score.run.file,
                "queries": score.counts(),
                "measures": {one.measure: one.comparisons[place].as_json() for one in found.measures},
                "intent": found.intended
                and {measure: of[place].as_json() for measure, of in found.intended.counts.items()},
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
