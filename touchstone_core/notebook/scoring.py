"""Scores runs against judgments."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from touchstone_core.metrics.averages import none_for_nan
from touchstone_core.metrics.coverage import holes
from touchstone_core.metrics.order import Order
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.notebook.results import table
from touchstone_core.notebook.sources import NamedRun, Source, backend_of, is_file, read_judgments, read_run
from touchstone_core.offline.command_line import InputError, bad_input_refused
from touchstone_core.offline.file_scores import DEFAULT_MEASURES, FileScore, FileScores, chosen, scores_of
from touchstone_core.offline.files import AS_TREC_EVAL
from touchstone_core.offline.score_output import as_table, mean_rows
from touchstone_core.words import counted

SCORED = "scored"
NO_ANSWER = "no answer"
UNDEFINED = "undefined"


class QueryRow(NamedTuple):
    """What a run shows for a query, and its value under a measure."""

    run: str
    query: str
    measure: str
    value: float | None
    state: str
    shown: int
    unjudged: int


@dataclass(frozen=True)
class Scores:
    """Scores of runs. Printed, it is the table of `touchstone score`.

    Every value stands beside the canonical text of its measure, which is its formula: equal texts mean equal formulas.
    """

    file_scores: FileScores
    backend: Any

    @property
    def means(self) -> Any:
        """A row for each run and measure, with how many queries are behind the mean and what missing grades could make of it."""
        heads, *rows = mean_rows(self.file_scores)
        return table([str(head) for head in heads], rows, self.backend)

    @property
    def per_query(self) -> Any:
        """A row for each run, query and measure.

        `state` is “scored”, “no answer” (the run doesn't answer the query) or “undefined” (no value, so that the mean leaves it out).
        `shown` documents are within the cutoff, and `unjudged` of them have no grade.
        """
        return table(QueryRow._fields, query_rows(self.file_scores), self.backend)

    @property
    def warnings(self) -> list[str]:
        """What was read in another way than you may expect, in sentences."""
        return self.file_scores.warnings

    def __repr__(self) -> str:
        return as_table(self.file_scores, per_query=False).rstrip()


def score(
    qrels: Source,
    run: Source | Sequence[Source],
    *,
    measures: str | Sequence[str] = DEFAULT_MEASURES,
    names: Sequence[str] = (),
    max_grade: float | None = None,
    order: Order = "score",
) -> Scores:
    """Scores a run, or each run of a list, against judgments.

    Each of `qrels` and `run` is a DataFrame of any library, a dict, or the path of a file. `measures` are a list, or
    separated by white space, such as "nDCG@10 AP". `names` are those of the runs. `max_grade` is the top grade of the scale, else the greatest grade of
    the judgments. `order` says what orders a ranking: “score”, “double” or “rank”.

    Raises InputError for anything that can't be scored. It names the row and the column.
    """
    runs = named_runs(runs_of(run), names)
    with bad_input_refused():
        scored = score_sources(
            qrels, runs, measures=measures_text(measures), max_grade=max_grade, order=order
        )
    return Scores(scored, backend_of([qrels, *(one.source for one in runs)]))


def measures_text(measures: str | Sequence[str]) -> str:
    return measures if isinstance(measures, str) else " ".join(map(str, measures))


def runs_of(run: Source | Sequence[Source]) -> list[Source]:
    return list(run) if isinstance(run, list | tuple) else [run]  # type: ignore[list-item]


def named_runs(
    runs: Sequence[Source], names: Sequence[str], baseline: Sequence[Source] = ()
) -> list[NamedRun]:
    """The baseline, if there is one, and the runs, with the names that they were given, have in their files, or get."""
    if not runs:
        raise InputError("There is no run to score.")
    sources = [*baseline, *runs]
    if names and len(names) != len(sources):
        verb = "is" if len(names) == 1 else "are"
        raise InputError(
            f"There {verb} {counted(len(names), 'name')} for {counted(len(sources), 'run')}. Give one name for each run."
        )
    numbered = ["run"] if len(runs) == 1 else [f"run {number}" for number in range(1, len(runs) + 1)]
    made_up = [*["baseline"] * len(baseline), *numbered]
    run_names = names or ["" if is_file(one) else name for one, name in zip(sources, made_up, strict=True)]
    return [NamedRun(name, source) for name, source in zip(run_names, sources, strict=True)]


def score_sources(
    qrels: Source,
    runs: Sequence[NamedRun],
    *,
    measures: str,
    max_grade: float | None,
    order: Order,
    page_size: int = 0,
) -> FileScores:
    """As `score_files`, for anything that is a source."""
    options = replace(AS_TREC_EVAL, order=order)
    every = chosen(measures)
    judged = read_judgments(qrels, max_grade)
    by_file = ((Path(run.name), read_run(run, judged, options, page_size)) for run in runs)
    return scores_of(judged, by_file, every, top_grade_given=max_grade is not None)


def query_rows(scored: FileScores) -> Iterator[QueryRow]:
    for one in scored.scores:
        for measure in scored.measures:
            yield from _rows_of(one, measure)


def _rows_of(one: FileScore, measure: RoundedMeasure) -> Iterator[QueryRow]:
    run, cutoff = one.run.run, measure.measure.cutoff
    shown = run.retrieved if cutoff is None else np.minimum(run.retrieved, cutoff)
    facts = zip(
        one.run.queries,
        none_for_nan(one.values[str(measure)]),
        run.answered.tolist(),
        shown.tolist(),
        holes(run, cutoff=cutoff).astype(int).tolist(),
        strict=True,
    )
    for query, value, answered, documents, unjudged in facts:
        state = UNDEFINED if value is None else SCORED if answered else NO_ANSWER
        yield QueryRow(one.run.name, query, str(measure), value, state, documents, unjudged)
