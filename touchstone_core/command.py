"""`touchstone`, the command of the wheel: score, compare, gate and fetch runs, with files or with a site."""

import argparse
from importlib import import_module
from typing import Final

from touchstone_core import __version__
from touchstone_core.offline.command_line import run_command

COMMANDS: Final = {
    "score": ("touchstone_core.commands.score", "score runs against judgments"),
    "compare": ("touchstone_core.commands.compare", "compare runs with a baseline"),
    "gate": ("touchstone_core.commands.gate", "pass or fail a run, for build servers"),
    "fetch": ("touchstone_core.commands.fetch", "ask a search engine, and keep what it finds as a run"),
    "mcp": ("touchstone_core.mcp_server.mcp_command", "let an assistant read a site’s figures"),
    "measures": ("touchstone_core.offline.measures_command", "list all measures"),
}


def main(arguments: list[str] | None = None) -> int:
    """The exit status of `touchstone COMMAND …`."""
    parser = argparse.ArgumentParser(prog="touchstone", description="Scores and compares search runs.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, words) in COMMANDS.items():
        commands.add_parser(name, help=words, add_help=False)
    options, rest = parser.parse_known_args(arguments)
    module = import_module(COMMANDS[options.command][0])  # only the one that is asked for
    return run_command(module, f"touchstone {options.command}", rest)
