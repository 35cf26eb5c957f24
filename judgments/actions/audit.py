"""The audit log: every action that changes something says so here, in its own transaction."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from judgments.models import Act, Document, JudgmentList, Query, QuerySet, User, Verb

_SUBJECT: Final = 300
_actor: ContextVar[User | AnonymousUser | None] = ContextVar("actor", default=None)


@contextmanager
def acting(user: User | AnonymousUser | None) -> Iterator[None]:
    """Whoever acts within: a request's user, or the account that a command names. Nobody outside of it."""
    token = _actor.set(user)
    try:
        yield
    finally:
        _actor.reset(token)


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
    """A line of the log; costs one INSERT. The query set is that of the list, query or document where none is given.

    `before` and `after` are what differs, as JSON; where both are given and say the same, nothing is recorded.
    """
    if before is not None and before == after:
        return
    about = judgment_list or query or document
    set_id = query_set.pk if isinstance(query_set, QuerySet) else query_set
    actor = _actor.get()
    known = actor if isinstance(actor, User) else None
    Act.objects.create(
        query_set_id=set_id if set_id is not None or about is None else about.query_set_id,
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
