"""The judgment list of a site that a command names."""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from touchstone_core.client.errors import NotFoundError
from touchstone_core.client.records import JudgmentList, QuerySet, Run
from touchstone_core.client.site import Site
from touchstone_core.offline.command_line import InputError
from touchstone_core.words import names_there_are

NEEDED: Final = "--site needs --query-set and --list. They name the judgments on the site."


class NamedList(NamedTuple):
    """A judgment list and its version; None for the grades of now."""

    query_set: QuerySet
    judgment_list: JudgmentList
    version: int | None


def grades_in_words(grades: Mapping[str, object]) -> str:
    """Which grades figures were computed from: “First pass, version 3”, “First pass, live”."""
    version = grades["version"]
    return f"{grades['name']}, {version if version == 'live' else f'version {version}'}"


def site_of(options: argparse.Namespace) -> Site:
    """The site that the options name. While it can't be reached, standard error says so."""
    return Site(options.site, waiting=_say)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def named_runs(site: Site, query_set: QuerySet, names: Sequence[str]) -> list[Run]:
    """The runs that the options name. Raises InputError if one is named twice."""
    runs = [site.run_named(query_set, name) for name in names]
    if doubles := [name for name, count in Counter(one.name for one in runs).items() if count > 1]:
        raise InputError(f"--run names “{doubles[0]}” twice. Name each run once.")
    return runs


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
            numbers = names_there_are(one.number for one in site.versions(judgment_list))
            raise InputError(f"“{judgment_list.name}” has no version {number}. {numbers}") from None
    return NamedList(found, site.list_named(found, text), None)
