"""Whether versions are what the log says was frozen, and their grades what their hash says."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from judgments.lists.sql import versions as sql
from judgments.models import Act, JudgmentList, Verb, Version

_RESTORE: Final = (
    "Don’t rely on this version or its scores. Restore the database from a backup, or freeze a new version."
)
ADVICE: Final = {
    "hash": _RESTORE,
    "grades": _RESTORE,
    "missing": "Restore the database from a backup to get it back.",
    "unlogged": "Touchstone writes this line whenever it freezes, so something else added the version. Don’t rely on it.",
    "twice": "The first line is the true one, because the database numbers them. Find out who could write to the database.",
    "gone": "Find out who could write to the database, and restore it from a backup if you need the version.",
}
_SUBJECT: Final = re.compile(r"version (\d+) of list (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a version, and what to do. `list_name` comes from the log if the list is gone."""

    number: int
    what: str
    advice: str
    list_name: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the log about one freeze; `sha256` is “none” in a line without a hash."""

    number: int
    list_name: str
    list_id: int
    query_set_id: int | None
    sha256: str


def problems_in_log(judgment_list: JudgmentList) -> list[Problem]:
    """Differences between a list's versions and the log, by number. Two queries, whatever the size of the versions."""
    lines = defaultdict(list)
    for line in _lines(judgment_list.pk):
        lines[line.number].append(line)
    hashes = dict(judgment_list.versions.values_list("number", "sha256"))
    return [
        problem
        for number in sorted(lines.keys() | hashes.keys())
        for problem in _compare(number, hashes.get(number), lines[number])
    ]


def _compare(number: int, sha256: str | None, lines: Sequence[_Line]) -> Iterable[Problem]:
    if not lines:
        yield Problem(number, "the log has no line that says it was frozen", ADVICE["unlogged"])
        return
    first = lines[0].sha256
    if sha256 is None:
        what = f"the log says it was frozen with hash {first}, but it is missing"
        yield Problem(number, what, ADVICE["missing"])
    elif sha256 != first:
        what = f"its recorded hash is {sha256}, but the log says it was frozen with {first}"
        yield Problem(number, what, ADVICE["hash"])
    if len(lines) > 1:
        times = "twice" if len(lines) == 2 else f"{len(lines)} times"
        hashes = ", then with ".join(line.sha256 for line in lines)
        yield Problem(number, f"the log says it was frozen {times}: with hash {hashes}", ADVICE["twice"])


def grades_problems(version: Version) -> list[Problem]:
    """Problems of a version's stored grades. Reads all of them, a million in some seconds."""
    problems = []
    with transaction.atomic():
        sha256 = sql.content_hash(version.pk)
        elsewhere = sql.points_elsewhere(version.pk)
        if not Version.objects.filter(pk=version.pk).exists():
            return []  # it went with its query set while its grades were read
    if sha256 != version.sha256:
        what = f"its stored grades give the hash {sha256}, not the recorded {version.sha256}"
        problems.append(Problem(version.number, what, ADVICE["grades"]))
    if elsewhere:
        what = "its grades point to other queries or documents than the IDs beside them"
        problems.append(Problem(version.number, what, ADVICE["grades"]))
    return problems


def problems_of_gone_lists() -> list[Problem]:
    """Versions in the log whose list is gone, though no line says that its query set was deleted. Three queries."""
    lines = list(_lines())
    list_ids = set(JudgmentList.objects.values_list("pk", flat=True))
    # What was deleted in a query set, such as a run, has lines that name it, too.
    deletions = Act.objects.filter(
        verb=Verb.DELETED, subject__startswith="query set ", judgment_list=None, query=None, document=None
    )
    deleted_sets = set(deletions.values_list("query_set_id", flat=True)) - {None}
    what = "the log says it was frozen, but its list is gone and no line says that its query set was deleted"
    return [
        Problem(line.number, what, ADVICE["gone"], line.list_name)
        for line in lines
        if line.list_id not in list_ids and line.query_set_id not in deleted_sets
    ]


def _lines(list_id: int | None = None) -> Iterable[_Line]:
    """The log's lines about freezing, in the order of their numbers in the database."""
    acts = Act.objects.filter(verb=Verb.FROZEN, judgment_list__isnull=False).order_by("pk")
    if list_id is not None:
        acts = acts.filter(judgment_list=list_id)
    fields = ("subject", "judgment_list_id", "query_set_id", "after__sha256")
    for subject, list_key, query_set_id, sha256 in acts.values_list(*fields):
        if parts := _SUBJECT.fullmatch(subject):
            yield _Line(int(parts[1]), parts[2], list_key, query_set_id, str(sha256 or "none"))
