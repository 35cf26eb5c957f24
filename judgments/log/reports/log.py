"""The log: acts, and changes of judgments, in one stream from the newest to the oldest, filtered and by the page."""

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from operator import attrgetter
from typing import Any, Final, NamedTuple, Self

from django.db.models import Model, Q
from django.db.models import QuerySet as Rows
from django.utils import timezone

from judgments.log import sql
from judgments.log.reports.log_words import COMMAND_LINE, GROUPS, JUDGMENTS, Field, fields_of, verb_in_words
from judgments.models import Act, Document, JudgmentList, Query, QuerySet, User
from judgments.models.answer_words import name_of

PAGE: Final = 50
CHUNK: Final = 1_000


@dataclass(frozen=True, slots=True)
class Scope:
    """What the log is about: a list, a query set, or the whole site, where both are None."""

    query_set: QuerySet | None = None
    judgment_list: JudgmentList | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """What to show of it; dates are days of the site's zone, both included."""

    group: str = ""
    person: str = ""
    list_id: int | None = None
    since: date | None = None
    until: date | None = None
    text: str = ""

    @property
    def from_moment(self) -> datetime | None:
        return _midnight(self.since) if self.since else None

    @property
    def to_moment(self) -> datetime | None:
        return _midnight(self.until + timedelta(days=1)) if self.until and self.until < date.max else None


class Cursor(NamedTuple):
    """Older than these two keys: of an act, and of a row of the judgments' history."""

    act: int = sql.NEWEST
    change: int = sql.NEWEST

    @classmethod
    def read(cls, text: str) -> Self:
        """What `str` gives; the beginning for anything else."""
        found = re.fullmatch(r"(\d{1,19})-(\d{1,19})", text, re.ASCII)
        return cls(*(min(int(part), sql.NEWEST) for part in found.groups())) if found else cls()

    def __str__(self) -> str:
        return f"{self.act}-{self.change}"


class Link(NamedTuple):
    """Something that an act is about and that is there still."""

    key: int
    name: str


@dataclass(slots=True)
class Entry:
    """A line of the log. The links are None where there is nothing to lead to (any more)."""

    at: datetime
    who: str
    verb: str
    subject: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    note: str
    query_set_id: int | None
    list_id: int | None
    query_id: int | None
    document_id: int | None
    act_id: int | None = None
    change: sql.Change | None = None
    query_set: Link | None = None
    judgment_list: Link | None = None
    query: Link | None = None
    document: Link | None = None

    @property
    def fields(self) -> list[Field]:
        return fields_of(self.before, self.after)

    @property
    def is_cut(self) -> bool:
        """Whether a text among them is longer than what is shown of it."""
        return any(one.is_cut for one in self.fields)

    @property
    def brief(self) -> str:
        """What fits beside the sentence: the file, the one value that changed, or which ones did."""
        if not self.before:
            return str(self.after.get("file", ""))
        fields = self.fields
        if len(fields) == 1 and self.after and fields[0].is_short:
            return f"{fields[0].before} → {fields[0].after}"
        return ", ".join(one.name for one in fields) if self.after else ""

    @property
    def has_more(self) -> bool:
        return bool(self.before or self.after or self.note or self.query or self.document)


@dataclass(frozen=True, slots=True)
class Page:
    """Newest first; `older` leads to the next page, None on the last one."""

    entries: list[Entry] = field(default_factory=list)
    older: Cursor | None = None


def log_page(scope: Scope, viewer: User, filters: Filters, *, cursor: Cursor, most: int = PAGE) -> Page:
    """Seven statements at most, whatever is in the log: two for the lines, the others for what they lead to.

    Acts and changes are each in the order of their keys, which is that of time but for acts of the same moment.
    """
    acts = [_of_act(one) for one in _acts(scope, viewer, filters, cursor)[: most + 1]]
    changes = [_of_change(one) for one in _changes(scope, filters, cursor, most + 1)]
    entries = list(heapq.merge(acts, changes, key=attrgetter("at"), reverse=True))
    shown = entries[:most]
    _link(scope, shown)
    if len(entries) <= most:
        return Page(shown)
    seen = [one.act_id for one in shown if one.act_id], [one.change.id for one in shown if one.change]
    return Page(shown, Cursor(min([cursor.act, *seen[0]]), min([cursor.change, *seen[1]])))


def whole_log(scope: Scope, viewer: User, filters: Filters) -> Iterator[Entry]:
    """All lines, read in pages of a thousand: memory does not grow with the log."""
    cursor: Cursor | None = Cursor()
    while cursor is not None:
        page = log_page(scope, viewer, filters, cursor=cursor, most=CHUNK)
        yield from page.entries
        cursor = page.older


