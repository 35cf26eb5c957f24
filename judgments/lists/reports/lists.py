"""Judgment lists in numbers: rule, raters, progress, versions and their checks."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from django.db import models, transaction
from django.db.models import Count, Exists, OuterRef, Q, Subquery, Sum
from django.db.models import QuerySet as Rows
from django.db.models.functions import Coalesce

from judgments.base.digits import written
from judgments.lists.sql import versions as sql
from judgments.models import (
    Act,
    Assignment,
    AssignmentMode,
    ConsensusGrade,
    Exclusion,
    Grade,
    JudgmentList,
    ListQuery,
    Membership,
    QuerySet,
    RaterQueue,
    User,
    Verb,
    Version,
)


def able_accounts(judgment_list: JudgmentList) -> models.QuerySet[User]:
    """Active accounts that are members or administer the site, aren't excluded, and are named if the list names raters.

    ELIGIBLE says the same in SQL, for raters who have opened the list and have something left to judge.
    """
    here = Q(judgment_list=judgment_list.pk)
    member = Membership.objects.filter(query_set=judgment_list.query_set_id, user=OuterRef("pk"))
    excluded = Exclusion.objects.standing().filter(here, rater__user=OuterRef("pk"))
    able = User.objects.filter(Q(is_superuser=True) | Exists(member), ~Exists(excluded), is_active=True)
    if judgment_list.assignment == AssignmentMode.OPEN:
        return able
    return able.filter(Exists(Assignment.objects.filter(here, user=OuterRef("pk"))))


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A list as its rater sees it: `mine` are this rater's judgments, and `missing` those that the list still requires.

    `quota` is the most judgments that this rater may make, None for any number.
    """

    judgment_list: JudgmentList
    pairs: int
    mine: int
    missing: int
    quota: int | None = None

    @property
    def left(self) -> int:
        """At most how many pairs this rater can still judge within the quota."""
        most = min(self.pairs - self.mine, self.missing)
        return max(0, most if self.quota is None else min(most, self.quota - self.mine))


def with_progress(lists: Rows[JudgmentList]) -> Rows[JudgmentList]:
    """Annotates `pair_count`, `graded_count` and `judgment_count`, from the lists' queries."""
    return lists.annotate(
        pair_count=Coalesce(Sum("list_queries__pair_count"), 0),
        graded_count=Coalesce(Sum("list_queries__graded_count"), 0),
        judgment_count=Coalesce(Sum("list_queries__judgment_count"), 0),
    )


def queue_of(user: User) -> list[QueueEntry]:
    """Lists that `user` may judge outside the archive, unpaused ones with most left first. One query."""
    mine = RaterQueue.objects.filter(judgment_list=OuterRef("pk"), rater__user=user)
    assignments = Assignment.objects.filter(judgment_list=OuterRef("pk"), user=user)
    lists = (
        JudgmentList.objects.judgeable_by(user)
        .filter(query_set__archived_at=None)
        .select_related("query_set", "scale")
        .annotate(
            pair_count=Coalesce(Sum("list_queries__pair_count"), 0),
            missing=Coalesce(Sum("list_queries__open_count"), 0),
            is_assigned=Exists(assignments),
            quota=Subquery(assignments.values("quota")),
            mine=Coalesce(Subquery(mine.values("judgment_count")), 0),
        )
    )
    entries = [
        QueueEntry(
            judgment_list=row, pairs=row.pair_count, mine=row.mine, missing=row.missing, quota=_quota(row)
        )
        for row in cast(Iterable[Any], lists)
    ]
    return sorted(entries, key=lambda entry: (entry.judgment_list.paused, -entry.left))


def _quota(judgment_list: Any) -> int | None:
    """Zero for a rater who isn't assigned to a list of assigned raters."""
    if judgment_list.assignment == AssignmentMode.OPEN:
        return None
    quota: int | None = judgment_list.quota if judgment_list.is_assigned else 0
    return quota


def lists_of(query_set: QuerySet) -> Rows[JudgmentList]:
    """The lists of a query set with their progress, by name."""
    return with_progress(query_set.judgment_lists.select_related("scale").order_by("name"))


def rule_in_words(judgment_list: JudgmentList) -> str:
    rule, tie = judgment_list.consensus_rule.rule, judgment_list.consensus_rule.tie
    return f"{rule.words}; between two grades, {tie.words}." if rule.has_ties else f"{rule.words}."


def raters_in_words(judgment_list: JudgmentList) -> str:
    """How many raters judge each pair, and when one more does."""
    step, most = judgment_list.adaptive_step, judgment_list.overlap_most
    if step is None:
        return f"{judgment_list.overlap}"
    by = f" by {written(step)} or more" if judgment_list.scale.has_order else ""
    return f"{judgment_list.overlap}, one more where grades differ{by}, {most} at most"


def coverage(judgment_list: JudgmentList) -> dict[str, int]:
    """How far a list has come, from the counts of its queries; `missing` judgments are still required."""
    counts: dict[str, int] = judgment_list.list_queries.aggregate(
        queries=models.Count("pk"),
        pairs=models.Sum("pair_count", default=0),
        graded=models.Sum("graded_count", default=0),
        judgments=models.Sum("judgment_count", default=0),
        missing=models.Sum("open_count", default=0),
    )
    return counts


def coverage_by_query(judgment_list: JudgmentList) -> models.QuerySet[ListQuery]:
    """The queries in the order of judging; `required_count` includes judgments that are still missing."""
    required = models.F("judgment_count") + models.F("open_count")
    return (
        judgment_list.list_queries.select_related("query")
        .annotate(required_count=required)
        .order_by("position")
    )


def live_counts(judgment_list: JudgmentList) -> dict[str, Any]:
    """How many grades freezing now would include and leave out, and by which rule. One query."""
    counts = ConsensusGrade.objects.filter(judgment_list=judgment_list).aggregate(
        grades=Count("value"), undecided=Count("pk", filter=Q(undecided=True))
    )
    return {**counts, "rule": rule_in_words(judgment_list)}


def since_last(judgment_list: JudgmentList) -> tuple[Version, sql.ChangeCounts] | None:
    """The latest version, and how many live grades differ from it; None without versions. Two queries."""
    last = judgment_list.versions.order_by("-number").first()
    if last is None:
        return None
    return last, sql.count_differences(list_id=judgment_list.pk, earlier=last.pk, later=None)


def grade_counts(version: Version) -> list[tuple[Grade, int, float]]:
    """Grades of a version from low to high, each with count and percentage; nothing for a scale without levels. Two queries."""
    if version.scale.continuous:
        return []
    counts = sql.count_grades(version.pk)
    return [
        (grade, counts.get(grade.value, 0), 100 * counts.get(grade.value, 0) / version.grade_count)
        for grade in version.scale.grades.all()
    ]


def hashed_text(version: Version) -> Iterator[str]:
    """The text of the version's hash."""
    return sql.canonical_lines(version.pk)


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
