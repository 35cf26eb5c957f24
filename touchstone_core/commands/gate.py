"""`touchstone gate`: passes or fails a run in a file, beside files or beside a site's judgments and stored runs."""

import argparse
from pathlib import Path
from typing import Final, TextIO

from touchstone_core.commands.options import add_judgments, refuse_options_of_sites
from touchstone_core.offline import gate_command
from touchstone_core.offline.command_line import add_choices
from touchstone_core.offline.gate_command import NOT_FOR_MIN, add_conditions, add_outputs

HELP: Final = gate_command.HELP


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments(parser)
    parser.add_argument("--run", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help=f"another file, or with --site the name of a stored run{NOT_FOR_MIN}",
    )
    parser.add_argument(
        "--unknown",
        choices=["refuse", "skip"],
        default="refuse",
        help="with --site: queries that the site doesn’t know; default: %(default)s",
    )
    add_conditions(parser)
    add_outputs(parser)
    add_choices(parser)


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """Writes the answer to `out` and warnings to `err`. Raises InputError before anything is written to `out`."""
    if options.site:
        from touchstone_core.commands import site_gate

        return site_gate.run(options, out, err)
    refuse_options_of_sites(options)
    options.baseline = Path(options.baseline) if options.baseline else None
    return gate_command.run(options, out, err)
