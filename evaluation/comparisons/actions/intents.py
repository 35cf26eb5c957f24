"""Writes about the queries that changes are meant to touch."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction

from evaluation.base.errors import TooManyError
from evaluation.models import IntendedQuery, Intent
from judgments.base.names import given_once
from judgments.content.reports.content import refuse_if_changed
from judgments.log.actions import record_act
from judgments.models import Query, QuerySet, User, Verb

UNIQUE_NAME = "intent_name_unique"
MOST_INTENTS = 200
AT_ONCE = 10_000


@transaction.atomic
def save_intent(
    *, query_set: QuerySet, name: str, queries: Collection[int], user: User | None, at: datetime
) -> Intent:
    """Names queries of the query set, by their keys, as those that a change is meant to touch.

    Raises NameTakenError and TooManyError. Locks the query set, so that several at once keep to the limit, too.
    """
    QuerySet.objects.select_for_update(no_key=True).get(pk=query_set.pk)
    if Intent.objects.filter(query_set=query_set).count() >= MOST_INTENTS:
        raise TooManyError("query set", MOST_INTENTS, "intents")
    with given_once(name, constraint=UNIQUE_NAME):
        intent = Intent.objects.create(query_set=query_set, name=name, created_by=user, chosen_at=at)
    count = _add(intent, queries)
    record_act(Verb.CREATED, f"intent {intent}", query_set=query_set, after={"queries": count})
    return intent


def intent_details(intent: Intent) -> dict[str, Any]:
    """The name and the IDs of the queries, as the form of an intent shows them."""
    ids = intent.intended.order_by("query_id").values_list("query__external_id", flat=True)
    return {"name": intent.name, "queries": list(ids)}


@transaction.atomic
def change_intent(
    *, intent: Intent, name: str, queries: Collection[int], at: datetime, seen_mark: str | None = None
) -> None:
    """Another name, other queries. `chosen_at` moves only where the queries differ.

    `seen_mark` is as for `change_list`, of `intent_details`. Raises ChangedSinceError and NameTakenError.
    """
    intent = Intent.objects.select_for_update(no_key=True).get(pk=intent.pk)
    if seen_mark is not None:
        refuse_if_changed("list of intended queries", intent, intent_details(intent), seen_mark)
    keys = set(intent.intended.values_list("query", flat=True))
    before, counts = {"name": intent.name, "queries": len(keys)}, {}
    intent.name = name
    if removed := keys.difference(queries):
        counts["removed"] = intent.intended.filter(query__in=removed).delete()[0]
    if added := _add(intent, set(queries) - keys):
        counts["added"] = added
    if counts:
        intent.chosen_at = at
    with given_once(name, constraint=UNIQUE_NAME):
        intent.save(update_fields=["name", "chosen_at"])
    after = {"name": name, "queries": intent.intended.count(), **counts}
    record_act(Verb.CHANGED, f"intent {intent}", query_set=intent.query_set_id, before=before, after=after)


@transaction.atomic
def delete_intent(*, intent: Intent) -> None:
    """Links that name it show their page without it."""
    count = intent.intended.count()
    intent.delete()
    record_act(Verb.DELETED, f"intent {intent}", query_set=intent.query_set_id, before={"queries": count})


def _add(intent: Intent, queries: Collection[int]) -> int:
    """How many there were. Their rows are locked, so that none is deleted meanwhile; those that are gone are left out."""
    rows = Query.objects.filter(query_set=intent.query_set_id, pk__in=queries).order_by("pk")
    keys = list(rows.select_for_update(no_key=True).values_list("pk", flat=True))
    links = (IntendedQuery(intent=intent, query_id=key) for key in keys)
    IntendedQuery.objects.bulk_create(links, batch_size=AT_ONCE)
    return len(keys)
