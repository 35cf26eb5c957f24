"""`manage.py score` without Django, which takes longer to start than most files take to be scored (ADR 12)."""

import argparse
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
from touchstone_core.offline.file_scores import DEFAULT_MEASURES, as_json, score_files
from touchstone_core.offline.files import files_of
from touchstone_core.offline.score_output import as_csv, as_table

HELP: Final = "Scores run files against a file of judgments, in any format that a site reads, plain or packed; no database needed."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments(parser)
    add_runs(parser)
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """All but the files."""
    parser.add_argument(
        "--measures", default=DEFAULT_MEASURES, help="separated by white space; default: %(default)s"
    )
    parser.add_argument("--per-query", action="store_true", help="give the value of every query, too")
    parser.add_argument("--format", choices=["table", "json", "csv"], default="table")
    add_choices(parser)


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """Writes the scores to `out` and warnings to `err`. Raises InputError before anything is written to `out`."""
    with bad_input_refused():
        scored = score_files(
            options.qrels,
            files_of(options.runs),
            measures=options.measures,
            max_grade=options.max_grade,
            options=chosen_options(options),
            keep_hits=False,
        )
    warn(scored.warnings, err)
    if options.format == "json":
        write_json(as_json(scored, per_query=options.per_query), out)
    else:
        out.write((as_csv if options.format == "csv" else as_table)(scored, per_query=options.per_query))
    return 0
