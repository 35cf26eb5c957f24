"""The audit log: every action that changes something records a line here, in its own transaction."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from datetime import date
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model
from django.utils import timezone
from django.utils.text import Truncator

from judgments.base.contexts import holding
from judgments.base.errors import ArchivedError
from judgments.models import Act, Document, JudgmentList, Pair, Query, QuerySet, User, Verb

_SUBJECT: Final = 300
_HALF: Final = 140
_IN_ARCHIVE_TOO: Final = frozenset(
    {
        Verb.ARCHIVED,
        Verb.RESTORED,
        Verb.COPIED,
        Verb.EXPORTED,
        Verb.TOKEN_REVOKED,
        Verb.DELETION_BEGUN,
        Verb.DELETION_ENDED,
    }
)
_actor: ContextVar[tuple[User | AnonymousUser | None, int | None]] = ContextVar("actor", default=(None, None))
_inside: ContextVar[bool] = ContextVar("inside", default=False)


def acting(user: User | AnonymousUser | None, token_id: int | None = None) -> AbstractContextManager[None]:
    """Sets the acting user for this context: a request's user, or the account named in a command.

    `token_id` is the API token by which a program acts for the user.
    """
    return holding(_actor, (user, token_id))


def who_acts() -> User | None:
    """The acting user; None for a command without an account."""
    actor, _ = _actor.get()
    return actor if isinstance(actor, User) else None


def acting_token() -> int | None:
    """The ID of the API token by which the user acts; None for a page or a command."""
    return _actor.get()[1]


def one_act() -> AbstractContextManager[None]:
    """Actions within this context record nothing: the caller records one line for all of them afterwards."""
    return holding(_inside, True)


def readable_fields(row: Model, *names: str) -> dict[str, Any]:
    """These fields of a row as people read them: the label of a choice, the name of a related row, a day or a time as text."""
    return {name: _readable(row, name) for name in names}


def _readable(row: Model, name: str) -> Any:
    value = getattr(row, name)
    if label := getattr(row, f"get_{name}_display", None):
        return str(label())
    if isinstance(value, Model):
        return str(value)
    return value.isoformat() if isinstance(value, date) else value


def pair_in_words(pair: Pair) -> str:
    """Its document and query, both shortened so that they fit."""
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
) -> int | None:
    """Adds a line to the log, and returns its key: one INSERT, and one SELECT of the query set.

    Without `query_set`, it's the query set of the list, query or document. Raises ArchivedError if it's archived, so that
    everything the action wrote is rolled back. Returns None if nothing is recorded. `before` and `after` are JSON. If both are given, only differences are saved,
    and nothing is recorded if there are none.
    """
    if _inside.get():
        return None
    if before is not None and after is not None:
        before, after = _without_equal(before, after), _without_equal(after, before)
        if not before and not after:
            return None
    about = judgment_list or query or document
    set_id = query_set.pk if isinstance(query_set, QuerySet) else query_set
    set_id = set_id if set_id is not None or about is None else about.query_set_id
    if (
        set_id is not None
        and verb not in _IN_ARCHIVE_TOO
        and QuerySet.objects.archived().filter(pk=set_id).exists()
    ):
        raise ArchivedError
    user = who_acts()
    act = Act.objects.create(
        query_set_id=set_id,
        judgment_list=judgment_list,
        query=query,
        document=document,
        at=timezone.now(),
        by_id=user.pk if user else None,
        by_name=user.display_name if user else "",
        token_id=acting_token(),
        verb=verb,
        subject=subject[:_SUBJECT],
        before=dict(before or {}),
        after=dict(after or {}),
        note=note,
    )
    return act.pk


def _without_equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in other or other[name] != value}
