"""Scores as a table for people, and as CSV."""

from collections.abc import Iterator, Sequence

from touchstone_core.formats.columns import aligned
from touchstone_core.formats.spreadsheet import Cell, csv_lines
from touchstone_core.metrics.averages import none_for_nan
from touchstone_core.offline.file_scores import FileScore, FileScores
from touchstone_core.words import counted

MOST_COLUMNS = 5
COUNTS = ("judged", "answered", "missing", "empty", "unjudged")


def as_table(scored: FileScores, *, per_query: bool) -> str:
    """Means with four decimals, a column for each run, or a row where there are many; then, by choice, each run's queries."""
    columns = [_column(score) for score in scored.scores]
    if len(columns) <= MOST_COLUMNS:
        rows: list[Sequence[str]] = list(zip(_titles(scored), *columns, strict=True))
    else:
        rows = [_titles(scored), *columns]
    parts = [_about(scored), aligned(rows)]
    parts += filter(None, ["\n".join(_short_pages(scored)), "\n".join(_left_out(scored))])
    if per_query:
        parts += [_queries(score) for score in scored.scores]
    return "\n\n".join(parts) + "\n"


def _titles(scored: FileScores) -> Sequence[str]:
    measures = scored.scores[0].values if scored.scores else ()
    corner = "measure" if len(scored.scores) <= MOST_COLUMNS else "run"
    return [corner, *measures, *(f"{key} queries" for key in COUNTS)]


def _column(score: FileScore) -> Sequence[str]:
    """The run's name, and what the titles call for."""
    counts = score.counts()
    return [score.run.name, *map(_four, score.means().values()), *(str(counts[key]) for key in COUNTS)]


def as_csv(scored: FileScores, *, per_query: bool) -> str:
    """A row for each run and measure, or for each run, query and measure; full precision, empty where undefined."""
    return "".join(csv_lines(_query_rows(scored) if per_query else mean_rows(scored)))


def mean_rows(scored: FileScores) -> Iterator[list[Cell]]:
    """The headings, then a row for each run and measure."""
    yield ["run", "file", "measure", "mean", "median", *COUNTS, "left out", "low if graded", "high if graded"]
    for score in scored.scores:
        counts, medians = score.counts(), score.medians()
        for one, (measure, mean) in zip(scored.measures, score.means().items(), strict=True):
            out = score.left_out(one)
            ends = [out.queries, out.low, out.high] if out else [0, None, None]
            numbers = [mean, medians[measure], *(counts[key] for key in COUNTS), *ends]
            yield [score.run.name, score.run.file, measure, *numbers]


def _query_rows(scored: FileScores) -> Iterator[list[Cell]]:
    yield ["run", "query", "measure", "value"]
    for score in scored.scores:
        for measure, values in score.values.items():
            for query, value in zip(score.run.queries, none_for_nan(values), strict=True):
                yield [score.run.name, query, measure, value]


def _about(scored: FileScores) -> str:
    judged = scored.judged
    source = "as stated" if scored.top_grade_given else "the greatest of the file"
    return (
        f"{judged.name}: {counted(judged.judgments, 'judgment')} of {counted(judged.queries, 'query', 'queries')}, "
        f"top grade {judged.scale.top_grade:g} ({source})"
    )


def _short_pages(scored: FileScores) -> Iterator[str]:
    """A line for each run and cutoff with pages that are not full."""
    for score in scored.scores:
        for cutoff in scored.cutoffs:
            if words := score.short_pages[cutoff].words:
                yield f"{score.run.name}: {words}"


def _left_out(scored: FileScores) -> Iterator[str]:
    """A line for each run and measure that leaves queries out which grades could bring in."""
    for score in scored.scores:
        for one in scored.measures:
            if left_out := score.left_out(one):
                yield f"{score.run.name}, {one}: {left_out.words}"


def _queries(score: FileScore) -> str:
    columns = [none_for_nan(values) for values in score.values.values()]
    rows = [[query, *map(_four, row)] for query, *row in zip(score.run.queries, *columns, strict=True)]
    return f"{score.run.name}\n" + aligned([["query", *score.values], *rows])


def _four(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
