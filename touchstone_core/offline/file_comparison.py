"""Compares runs in files with the first of them. Needs neither Django nor a database."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from touchstone_core.bounds.values import has_bounds
from touchstone_core.comparison.backed_figures import backed_figures, unbacked_steps
from touchstone_core.comparison.comparison import (
    ComparisonOptions,
    RunValues,
    comparable_queries,
    figures,
    intent_counts,
    run_figures,
    split_figures,
)
from touchstone_core.comparison.coverage import Coverage, coverage_figures, judged_shares
from touchstone_core.comparison.page_evidence import UNIVERSE, PageEvidence, RunPages, documents_needed
from touchstone_core.comparison.targeted import with_targeted
from touchstone_core.comparison.verdict import Figures, Verdict, on_of, verdict_of, zeros_would_decide
from touchstone_core.formats.runs.options import Options
from touchstone_core.impact.intent import IntentCounts
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.metrics.selection import formula_of
from touchstone_core.offline.file_scores import FileScore, FileScores, refuse_unrelated, score_files
from touchstone_core.offline.files import AS_TREC_EVAL
from touchstone_core.offline.gate import NOTHING_TO_GAIN
from touchstone_core.significance.draws import SEED
from touchstone_core.words import counted

_TOO_FEW: Final = "A comparison needs two runs or more; the first is the baseline."


@dataclass(frozen=True, slots=True)
class IntentFile:
    """What a file with the IDs of intended queries tells about a change.

    `queries` is how many IDs there are, `unknown` are those without a judgment. `counts`, by measure, say of each run but the
    first what it does to these queries and to all others.
    """

    queries: int
    unknown: list[str]
    counts: dict[str, list[IntentCounts]]


@dataclass(frozen=True, slots=True)
class FileComparison:
    """The scores of all runs, and their comparison under each measure.

    `overall` are the `run_figures` over all judged queries, under the plain formula. `measures` has, by canonical text, all
    figures over the queries for which every run has a value, and how many are `left_out`.
    """

    file_scores: FileScores
    formula: Formula
    seed: int
    overall: Figures
    measures: dict[str, Figures]
    intended: IntentFile | None

    @property
    def baseline(self) -> FileScore:
        return self.file_scores.scores[0]

    @property
    def runs(self) -> Sequence[FileScore]:
        return self.file_scores.scores[1:]

    def verdicts(self, measure: str) -> list[Verdict]:
        """Of each run but the baseline."""
        figures, on = self.measures[measure], on_of(self.formula, measure)
        return [verdict_of(figures, place, on=on) for place in range(len(self.runs))]

    def backed(self, measure: str) -> Figures:
        """The figures that may be shown beside the verdicts."""
        return backed_figures(self.measures[measure], self.verdicts(measure))


def compare_files(
    qrels: Path,
    runs: Sequence[Path],
    *,
    measures: str,
    cutoff: int | None = None,
    seed: int = SEED,
    max_grade: float | None = None,
    options: Options = AS_TREC_EVAL,
    intended: Path | None = None,
) -> FileComparison:
    """Compares all runs with the first one, the baseline.

    Random draws follow the order of the queries' IDs. A query that a run doesn't answer counts 0, whatever a measure's policy
    says. Bounds and the change by step are those of the first NDCG's formula, at the `cutoff` if one is given. `intended` is a file with the IDs of the queries that the change was meant to touch, one per line. Raises
    MetricsError for fewer than two runs, a bad measure or cutoff, and if no query can be compared. Also raises what
    `score_files` raises.
    """
    if seed < 0:
        raise MetricsError("The seed must be a whole number from 0.")
    compared = compared_measures(measures)
    formula = formula_of((one for _, one in read_rounded(compared)), cutoff)
    ids = None if intended is None else read_query_ids(intended)
    scored = score_files(
        qrels,
        runs,
        measures=compared,
        max_grade=max_grade,
        page_size=documents_needed(formula),
        options=options,
    )
    scored.warnings.extend(policy_warnings(measures))
    return compare_scores(scored, formula, seed=seed, intended=ids)


def policy_warnings(measures: str) -> Iterator[str]:
    """A sentence for each measure that leaves out queries without an answer, which a comparison never does."""
    for _, one in read_rounded(measures):
        if one.counting_missing != one:
            yield (
                f"{one} is compared as {one.counting_missing}: a comparison leaves out no query that a run doesn’t answer, "
                "and counts 0 there."
            )


def compared_measures(measures: str) -> str:
    """The same, except that a query without an answer counts 0."""
    return " ".join(str(one.counting_missing) for _, one in read_rounded(measures))


def compare_scores(
    scored: FileScores, formula: Formula, *, seed: int, intended: Sequence[str] | None = None
) -> FileComparison:
    """Compares all runs with the first one. Raises MetricsError as `compare_files` does."""
    if len(scored.scores) < 2:
        raise MetricsError(_TOO_FEW)
    if scored.judged.scale.top_grade <= 0:
        raise MetricsError(NOTHING_TO_GAIN)
    refuse_unrelated(scored)
    values = _run_values(scored, formula)
    pages = _pages(scored, formula).all_evidence() if has_bounds(formula) else None
    judged_runs = [score.run.run for score in scored.scores]
    targeted, pool = scored.targeted(formula.cutoff), None if pages is None else pages.pool
    by_measure = {
        measure: with_targeted(
            _on_measure(measure, values, judged_runs, pages, seed), targeted, pool, on_of(formula, measure)
        )
        for measure in scored.scores[0].values
    }
    whole = [one for one in by_measure.values() if not one["left_out"]]
    overall = whole[0] if whole else run_figures(values, pages, values.of(values.tagged))  # none is tagged
    return FileComparison(
        file_scores=scored,
        formula=formula,
        seed=seed,
        overall=overall | {"splits": _backed_splits(values, overall, judged_runs, targeted)},
        measures=by_measure,
        intended=None if intended is None else _intent_file(intended, scored, by_measure),
    )


def _run_values(scored: FileScores, formula: Formula) -> RunValues:
    return RunValues.of_runs(
        [score.run.run for score in scored.scores],
        formula,
        place=np.argsort(scored.scores[0].run.in_order),
        measures={
            measure: np.array([score.values[measure] for score in scored.scores])
            for measure in scored.scores[0].values
        },
    )


def _pages(scored: FileScores, formula: Formula) -> RunPages:
    runs = [score.run for score in scored.scores]
    return RunPages(formula, [run.run for run in runs], [run.pages for run in runs])


def _on_measure(
    measure: str, runs: RunValues, judged_runs: Sequence[JudgedRun], pages: PageEvidence | None, seed: int
) -> Figures:
    on = on_of(runs.formula, measure)
    mask = comparable_queries(runs, on)
    if not mask.any():
        raise MetricsError(f"No query has a value of {measure} in every run.")
    left_out, judged = runs.of(~mask), judged_shares(judged_runs, runs.formula, on).of(mask)
    if not mask.all():
        runs, pages = runs.of(mask), pages and pages.of(mask)
    return figures(runs, ComparisonOptions(on, pairs=False, seed=seed), pages, left_out, judged)


def _backed_splits(
    values: RunValues, overall: Figures, runs: Sequence[JudgedRun], targeted: Sequence[bool]
) -> list[Sequence[Figures]]:
    """Of each run but the first the change of NDCG-max by step, without intervals that rest on zeros."""
    shares, none_left_out = judged_shares(runs, values.formula, "max"), np.zeros(0, dtype=np.bool_)
    coverage = coverage_figures(shares, values.formula, "max", left_out_judged=none_left_out)
    coverage |= {"targeted": targeted}
    splits = split_figures(values, "max")["splits"]
    evidence = overall["evidence"] or [None] * len(splits)
    return [
        unbacked_steps(split) if zeros_would_decide(known, Coverage.of(coverage, place), "max") else split
        for place, (split, known) in enumerate(zip(splits, evidence, strict=True), start=1)
    ]


def read_query_ids(path: Path) -> list[str]:
    """The IDs in a file, one per line, each once. Skips empty lines.

    Raises MetricsError for a file without any or not in UTF-8, and OSError.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise MetricsError(
            f"{path.name} isn’t in UTF-8. Save it as UTF-8, with one query ID a line."
        ) from error
    ids = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not ids:
        raise MetricsError(f"{path.name} names no query. Write one query ID a line.")
    return ids


