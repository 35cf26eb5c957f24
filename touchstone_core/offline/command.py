"""`touchstone`, the command of the wheel: score, compare and gate files, without Django and without a database."""

import argparse
from importlib import import_module
from typing import Final

from touchstone_core import __version__
from touchstone_core.offline.command_line import run_command

COMMANDS: Final = {
    "score": "score run files against judgments",
    "compare": "compare runs with a baseline",
    "gate": "pass or fail a run, for build servers",
    "measures": "list all measures",
}


def main(arguments: list[str] | None = None) -> int:
    """The exit status of `touchstone COMMAND …`."""
    parser = argparse.ArgumentParser(prog="touchstone", description="Scores and compares search runs.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, words in COMMANDS.items():
        commands.add_parser(name, help=words, add_help=False)
    options, rest = parser.parse_known_args(arguments)
    module = import_module(
        f"touchstone_core.offline.{options.command}_command"
    )  # only the one that is asked for
    return run_command(module, f"touchstone {options.command}", rest)
