"""The log: acts and changes of judgments, merged, the newest first, with filters and pages."""

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

from judgments.base.cleaning import plain
from judgments.log import sql
from judgments.log.reports.log_words import COMMAND_LINE, GROUPS, JUDGMENTS, Field, fields_of, verb_in_words
from judgments.models import (
    PAIR_KEYS,
    Act,
    ApiToken,
    Batch,
    Document,
    JudgmentList,
    Query,
    QuerySet,
    Reason,
    User,
    Verb,
)

PAGE: Final = 50
CHUNK: Final = 1_000
OF_AN_ERASED_ACCOUNT: Final = "API token of an erased account"


@dataclass(frozen=True, slots=True)
class Scope:
    """The log's subject: a list, a query set, or the whole site if both are None."""

    query_set: QuerySet | None = None
    judgment_list: JudgmentList | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """The entries to show; dates are days in the site's time zone, both included."""

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
    """Entries are older than these two keys: of an act, and of a row of the judgment history."""

    act: int = sql.NEWEST
    change: int = sql.NEWEST

    @classmethod
    def read(cls, text: str) -> Self:
        """Reads the output of `str`; anything else means the first page."""
        match = re.fullmatch(r"(\d{1,19})-(\d{1,19})", text, re.ASCII)
        return cls(*(min(int(part), sql.NEWEST) for part in match.groups())) if match else cls()

    def __str__(self) -> str:
        return f"{self.act}-{self.change}"


class Link(NamedTuple):
    """An existing object that an entry links to."""

    key: int
    name: str


@dataclass(slots=True)
class Entry:
    """A line of the log. Links to objects that don't exist (any more) are None."""

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
    batch_id: int | None = None
    token_id: int | None = None
    token: str = ""
    change: sql.Change | None = None
    query_set: Link | None = None
    judgment_list: Link | None = None
    query: Link | None = None
    document: Link | None = None

    @property
    def fields(self) -> list[Field]:
        return fields_of(
            self.before, {name: value for name, value in self.after.items() if name != PAIR_KEYS}
        )

    @property
    def is_cut(self) -> bool:
        """Whether a text is longer than the part shown."""
        return any(one.is_cut for one in self.fields)

    @property
    def brief(self) -> str:
        """The details that fit on the line: the file, the only changed value, or the names of the changed ones."""
        if not self.before:
            return str(self.after.get("file", ""))
        fields = self.fields
        if len(fields) == 1 and self.after and fields[0].is_short:
            change = f"{fields[0].before} → {fields[0].after}"
            return f"{fields[0].name}: {change}" if self.verb == Verb.CHANGED.label else change
        return ", ".join(one.name for one in fields) if self.after else ""

    @property
    def has_more(self) -> bool:
        return bool(self.before or self.after or self.note or self.query or self.document)


@dataclass(frozen=True, slots=True)
class Page:
    """The newest first; `older` opens the next page and is None on the last one."""

    entries: list[Entry] = field(default_factory=list)
    older: Cursor | None = None


def log_page(scope: Scope, viewer: User, filters: Filters, *, cursor: Cursor, most: int = PAGE) -> Page:
    """At most nine statements: two for the entries, the others for their links.

    Acts and changes are each sorted by key, which is the order of time except for acts of the same moment.
    """
    acts = [_of_act(one) for one in _acts(scope, viewer, filters, cursor)[: most + 1]]
    changes = [_of_change(one) for one in _changes(scope, filters, cursor, most + 1)]
    entries = list(heapq.merge(acts, changes, key=attrgetter("at"), reverse=True))
    page = entries[:most]
    _link(scope, page)
    if len(entries) <= most:
        return Page(page)
    act = min((one.act_id for one in page if one.act_id), default=cursor.act)
    change = min((one.change.id for one in page if one.change), default=cursor.change)
    return Page(page, Cursor(act, change))


def whole_log(scope: Scope, viewer: User, filters: Filters) -> Iterator[Entry]:
    """All entries, read in pages of a thousand to limit memory."""
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
    """Changes of judgments in one query set; the log of the whole site has only acts."""
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
        token_id=act.token_id,
    )


def _of_change(change: sql.Change) -> Entry:
    return Entry(
        at=change.at,
        who=change.rater,
        verb=_verb(change),
        subject=f"“{plain(change.document)}” for “{change.query}”",
        before={},
        after={},
        note="",
        query_set_id=None,
        list_id=change.list_id,
        query_id=change.query_id,
        document_id=change.document_id,
        change=change,
    )


def _verb(change: sql.Change) -> str:
    if change.undone:
        return "lost an imported judgment to an undo:"
    if change.withdrawn:
        return "withdrew the judgment of"
    return "gave the same answer again to" if change.is_same else "changed the judgment of"


def _link(scope: Scope, entries: Sequence[Entry]) -> None:
    """Adds links to existing objects and to the undo of imports, the names of tokens, and the answers of changed judgments in the words of their scale.

    If the list was deleted, so was its scale, and the entry has no answers.
    """

    def keys(name: str) -> set[int]:
        return {key for one in entries if (key := getattr(one, name))}

    of_lists = JudgmentList.objects.select_related("scale").prefetch_related("scale__grades")
    lists = of_lists.in_bulk(keys("list_id"))
    queries, documents = _existing(Query, keys("query_id")), _existing(Document, keys("document_id"))
    imports = [one.act_id for one in entries if one.verb == Verb.IMPORTED.label and one.list_id]
    batches = dict(Batch.objects.filter(act__in=imports).values_list("act", "pk"))
    tokens = ApiToken.objects.in_bulk(keys("token_id"))
    set_ids = keys("query_set_id") if scope.query_set is None else set()
    sets = dict(QuerySet.objects.filter(pk__in=set_ids).values_list("pk", "name"))
    for one in entries:
        if one.token_id:
            one.token = tokens[one.token_id].in_words if one.token_id in tokens else OF_AN_ERASED_ACCOUNT
        if one.list_id and one.list_id in lists:
            one.judgment_list = Link(one.list_id, lists[one.list_id].name)
        if one.query_set_id in sets:
            one.query_set = Link(one.query_set_id, sets[one.query_set_id])
        one.batch_id = batches.get(one.act_id or 0)
        one.query = Link(one.query_id, "the query") if one.query_id in queries else None
        one.document = Link(one.document_id, "the document") if one.document_id in documents else None
        if one.change and one.change.list_id in lists:
            one.before, one.after = _answers(one.change, lists[one.change.list_id])


def _existing(model: type[Model], keys: set[int]) -> set[int]:
    """The keys of these rows that exist. No statement without keys."""
    return set(model._default_manager.filter(pk__in=keys).values_list("pk", flat=True))


def _answers(change: sql.Change, judgment_list: JudgmentList) -> tuple[dict[str, str], dict[str, str]]:
    """The earlier answer and the new one; comments only if they differ."""
    name = judgment_list.scale.name_of
    before = {"answer": name(change.value) or Reason(change.reason).label}
    after = {}
    if change.has_new:
        after["answer"] = name(change.new_value) or Reason(change.new_reason).label
    if change.comment != change.new_comment:
        before["comment"], after["comment"] = change.comment, change.new_comment
    return before, after


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))
