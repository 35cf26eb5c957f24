"""`touchstone gate`: passes or fails a run in a file, beside files or beside a site's judgments and stored runs."""

import argparse
from pathlib import Path
from typing import Final, TextIO

from touchstone_core.client.site import Site
from touchstone_core.client.site_options import add_judgments, named_list
from touchstone_core.offline import gate_command
from touchstone_core.offline.command_line import add_choices, bad_input_refused
from touchstone_core.offline.gate import check_demands
from touchstone_core.offline.gate_command import (
    NOT_PASSED,
    add_conditions,
    add_outputs,
    conditions_text,
    demands_of,
    outputs_of,
    write_report,
)

HELP: Final = gate_command.HELP


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments(parser)
    parser.add_argument("--run", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--baseline",
        required=True,
        metavar="RUN",
        help="another file, or with --site the name of a stored run",
    )
    parser.add_argument(
        "--unknown",
        choices=["refuse", "skip"],
        default="refuse",
        help="with --site: queries that the site doesn't know; default: %(default)s",
    )
    add_conditions(parser)
    add_outputs(parser)
    add_choices(parser)


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """Writes the answer to `out` and warnings to `err`. Raises InputError before anything is written to `out`."""
    if not options.site:
        options.baseline = Path(options.baseline)
        return gate_command.run(options, out, err)
    with bad_input_refused():
        check_demands(demands_of(options.measures))
    with Site(options.site) as site:
        judged = named_list(site, options)
        gate = site.gate(
            judged.judgment_list,
            options.run,
            baseline=site.run_named(judged.query_set, options.baseline),
            conditions=conditions_text(options.measures),
            version=judged.version,
            title=options.title,
            order=options.order,
            unknown=options.unknown,
            duplicates=options.duplicates,
        )
    for warning in gate.warnings:
        err.write(f"Warning: {warning}\n")
    write_report(gate, out, **outputs_of(vars(options)))
    return 0 if gate.passed else NOT_PASSED
