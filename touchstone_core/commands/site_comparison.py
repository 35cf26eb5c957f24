"""`touchstone compare --site`: compares stored runs in the sentences of their page."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final, TextIO, cast
from urllib.parse import urlencode

from touchstone_core.client.choices import FormulaChoice
from touchstone_core.client.figures import Comparison
from touchstone_core.commands.options import refuse_options_of_files
from touchstone_core.commands.site_lists import grades_in_words, named_list, named_runs, site_of
from touchstone_core.comparison.values import DASH, fixed, p_text, signed
from touchstone_core.comparison.verdict import compared_means, on_of
from touchstone_core.formats.columns import aligned
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.metrics.selection import formula_of
from touchstone_core.offline import compare_command
from touchstone_core.offline.command_line import bad_input_refused, write_json

OF_SITES: Final = frozenset({"measures", "cutoff", "format"})
FORMATS: Final = ("table", "json")
_HEADS: Final = ("run", "mean", "difference", "95 % interval", "p", "queries")


def run(options: argparse.Namespace, out: TextIO) -> None:
    """Writes the answer to `out`. Raises InputError before that."""
    refuse_options_of_files(options, compare_command.add_options, OF_SITES, formats=FORMATS)
    with bad_input_refused():
        rounded = [one for _, one in read_rounded(options.measures)]
        formula = formula_of(rounded, options.cutoff)
    with site_of(options) as site:
        judged = named_list(site, options)
        runs = named_runs(site, judged.query_set, options.runs)
        choice = _choice(formula, options.measures)
        if judged.version is not None:
            choice["version"] = judged.version
        comparisons = [
            site.comparison(judged.judgment_list, runs, on=on_of(formula, str(measure)), **choice)
            for measure in rounded
        ]
        address = urlencode({"runs": "-".join(str(one.id) for one in runs), **choice})
        page = f"{site.url}/lists/{judged.judgment_list.id}/compare/?{address}"
    if options.format == "json":
        write_json({"page": page, "comparisons": [one.content | _words(one) for one in comparisons]}, out)
    else:
        tables = ("\n".join(_lines(one, on_of(formula, one.measure))) for one in comparisons)
        out.write("\n\n".join([*tables, page]) + "\n")


def _choice(formula: Formula, measures: str) -> FormulaChoice:
    """As addresses name it: only what isn't usual, and the cutoff."""
    usual = asdict(Formula(cutoff=formula.cutoff))
    unusual = {name: value for name, value in asdict(formula).items() if value != usual[name]}
    return cast(FormulaChoice, unusual | {"k": formula.cutoff, "measures": measures})


def _words(comparison: Comparison) -> dict[str, object]:
    return {
        "recommendation": comparison.recommendation,
        "verdicts": [f"{one.sentence} {one.text}" for one in comparison.verdicts],
        "unknown": comparison.unknown,
    }


def _lines(comparison: Comparison, on: str) -> Iterator[str]:
    """As the page has it: what to do, the verdicts, the figures, and what isn't known."""
    yield f"{comparison.measure}, compared with {comparison.baseline}. {grades_in_words(comparison.grades)}."
    yield comparison.recommendation
    yield ""
    yield from (f"{one.sentence} {one.text}" for one in comparison.verdicts)
    yield ""
    yield aligned([_HEADS, *_rows(comparison, on)])
    if comparison.unknown:
        yield ""
        yield from comparison.unknown


def _rows(comparison: Comparison, on: str) -> Iterator[list[str]]:
    """The baseline goes first. A mean that doesn't make the difference is left out, as on the page."""
    figures = comparison.content["figures"]
    means = [compared_means(figures, place, on) for place in range(len(comparison.verdicts))]
    of_baseline = next((fixed(one[0]) for one in means if one), DASH)
    yield [comparison.baseline, of_baseline, *[DASH] * 4]
    for row, of_both in zip(comparison.table.iter_rows(named=True), means, strict=True):
        interval = (
            DASH
            if row["interval_low"] is None
            else f"{signed(row['interval_low'])} to {signed(row['interval_high'])}"
        )
        p = DASH if row["p"] is None else p_text(row["p"])
        mean = fixed(of_both[1]) if of_both else DASH
        yield [row["run"], mean, signed(row["difference"]), interval, p, f"{row['queries']:,}"]
