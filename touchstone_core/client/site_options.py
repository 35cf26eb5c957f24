"""What commands ask for that work with files or with a site."""

import argparse
from pathlib import Path
from typing import Final, NamedTuple

from touchstone_core.client.errors import NotFoundError
from touchstone_core.client.records import JudgmentList, QuerySet
from touchstone_core.client.site import TOKEN, Site
from touchstone_core.offline.command_line import InputError, add_max_grade

NEEDED: Final = "--site needs --query-set and --list. They name the judgments on the site."


class NamedList(NamedTuple):
    """A judgment list and its version; None for the grades of now."""

    query_set: QuerySet
    judgment_list: JudgmentList
    version: int | None


def add_judgments(parser: argparse.ArgumentParser) -> None:
    """Where the judgments come from: a file, or a list of a site."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--qrels", type=Path, metavar="FILE", help="TREC qrels")
    source.add_argument(
        "--site",
        metavar="URL",
        help=f"takes judgments and the baseline from a site, with the token in the variable {TOKEN}",
    )
    parser.add_argument("--query-set", metavar="NAME", help="of the site")
    parser.add_argument(
        "--list",
        metavar="NAME[@VERSION]",
        help="of the site: its grades as they are now, or as frozen: “First pass@3”",
    )
    add_max_grade(parser)


def named_list(site: Site, options: argparse.Namespace) -> NamedList:
    """The list that the options name; a name that contains @ itself goes first. Raises InputError."""
    text: str | None = options.list
    if not options.query_set or not text:
        raise InputError(NEEDED)
    if options.max_grade is not None:
        raise InputError("--max-grade is for files only. Leave it out with --site.")
    found = site.query_set_named(options.query_set)
    name, _, number = text.rpartition("@")
    names = {one.name.casefold() for one in site.lists(found)}
    if name and number.isdecimal() and text.casefold() not in names:
        judgment_list = site.list_named(found, name)
        try:
            return NamedList(found, judgment_list, site.version(judgment_list, int(number)).number)
        except NotFoundError:
            raise InputError(f"“{judgment_list.name}” has no version {number}.") from None
    return NamedList(found, site.list_named(found, text), None)