def _intent_file(ids: Sequence[str], scored: FileScores, by_measure: dict[str, Figures]) -> IntentFile:
    """Raises MetricsError where none of the queries is judged."""
    queries = scored.scores[0].run.queries
    judged_ids = set(queries)
    unknown = [name for name in ids if name not in judged_ids]
    if len(unknown) == len(ids):
        raise MetricsError(
            f"None of the {counted(len(ids), 'intended query', 'intended queries')} is in {scored.judged.name}; "
            f"the first is “{ids[0]}”."
        )
    mask = np.isin(np.array(queries), np.array(ids))
    counts = {measure: intent_counts(mask.__getitem__, one) for measure, one in by_measure.items()}
    return IntentFile(len(ids), unknown, counts)


def as_json(comparison: FileComparison) -> dict[str, Any]:
    """Canonical texts as keys, full precision, None for what is undefined or not backed by the verdict; seed and draws stand in
    each record."""
    judged, overall = comparison.file_scores.judged, comparison.overall
    backed = {measure: comparison.backed(measure) for measure in comparison.measures}
    bounds = overall["bounds"]
    return {
        "qrels": {"file": judged.name, "queries": judged.queries, "judgments": judged.judgments},
        "baseline": {"name": comparison.baseline.run.name, "file": comparison.baseline.run.file},
        "formula": comparison.formula.key,
        "seed": comparison.seed,
        "coverage": bounds and [one["coverage"] for one in bounds],
        "intervals": bounds
        and [{ideal: (one["low"][ideal], one["high"][ideal]) for ideal in IDEALS} for one in bounds],
        "intended": comparison.intended
        and {"queries": comparison.intended.queries, "unknown": comparison.intended.unknown},
        "short_pages": [one["short_pages"] for one in overall["runs"]],
        "bounds_over": UNIVERSE if bounds else None,
        "runs": [
            {
                "name": score.run.name,
                "file": score.run.file,
                "queries": score.counts(),
                "measures": {measure: _record(one, place) for measure, one in backed.items()},
                "intent": comparison.intended
                and {measure: of[place].as_json() for measure, of in comparison.intended.counts.items()},
                "evidence": overall["evidence"] and overall["evidence"][place],
                "split": {
                    one["part"]: {
                        "mean": one["mean"],
                        "interval": one["interval"] and [*one["interval"].values()],
                    }
                    for one in changes(overall, place)
                },
            }
            for place, score in enumerate(comparison.runs)
        ],
    }


def _record(figures: Figures, place: int) -> Figures:
    """The worst queries stand in it already, by their places in the order of the IDs."""
    return {name: value for name, value in figures["comparisons"][place].items() if name != "worst_queries"}


def changes(figures: Figures, place: int) -> list[Figures]:
    """The steps that changed NDCG-max; the content gap is the same for every run."""
    return [one for one in figures["splits"][place] if one["part"] != "content"]
