"""`touchstone compare`: compares run files, or stored runs of a site in the sentences of its page."""

import argparse
from typing import Final, TextIO

from touchstone_core.commands.options import add_judgments, refuse_options_of_sites
from touchstone_core.offline import compare_command
from touchstone_core.offline.command_line import add_runs

HELP: Final = f"{compare_command.HELP} With --site it compares stored runs of a site."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments(parser)
    add_runs(parser, "; the first is the baseline", or_stored=True)
    compare_command.add_options(parser)


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """Writes the answer to `out` and warnings to `err`. Raises InputError before anything is written to `out`."""
    if options.site:
        from touchstone_core.commands import site_comparison

        site_comparison.run(options, out)
        return 0
    refuse_options_of_sites(options)
    return compare_command.run(options, out, err)
