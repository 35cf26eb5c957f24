"""Compares runs with a baseline."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from touchstone_core.comparison.page_evidence import documents_needed
from touchstone_core.comparison.plain_verdict import plain_verdict
from touchstone_core.comparison.verdict import on_of
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.metrics.order import Order
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.metrics.selection import formula_of
from touchstone_core.notebook.results import table
from touchstone_core.notebook.scoring import measures_text, named_runs, query_rows, runs_of, score_sources
from touchstone_core.notebook.sources import Source, backend_of
from touchstone_core.offline.command_line import bad_input_refused
from touchstone_core.offline.compare_output import as_table, figure_rows
from touchstone_core.offline.file_comparison import (
    FileComparison,
    compare_scores,
    compared_measures,
    policy_warnings,
)
from touchstone_core.significance.draws import SEED

_VERDICTS = (
    *("run", "baseline", "measure", "difference", "interval low", "interval high", "p", "queries"),
    *("verdict", "sentence", "details"),
)
_QUERIES = (
    *("run", "baseline", "query", "measure", "baseline value", "value", "difference"),
    *("baseline state", "state", "baseline unjudged", "unjudged"),
)


@dataclass(frozen=True)
class Comparison:
    """Runs beside a baseline. Printed, it is what `touchstone compare` says."""

    file_comparison: FileComparison
    backend: Any

    @property
    def verdicts(self) -> Any:
        """A row for each run and measure: the difference, how sure it is, and the verdict in the words of the pages.

        Interval and p-value are adjusted for all runs. Both are missing where nothing can be tested, or
        one run is judged too little to tell.
        """
        return table(_VERDICTS, _verdict_rows(self.file_comparison), self.backend)

    @property
    def figures(self) -> Any:
        """A row for each run and measure with every figure, as the CSV of `touchstone compare` has them."""
        heads, *rows = figure_rows(self.file_comparison)
        return table([str(head) for head in heads], rows, self.backend)

    @property
    def per_query(self) -> Any:
        """A row for each run, query and measure, with the values, states and unjudged documents of both, as `Scores.per_query` has them."""
        return table(_QUERIES, _query_rows(self.file_comparison), self.backend)

    @property
    def warnings(self) -> list[str]:
        """What was read in another way than you may expect, in sentences."""
        return self.file_comparison.file_scores.warnings

    def __repr__(self) -> str:
        return as_table(self.file_comparison).rstrip()


def compare(
    qrels: Source,
    baseline: Source,
    run: Source | Sequence[Source],
    *,
    measures: str | Sequence[str] = "nDCG@10",
    names: Sequence[str] = (),
    cutoff: int | None = None,
    seed: int = SEED,
    max_grade: float | None = None,
    order: Order = "score",
) -> Comparison:
    """Compares a run, or each run of a list, with a baseline on the same queries.

    Sources are those of `score`. `names` begin with that of the baseline. Bounds and the change by step are those of
    the first NDCG's formula, at the `cutoff` if one is given. A query without an answer counts 0. Raises InputError for anything that can't be compared.
    """
    runs = named_runs(runs_of(run), names, [baseline])
    text = measures_text(measures)
    with bad_input_refused():
        compared = compared_measures(text)
        formula = formula_of((one for _, one in read_rounded(compared)), cutoff)
        scored = score_sources(
            qrels,
            runs,
            measures=compared,
            max_grade=max_grade,
            order=order,
            page_size=documents_needed(formula),
        )
        scored.warnings.extend(policy_warnings(text))
        comparison = compare_scores(scored, formula, seed=seed)
    return Comparison(comparison, backend_of([qrels, *(one.source for one in runs)]))


def _verdict_rows(comparison: FileComparison) -> Iterator[list[Cell]]:
    baseline = comparison.baseline.run.name
    for measure in comparison.measures:
        figures = comparison.backed(measure)
        on = on_of(comparison.formula, measure)
        for place, verdict in enumerate(comparison.verdicts(measure)):
            one, run = figures["comparisons"][place], comparison.runs[place].run.name
            plain = plain_verdict(figures, place, verdict, run=run, baseline=baseline, on=on)
            interval = one["difference"]["interval"] or {"low": None, "high": None}
            numbers = [one["difference"]["mean"], interval["low"], interval["high"], one["adjusted"]]
            words = [verdict.headline, plain.sentence, verdict.details]
            yield [run, baseline, measure, *numbers, one["queries"], *words]


def _query_rows(comparison: FileComparison) -> Iterator[list[Cell]]:
    rows = list(query_rows(comparison.file_scores))
    size = len(rows) // len(comparison.file_scores.scores)
    for start in range(size, len(rows), size):
        for old, new in zip(rows[:size], rows[start : start + size], strict=True):
            difference = None if old.value is None or new.value is None else new.value - old.value
            states: list[Cell] = [old.state, new.state, old.unjudged, new.unjudged]
            yield [new.run, old.run, new.query, new.measure, old.value, new.value, difference, *states]