def _acts(scope: Scope, viewer: User, filters: Filters, cursor: Cursor) -> Rows[Act]:
    if filters.group == JUDGMENTS:
        return Act.objects.none()
    acts = Act.objects.visible_to(viewer).filter(pk__lt=cursor.act)
    if scope.judgment_list or filters.list_id:
        acts = acts.filter(judgment_list=scope.judgment_list or filters.list_id)
    if scope.query_set:
        acts = acts.filter(query_set=scope.query_set)
    if filters.group in GROUPS:
        acts = acts.filter(verb__in=GROUPS[filters.group][1])
    if filters.from_moment:
        acts = acts.filter(at__gte=filters.from_moment)
    if filters.to_moment:
        acts = acts.filter(at__lt=filters.to_moment)
    if filters.text:
        acts = acts.filter(Q(subject__icontains=filters.text) | Q(note__icontains=filters.text))
    if filters.person:
        nobody = Q(by_name="") if filters.person.casefold() in COMMAND_LINE.casefold() else Q(pk__in=[])
        acts = acts.filter(nobody | Q(by_name__icontains=filters.person))
    return acts.order_by("-pk")


def _changes(scope: Scope, filters: Filters, cursor: Cursor, most: int) -> list[sql.Change]:
    """Of one query set: the log of the whole site has acts only."""
    if scope.query_set is None or filters.group in GROUPS:
        return []
    return sql.changes(
        query_set_id=scope.query_set.pk,
        list_id=scope.judgment_list.pk if scope.judgment_list else filters.list_id,
        before=cursor.change,
        most=most,
        since=filters.from_moment,
        until=filters.to_moment,
        person=filters.person,
        text=filters.text,
    )


def _of_act(act: Act) -> Entry:
    return Entry(
        at=act.at,
        who=act.by_name or COMMAND_LINE,
        verb=verb_in_words(act.verb),
        subject=act.subject,
        before=act.before,
        after=act.after,
        note=act.note,
        query_set_id=act.query_set_id,
        list_id=act.judgment_list_id,
        query_id=act.query_id,
        document_id=act.document_id,
        act_id=act.pk,
    )


def _of_change(change: sql.Change) -> Entry:
    return Entry(
        at=change.at,
        who=change.rater,
        verb="took back the judgment of" if change.withdrawn else "changed the judgment of",
        subject=f"“{change.document}” for “{change.query}”",
        before={},
        after={},
        note="",
        query_set_id=None,
        list_id=change.list_id,
        query_id=change.query_id,
        document_id=change.document_id,
        change=change,
    )


def _link(scope: Scope, entries: Sequence[Entry]) -> None:
    """Looks up what the lines are about, and says the answers of changed judgments in the words of their scale.

    A list that is gone by now took its scale's words along: such a line goes without its answers.
    """
    lists = JudgmentList.objects.filter(pk__in={one.list_id for one in entries if one.list_id})
    known = {one.pk: one for one in lists.select_related("scale").prefetch_related("scale__grades")}
    queries = _existing(Query, {one.query_id for one in entries if one.query_id})
    documents = _existing(Document, {one.document_id for one in entries if one.document_id})
    sets: dict[int, str] = {}
    if scope.query_set is None:
        found = QuerySet.objects.filter(pk__in={one.query_set_id for one in entries if one.query_set_id})
        sets = dict(found.values_list("pk", "name"))
    for one in entries:
        if one.list_id in known:
            one.judgment_list = Link(one.list_id, known[one.list_id].name)
        if one.query_set_id in sets:
            one.query_set = Link(one.query_set_id, sets[one.query_set_id])
        one.query = Link(one.query_id, "the query") if one.query_id in queries else None
        one.document = Link(one.document_id, "the document") if one.document_id in documents else None
        if one.change and one.change.list_id in known:
            one.before, one.after = _answers(one.change, known[one.change.list_id])


def _existing(model: type[Model], keys: set[int]) -> set[int]:
    """Which of these rows there are; without keys, no statement."""
    return set(model._default_manager.filter(pk__in=keys).values_list("pk", flat=True)) if keys else set()


def _answers(change: sql.Change, judgment_list: JudgmentList) -> tuple[dict[str, str], dict[str, str]]:
    """What the rater had said and what is said instead; a comment only where it differs."""
    before = {"answer": name_of(judgment_list.scale, change.value, change.reason)}
    after = {}
    if change.followed:
        after["answer"] = name_of(judgment_list.scale, change.new_value, change.new_reason)
    if change.comment != change.new_comment:
        before["comment"], after["comment"] = change.comment, change.new_comment
    return before, after


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))
