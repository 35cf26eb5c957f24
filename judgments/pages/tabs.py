"""The pages of a query set and of a judgment list, declared once: for their tabs, and for “Go to”."""

from collections.abc import Iterable
from typing import NamedTuple

from django.urls import reverse

from judgments.models import Role


class Tab(NamedTuple):
    """A page. `key` is what its view calls `tab`, and `address` is the name of its address.

    `admin`: only admins see it. `changes`: it only changes things, so that an archived query set doesn't show it.
    """

    key: str
    label: str
    address: str
    admin: bool = False
    changes: bool = False


Groups = tuple[tuple[str, tuple[Tab, ...]], ...]

LIST: Groups = (
    (
        "Results",
        (
            Tab("runs", "Runs", "run-table"),
            Tab("compare", "Compare", "comparison"),
            Tab("trend", "Trend", "run-trend"),
        ),
    ),
    (
        "Judging",
        (
            Tab("overview", "Progress", "list"),
            Tab("plan", "Plan", "list-plan", admin=True, changes=True),
            Tab("judge", "Judge", "judge", changes=True),
            Tab("pairs", "Pairs", "list-pairs", changes=True),
            Tab("import", "Import", "import-judgments", admin=True, changes=True),
        ),
    ),
    (
        "Quality",
        (
            Tab("agreement", "Agreement", "list-agreement"),
            Tab("disagreements", "Disagreements", "list-disagreements", admin=True),
            Tab("raters", "Raters", "list-raters", admin=True),
            Tab("gold", "Gold", "list-gold", admin=True),
        ),
    ),
    (
        "Data",
        (
            Tab("versions", "Versions", "list-versions"),
            Tab("export", "Export", "list-export"),
            Tab("log", "Log", "list-log", admin=True),
        ),
    ),
    ("Settings", (Tab("settings", "Settings", "list-edit", admin=True),)),
)
QUERY_SET: Groups = (
    ("Overview", (Tab("overview", "Overview", "query-set"), Tab("jobs", "Jobs", "query-set-jobs"))),
    (
        "Content",
        (
            Tab("queries", "Queries", "query-set-queries"),
            Tab("documents", "Documents", "query-set-documents"),
        ),
    ),
    ("Lists", (Tab("lists", "Lists", "query-set-lists"),)),
    (
        "Results",
        (
            Tab("runs", "Runs", "query-set-runs"),
            Tab("comparisons", "Comparisons", "comparisons"),
            Tab("formulas", "Formulas", "saved-formulas"),
        ),
    ),
    (
        "People",
        (Tab("members", "Members", "query-set-members"), Tab("log", "Log", "query-set-log", admin=True)),
    ),
)

# What people do in a query set that isn't a tab of it.
QUERY_SET_ACTIONS = (
    Tab("run-upload", "Upload a run", "run-upload", changes=True),
    Tab("list-new", "New list", "list-new", admin=True, changes=True),
    Tab("import-queries", "Import queries", "import-queries", admin=True, changes=True),
    Tab("import-documents", "Import documents", "import-documents", admin=True, changes=True),
    Tab("impact", "What changed between runs", "impact"),
    Tab("intents", "Intended queries", "intents"),
    Tab("query-set-export", "Export the query set", "query-set-export", admin=True),
    Tab("query-set-copy", "Copy the query set", "query-set-copy", admin=True),
    Tab("query-set-edit", "Settings of the query set", "query-set-edit", admin=True),
)


class Link(NamedTuple):
    """A link of a row of tabs. `current` is its `aria-current`: “page”, or “true” for the group of the page."""

    label: str
    url: str
    current: str


def links_of(tabs: Iterable[Tab], key: int, *, role: str, is_archived: bool, current: str = "") -> list[Link]:
    """The pages that this role may open."""
    return [
        Link(tab.label, reverse(tab.address, args=[key]), "page" if tab.key == current else "")
        for tab in tabs
        if (role == Role.ADMIN or not tab.admin) and not (is_archived and tab.changes)
    ]


def rows_of_tabs(groups: Groups, key: int, *, current: str, role: str, is_archived: bool) -> list[list[Link]]:
    """The row of groups and, if the current group has several pages, the row of these.

    A group leads to its first page. Groups without any page for this role are left out.
    """
    top: list[Link] = []
    below: list[Link] = []
    for label, tabs in groups:
        links = links_of(tabs, key, current=current, role=role, is_archived=is_archived)
        if not links:
            continue
        is_current = any(link.current for link in links)
        if len(links) == 1:
            top.append(links[0]._replace(label=label))
        else:
            top.append(Link(label, links[0].url, "true" if is_current else ""))
            below = links if is_current else below
    return [top, below] if below else [top]
