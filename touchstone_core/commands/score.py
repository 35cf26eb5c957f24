"""`touchstone score`: scores run files, or shows the scores of stored runs of a site."""

import argparse
from typing import Final, TextIO

from touchstone_core.commands.options import add_judgments, refuse_options_of_sites
from touchstone_core.offline import score_command
from touchstone_core.offline.command_line import add_runs

HELP: Final = f"{score_command.HELP} With --site it shows the scores of stored runs of a site."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments(parser)
    add_runs(parser, or_stored=True)
    score_command.add_options(parser)


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """Writes the answer to `out` and warnings to `err`. Raises InputError before anything is written to `out`."""
    if options.site:
        from touchstone_core.commands import site_scores

        site_scores.run(options, out)
        return 0
    refuse_options_of_sites(options)
    return score_command.run(options, out, err)
