"""What commands ask for that work with files or with a site."""

import argparse
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from touchstone_core import TOKEN
from touchstone_core.offline.command_line import QRELS_HELP, InputError, add_max_grade


def add_judgments(parser: argparse.ArgumentParser) -> None:
    """Where the judgments come from: a file, or a list of a site."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--qrels", type=Path, metavar="FILE", help=QRELS_HELP)
    source.add_argument(
        "--site",
        metavar="URL",
        help=f"takes judgments and stored runs from a site, with the token in the variable {TOKEN}",
    )
    parser.add_argument("--query-set", metavar="NAME", help="of the site")
    parser.add_argument(
        "--list",
        metavar="NAME[@VERSION]",
        help="of the site: its grades as they are now, or as frozen: “First pass@3”",
    )
    add_max_grade(parser)


def refuse_options_of_files(
    options: argparse.Namespace,
    add_options: Callable[[argparse.ArgumentParser], None],
    of_sites: Collection[str],
    formats: Sequence[str] = (),
) -> None:
    """Raises InputError where one that `add_options` adds was given and isn't `of_sites`, or a format is none of these."""
    parser = argparse.ArgumentParser()
    add_options(parser)
    for name, value in vars(parser.parse_args([])).items():
        if name not in of_sites and getattr(options, name) != value:
            raise InputError(f"--{name.replace('_', '-')} is for files only. Leave it out with --site.")
    if formats and options.format not in formats:
        raise InputError(f"--format {options.format} is for files only. Choose one of: {', '.join(formats)}.")


def refuse_options_of_sites(options: argparse.Namespace) -> None:
    """Raises InputError where one was given that says what of a site to take, without a site."""
    for name, left_out in (("query_set", None), ("list", None), ("unknown", "refuse")):
        if getattr(options, name, left_out) != left_out:
            raise InputError(f"--{name.replace('_', '-')} is for a site only. Leave it out with --qrels.")
