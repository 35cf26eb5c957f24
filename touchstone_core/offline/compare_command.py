"""`manage.py compare` without Django and without a database, as `score` (ADR 12)."""

import argparse
from pathlib import Path
from typing import Final, TextIO

from touchstone_core.offline.command_line import (
    add_choices,
    add_judgments,
    add_runs,
    bad_input_refused,
    chosen_options,
    warn,
    write_json,
)
from touchstone_core.offline.compare_output import as_csv, as_table, unknown_words
from touchstone_core.offline.file_comparison import as_json, compare_files
from touchstone_core.offline.files import files_of
from touchstone_core.significance.draws import SEED

HELP: Final = (
    "Compares run files with the first of them, against a file of judgments in any format: differences, intervals, "
    "p-values, where the change comes from, and what unjudged documents could change. No database needed."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments(parser)
    add_runs(parser, "; the first is the baseline")
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """All but the files."""
    parser.add_argument(
        "--measures",
        default="nDCG@10",
        help="separated by white space, each is compared; default: %(default)s",
    )
    parser.add_argument(
        "--cutoff",
        type=int,
        metavar="K",
        help="of the change by step and the bounds, under the formula of the first NDCG; default: its cutoff, else 10",
    )
    parser.add_argument(
        "--seed", type=int, default=SEED, help="of what is drawn; default: %(default)s, as on the page"
    )
    parser.add_argument(
        "--intended",
        type=Path,
        metavar="FILE",
        help="IDs of the queries that the change was meant to touch, one a line: these and all others are counted apart",
    )
    parser.add_argument("--format", choices=["table", "json", "csv"], default="table")
    add_choices(parser)


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """Writes the comparison to `out` and warnings to `err`. Raises InputError before anything is written to `out`."""
    with bad_input_refused():
        comparison = compare_files(
            options.qrels,
            files_of(options.runs),
            measures=options.measures,
            cutoff=options.cutoff,
            seed=options.seed,
            max_grade=options.max_grade,
            options=chosen_options(options),
            intended=options.intended,
        )
    warn(comparison.file_scores.warnings, err)
    if comparison.intended and (unknown := comparison.intended.unknown):
        err.write(f"Warning: {unknown_words(unknown)}\n")
    if options.format == "json":
        write_json(as_json(comparison), out)
    else:
        out.write((as_csv if options.format == "csv" else as_table)(comparison))
    return 0
