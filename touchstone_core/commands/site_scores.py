"""`touchstone score --site`: the scores of stored runs, as their pages have them."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final, TextIO
from urllib.parse import urlencode

import polars as pl

from touchstone_core.client.choices import FormulaChoice
from touchstone_core.client.figures import RunScores
from touchstone_core.client.records import Run
from touchstone_core.commands.options import refuse_options_of_files
from touchstone_core.commands.site_lists import grades_in_words, named_list, named_runs, site_of
from touchstone_core.comparison.values import DASH, fixed
from touchstone_core.formats.columns import aligned
from touchstone_core.formats.spreadsheet import csv_lines
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.offline import score_command
from touchstone_core.offline.command_line import bad_input_refused, write_json
from touchstone_core.offline.file_scores import DEFAULT_MEASURES

OF_SITES: Final = frozenset({"measures", "per_query", "format"})
FURTHER: Final = "AP RR P@10 R@1000"
"""What a site shows beside the four NDCGs, DCG and judged@10, unless somebody asks for other measures."""
COUNTS: Final = ("judged_queries", "answered", "missing", "empty", "unjudged")


def run(options: argparse.Namespace, out: TextIO) -> None:
    """Writes the scores to `out`. Raises InputError before that."""
    refuse_options_of_files(options, score_command.add_options, OF_SITES)
    measures = FURTHER if options.measures == DEFAULT_MEASURES else options.measures
    with bad_input_refused():
        read_rounded(measures)
    with site_of(options) as site:
        judged = named_list(site, options)
        runs = named_runs(site, judged.query_set, options.runs)
        formula: FormulaChoice = {"k": 10, "measures": measures}
        if judged.version is not None:
            formula["version"] = judged.version
        scores = [site.run_scores(judged.judgment_list, one, **formula) for one in runs]
        of_list = f"{site.url}/lists/{judged.judgment_list.id}/runs"
        pages = [f"{of_list}/{one.id}/?{urlencode(formula)}" for one in runs]
        queries = [
            site.query_scores(judged.judgment_list, one, **formula).table for one in runs if options.per_query
        ]
    if options.format == "json":
        write_json({"runs": list(_records(scores, pages, queries))}, out)
    elif options.format == "csv":
        table = pl.concat(queries or [one.table for one in scores])
        out.write("".join(csv_lines([table.columns, *map(list, table.iter_rows())])))
    else:
        out.write("\n\n".join(_parts(scores, runs, queries, pages)) + "\n")


def _records(
    scores: Sequence[RunScores], pages: Sequence[str], queries: Sequence[pl.DataFrame]
) -> Iterator[dict[str, object]]:
    for place, (one, page) in enumerate(zip(scores, pages, strict=True)):
        of_queries = {"queries": queries[place].to_dicts()} if queries else {}
        yield one.content | {"page": page} | of_queries


def _parts(
    scores: Sequence[RunScores], runs: Sequence[Run], queries: Sequence[pl.DataFrame], pages: Sequence[str]
) -> Iterator[str]:
    """The list and the formula, a column for each run, their queries by choice, and the addresses of their pages."""
    first = scores[0]
    yield f"{grades_in_words(first.grades)}. {first.words}"
    titles = [
        "measure",
        *first.content["averages"],
        *(f"{name.removesuffix('_queries')} queries" for name in COUNTS),
    ]
    yield aligned(list(zip(titles, *map(_column, scores), strict=True)))
    for name, table in zip(runs, queries, strict=False):
        rows = [[row["query"], row["measure"], _text(row["value"])] for row in table.iter_rows(named=True)]
        yield f"{name.name}\n" + aligned([["query", "measure", "value"], *rows])
    yield "\n".join(pages)


def _column(scores: RunScores) -> Sequence[str]:
    averages, counts = scores.content["averages"], scores.content["counts"]
    means = (_text(one["mean"]) for one in averages.values())
    return [scores.run, *means, *(f"{counts[name]:,}" for name in COUNTS)]


def _text(value: float | None) -> str:
    return DASH if value is None else fixed(value)
