"""The judgment list of a site that a command names."""

import argparse
from typing import Final, NamedTuple

from touchstone_core.client.errors import NotFoundError
from touchstone_core.client.records import JudgmentList, QuerySet
from touchstone_core.client.site import Site
from touchstone_core.offline.command_line import InputError

NEEDED: Final = "--site needs --query-set and --list. They name the judgments on the site."


class NamedList(NamedTuple):
    """A judgment list and its version; None for the grades of now."""

    query_set: QuerySet
    judgment_list: JudgmentList
    version: int | None


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
