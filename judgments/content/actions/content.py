"""Adds, changes and deletes single queries and documents, and tags many queries. Imports are in the room `files`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from django.db import transaction
from django.utils import timezone
from django.utils.text import get_text_list

from judgments.base.errors import ArchivedError, ChangedSinceError, JudgmentsError
from judgments.base.names import given_once
from judgments.base.sql import locks
from judgments.content.reports.content import changes_for_log, flat, mark_of, uses_of
from judgments.content.sql import content
from judgments.log.actions import record_act, who_acts
from judgments.models import Document, Query, QuerySet, Verb

Row = TypeVar("Row", Query, Document)
_QUERY_ID: Final = "query_id_unique"
_DOCUMENT_ID: Final = "document_id_unique"


class InUseError(JudgmentsError):
    """Something refers to a row that somebody wants to delete."""

    def __init__(self, row: Query | Document, uses: Sequence[str]) -> None:
        places = get_text_list(list(uses), "and")
        super().__init__(f"This {row._meta.verbose_name} can’t be deleted, because it’s in {places}.")


def author() -> dict[str, Any]:
    """Who acts, how and when, for statements that write many lines of the log."""
    user = who_acts()
    who = {"by": user.pk if user else None, "by_name": user.display_name if user else ""}
    return who | {"at": timezone.now(), "verb": Verb.CHANGED.value}


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
    """Raises NameTakenError if the query set has a query with this ID."""
    with given_once(external_id, constraint=_QUERY_ID, kind="ID"):
        query = Query.objects.create(
            query_set=query_set,
            external_id=external_id,
            text=text,
            information_need=information_need,
            weight=weight,
            tags=list(tags),
        )
    return _record_new(query)


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
    """Raises NameTakenError if the query set has a document with this ID."""
    with given_once(external_id, constraint=_DOCUMENT_ID, kind="ID"):
        document = Document.objects.create(
            query_set=query_set,
            external_id=external_id,
            title=title,
            body=body,
            url=url,
            image=image,
            fields=dict(fields or {}),
        )
    return _record_new(document)


@transaction.atomic
def change_query(
    *, query: Query, seen_mark: str, text: str, information_need: str, weight: float, tags: Sequence[str]
) -> Query:
    """Saves the input of a form that showed the state `seen_mark` (see `mark_of`). Raises ChangedSinceError.

    A trigger marks weighted means of lists with this query as stale if the weight changes.
    """
    values = {"text": text, "information_need": information_need, "weight": weight, "tags": list(tags)}
    current = Query.objects.select_for_update(no_key=True).get(pk=query.pk)
    _change(current, seen_mark, values)
    return current


@transaction.atomic
def change_document(
    *,
    document: Document,
    seen_mark: str,
    title: str,
    body: str,
    url: str,
    image: str,
    fields: Mapping[str, Any],
) -> Document:
    """As `change_query`. Judgments stay; raters see the new text with the next card they fetch."""
    values = {"title": title, "body": body, "url": url, "image": image, "fields": dict(fields)}
    current = Document.objects.select_for_update(no_key=True).get(pk=document.pk)
    _change(current, seen_mark, values)
    return current


@transaction.atomic
def delete_row(*, row: Query | Document) -> None:
    """Raises InUseError if a list, a version or a run has the row. Runs name documents by ID and need no row.

    Locks the row, so that whoever else wants to refer to it waits and then finds it deleted.
    """
    locks.hold_back_users(row.query_set_id)
    current = type(row)._default_manager.select_for_update().get(pk=row.pk)
    if uses := uses_of(current):
        raise InUseError(current, uses)
    before = {name: value for name, value in flat(current).items() if value}
    _record(Verb.DELETED, current, changes_for_log(before, {})[0], {})
    current.delete()


@transaction.atomic
def set_tag(*, query_set: QuerySet, query_ids: Sequence[int], tag: str, on: bool) -> int:
    """Adds the tag to these queries (`on`) or removes it; returns how many changed. Each gets a line in the log."""
    if QuerySet.objects.archived().filter(pk=query_set.pk).exists():
        raise ArchivedError
    return content.set_tag(query_set.pk, query_ids, tag, on=on, author=author())


def _record_new(row: Row) -> Row:
    after = {name: value for name, value in flat(row).items() if value}
    _record(Verb.CREATED, row, {}, changes_for_log({}, after)[1])
    return row


def _change(row: Query | Document, seen_mark: str, values: Mapping[str, Any]) -> None:
    """Input that equals the stored row is no conflict, whoever changed the row."""
    before, mark = flat(row), mark_of(row)
    for name, value in values.items():
        setattr(row, name, value)
    if mark_of(row) == mark:
        return
    if seen_mark != mark:
        raise ChangedSinceError(str(row._meta.verbose_name), type(row)._default_manager.get(pk=row.pk))
    row.save(update_fields=list(values))
    _record(Verb.CHANGED, row, *changes_for_log(before, flat(row)))


def _record(verb: Verb, row: Query | Document, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    subject = f"{row._meta.verbose_name} {row.external_id}"
    if isinstance(row, Query):
        record_act(verb, subject, query=row, before=before, after=after)
    else:
        record_act(verb, subject, document=row, before=before, after=after)
