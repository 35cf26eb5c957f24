"""Saves and deletes views of the run table."""

from typing import Final

from django.db import transaction

from evaluation.base.errors import TooManyError
from evaluation.models import SavedView
from judgments.base.names import given_once
from judgments.log.actions import record_act
from judgments.models import QuerySet, User, Verb

UNIQUE_NAME: Final = "saved_view_name_unique"
MOST_VIEWS: Final = 50


@transaction.atomic
def save_view(*, query_set: QuerySet, name: str, query: str, user: User | None) -> SavedView:
    """Saves a view under a name. Raises NameTakenError and TooManyError.

    Locks the query set, so that simultaneous saves keep the limit, too.
    """
    QuerySet.objects.select_for_update(no_key=True).get(pk=query_set.pk)
    if SavedView.objects.filter(query_set=query_set).count() >= MOST_VIEWS:
        raise TooManyError("query set", MOST_VIEWS, "saved views")
    with given_once(name, constraint=UNIQUE_NAME):
        view = SavedView.objects.create(query_set=query_set, name=name, query=query, created_by=user)
    record_act(Verb.CREATED, f"view {view} of the run table", query_set=query_set, after={"query": query})
    return view


@transaction.atomic
def delete_view(*, view: SavedView) -> None:
    """Deletes the name. Addresses of the view keep working, because they contain all of it."""
    view.delete()
    record_act(
        Verb.DELETED,
        f"view {view} of the run table",
        query_set=view.query_set_id,
        before={"query": view.query},
    )
