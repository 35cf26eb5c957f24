"""The audit log: every action that changes something says so here, in its own transaction."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model
from django.utils import timezone
from django.utils.text import Truncator

from judgments.base.errors import ArchivedError
from judgments.models import Act, Document, JudgmentList, Pair, Query, QuerySet, User, Verb

_SUBJECT: Final = 300
_HALF: Final = 140
_IN_ARCHIVE_TOO: Final = frozenset({Verb.ARCHIVED, Verb.RESTORED, Verb.COPIED, Verb.EXPORTED})
_actor: ContextVar[User | AnonymousUser | None] = ContextVar("actor", default=None)
_inside: ContextVar[bool] = ContextVar("inside", default=False)


@contextmanager
def acting(user: User | AnonymousUser | None) -> Iterator[None]:
    """Whoever acts within: a request's user, or the account that a command names. Nobody outside of it."""
    token = _actor.set(user)
    try:
        yield
    finally:
        _actor.reset(token)


def who_acts() -> User | None:
    """The account within `acting`; None for a command without one."""
    actor = _actor.get()
    return actor if isinstance(actor, User) else None


@contextmanager
def one_act() -> Iterator[None]:
    """What the actions called within would record is left out: the caller records all of it as one line afterwards."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def said(row: Model, *names: str) -> dict[str, Any]:
    """These fields of a row as people read them: the label of a choice, the name of another row, a time as text."""
    return {name: _said(row, name) for name in names}


def _said(row: Model, name: str) -> Any:
    value = getattr(row, name)
    if label := getattr(row, f"get_{name}_display", None):
        return str(label())
    if isinstance(value, Model):
        return str(value)
    return value.isoformat() if isinstance(value, datetime) else value


def pair_in_words(pair: Pair) -> str:
    """Its query and its document, each short enough that both are read."""
    query, document = Truncator(str(pair.query)), Truncator(str(pair.document))
    return f"“{document.chars(_HALF)}” for “{query.chars(_HALF)}”"


def record_act(
    verb: Verb,
    subject: str,
    *,
    query_set: QuerySet | int | None = None,
    judgment_list: JudgmentList | None = None,
    query: Query | None = None,
    document: Document | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    note: str = "",
) -> None:
    """A line of the log; costs one INSERT and a look at the query set, which is that of the list, query or document
    where none is given.

    Raises ArchivedError where the query set is archived, so that whatever the action has written is rolled back.
    `before` and `after` are JSON. Where both are given, only what differs is kept; nothing is recorded where nothing does.
    """
    if _inside.get():
        return
    if before is not None and after is not None:
        before, after = _without_equal(before, after), _without_equal(after, before)
        if not before and not after:
            return
    about = judgment_list or query or document
    set_id = query_set.pk if isinstance(query_set, QuerySet) else query_set
    set_id = set_id if set_id is not None or about is None else about.query_set_id
    if set_id is not None and verb not in _IN_ARCHIVE_TOO:
        _refuse_archived(set_id)
    actor = _actor.get()
    known = actor if isinstance(actor, User) else None
    Act.objects.create(
        query_set_id=set_id,
        judgment_list=judgment_list,
        query=query,
        document=document,
        at=timezone.now(),
        by_id=known.pk if known else None,
        by_name=known.display_name if known else "",
        verb=verb,
        subject=subject[:_SUBJECT],
        before=dict(before or {}),
        after=dict(after or {}),
        note=note,
    )


def _refuse_archived(query_set_id: int) -> None:
    if QuerySet.objects.archived().filter(pk=query_set_id).exists():
        raise ArchivedError


def _without_equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in other or other[name] != value}
