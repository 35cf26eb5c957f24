"""Writes about single queries and documents, and about the tags of many. Imports have a module of their own."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from django.db import transaction
from django.utils import timezone

from judgments.base.errors import ArchivedError, ChangedSinceError, JudgmentsError
from judgments.base.names import given_once
from judgments.content.reports.content import flat, logged, mark_of, uses_of
from judgments.content.sql import content
from judgments.log.actions import record_act, who_acts
from judgments.models import Document, Query, QuerySet, Verb

Row = TypeVar("Row", Query, Document)
_QUERY_ID: Final = "query_id_unique"
_DOCUMENT_ID: Final = "document_id_unique"


class InUseError(JudgmentsError):
    """Something refers to the row that would go."""

    def __init__(self, row: Query | Document, uses: Sequence[str]) -> None:
        listed = ", ".join(uses[:-1]) + " and " + uses[-1] if len(uses) > 1 else uses[0]
        super().__init__(f"This {row._meta.verbose_name} stays: it is in {listed}.")


def author() -> content.Author:
    """Who acts, now, for what writes lines of the log by the thousand."""
    user = who_acts()
    return content.Author(user.pk if user else None, user.display_name if user else "", timezone.now())


@transaction.atomic
def add_query(
    *,
    query_set: QuerySet,
    external_id: str,
    text: str,
    information_need: str = "",
    weight: float = 1.0,
    tags: Sequence[str] = (),
) -> Query:
    """Raises NameTakenError where the query set has a query of this id."""
    with given_once(external_id, constraint=_QUERY_ID):
        query = Query.objects.create(
            query_set=query_set,
            external_id=external_id,
            text=text,
            information_need=information_need,
            weight=weight,
            tags=list(tags),
        )
    return _created(query)


@transaction.atomic
def add_document(
    *,
    query_set: QuerySet,
    external_id: str,
    title: str,
    body: str = "",
    url: str = "",
    image: str = "",
    fields: Mapping[str, Any] | None = None,
) -> Document:
    """Raises NameTakenError where the query set has a document of this id."""
    with given_once(external_id, constraint=_DOCUMENT_ID):
        document = Document.objects.create(
            query_set=query_set,
            external_id=external_id,
            title=title,
            body=body,
            url=url,
            image=image,
            fields=dict(fields or {}),
        )
    return _created(document)


@transaction.atomic
def change_query(
    *, query: Query, seen: str, text: str, information_need: str, weight: float, tags: Sequence[str]
) -> Query:
    """Saves what a form says that showed the state `seen` (see `mark_of`). Raises ChangedSinceError.

    Another weight makes the weighted means of every list with this query stale, by a trigger.
    """
    values = {"text": text, "information_need": information_need, "weight": weight, "tags": list(tags)}
    stored = Query.objects.select_for_update(no_key=True).get(pk=query.pk)
    _change(stored, seen, values)
    return stored


@transaction.atomic
def change_document(
    *,
    document: Document,
    seen: str,
    title: str,
    body: str,
    url: str,
    image: str,
    fields: Mapping[str, Any],
) -> Document:
    """As `change_query`. What raters said stays; they see the new text with the next card they fetch."""
    values = {"title": title, "body": body, "url": url, "image": image, "fields": dict(fields)}
    stored = Document.objects.select_for_update(no_key=True).get(pk=document.pk)
    _change(stored, seen, values)
    return stored


@transaction.atomic
def delete_row(*, row: Query | Document) -> None:
    """Raises InUseError where a list, a version or a run has it. Runs name documents by their ids and need no row of one.

    Its row is locked: whoever would refer to it from now on waits, and then finds it gone.
    """
    stored = type(row)._default_manager.select_for_update().get(pk=row.pk)
    if uses := uses_of(stored):
        raise InUseError(stored, uses)
    before = {name: value for name, value in flat(stored).items() if value}
    # The log's own keys outlive the row.
    _record(Verb.DELETED, stored, logged(before, {})[0], {})
    stored.delete()


@transaction.atomic
def set_tag(*, query_set: QuerySet, query_ids: Sequence[int], tag: str, wanted: bool) -> int:
    """Gives the tag to these queries, or takes it from them; how many had to change. Each gets its line in the log."""
    if QuerySet.objects.archived().filter(pk=query_set.pk).exists():
        raise ArchivedError
    return content.set_tag(query_set.pk, query_ids, tag, wanted=wanted, author=author())


def _created(row: Row) -> Row:
    after = {name: value for name, value in flat(row).items() if value}
    _record(Verb.CREATED, row, {}, logged({}, after)[1])
    return row


def _change(stored: Query | Document, seen: str, values: Mapping[str, Any]) -> None:
    """Whoever wants what is stored already is not told of anybody's change."""
    before = flat(stored)
    known = mark_of(stored)
    for name, value in values.items():
        setattr(stored, name, value)
    if mark_of(stored) == known:
        return
    if seen != known:
        raise ChangedSinceError(
            str(stored._meta.verbose_name), type(stored)._default_manager.get(pk=stored.pk)
        )
    stored.save(update_fields=list(values))
    _record(Verb.CHANGED, stored, *logged(before, flat(stored)))


def _record(verb: Verb, row: Query | Document, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    subject = f"{row._meta.verbose_name} {row.external_id}"
    if isinstance(row, Query):
        record_act(verb, subject, query=row, before=before, after=after)
    else:
        record_act(verb, subject, document=row, before=before, after=after)
