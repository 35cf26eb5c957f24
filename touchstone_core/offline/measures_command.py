"""Every measure with its formula, edge cases and source."""

import argparse
from typing import Final, TextIO

from touchstone_core.metrics.reference import markdown, plain

HELP: Final = "Prints every measure, parameter and formula of others, with an explanation."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--markdown", action="store_true", help="as the page docs/measures.md, which is made of it"
    )


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    out.write(markdown() if options.markdown else plain())
    return 0
