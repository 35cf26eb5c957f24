"""Creates and changes query sets, archives them and takes them out of the archive. Archived ones can be read, but not changed."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from judgments.base.errors import JudgmentsError
from judgments.base.names import given_once
from judgments.content.reports.content import refuse_if_changed
from judgments.grades.actions.model_fits import ask_for_fit
from judgments.log.actions import readable_fields, record_act
from judgments.models import JudgmentList, Membership, QuerySet, Role, User, Verb
from touchstone_core.grades.rules import MODEL_RULES
from touchstone_core.words import names_there_are, tidied_name

SETTINGS = ("name", "description", "show_images")
UNIQUE_NAME = "query_set_name_unique"


@transaction.atomic
def create_query_set(*, name: str, description: str, show_images: bool, user: User) -> QuerySet:
    """Creates a query set with `user` as its admin. Raises NameTakenError."""
    with given_once(name, constraint=UNIQUE_NAME):
        query_set = QuerySet.objects.create(
            name=name, description=description, show_images=show_images, created_by=user
        )
    Membership.objects.create(query_set=query_set, user=user, role=Role.ADMIN)
    record_act(
        Verb.CREATED, f"query set {name}", query_set=query_set, after=readable_fields(query_set, *SETTINGS)
    )
    return query_set


def query_set_settings(query_set: QuerySet) -> dict[str, Any]:
    """The settings that the form of a query set shows."""
    return readable_fields(query_set, *SETTINGS)


@transaction.atomic
def change_query_set(
    *, query_set: QuerySet, name: str, description: str, show_images: bool, seen_mark: str | None = None
) -> None:
    """Saves settings. `seen_mark` is as for `change_list`, of `query_set_settings`. Raises ChangedSinceError and NameTakenError."""
    current = QuerySet.objects.select_for_update(no_key=True).get(pk=query_set.pk)
    before = query_set_settings(current)
    refuse_if_changed("query set", current, before, seen_mark)
    query_set.name, query_set.description, query_set.show_images = name, description, show_images
    with given_once(name, constraint=UNIQUE_NAME):
        query_set.save(update_fields=SETTINGS)
    after = readable_fields(query_set, *SETTINGS)
    record_act(Verb.CHANGED, f"query set {name}", query_set=query_set, before=before, after=after)


class NoQuerySetError(JudgmentsError):
    """There is no query set of this name."""

    def __init__(self, name: str) -> None:
        names = QuerySet.objects.order_by("name").values_list("name", flat=True)
        super().__init__(f"There is no query set “{name}”. {names_there_are(names, start='There are')}")


@transaction.atomic
def query_set_named(*, name: str, create: bool) -> QuerySet:
    """The query set of this name in any case; with `create` a new one without members. Else raises NoQuerySetError."""
    tidy = tidied_name(name)
    query_set = QuerySet.objects.filter(Q(name__iexact=name) | Q(name__iexact=tidy)).first()
    if query_set is None and not (create and tidy):
        raise NoQuerySetError(name)
    if query_set is None:
        query_set = QuerySet.objects.create(name=tidy)
        record_act(Verb.CREATED, f"query set {tidy}", query_set=query_set)
    return query_set


@transaction.atomic
def archive_query_set(*, query_set: QuerySet, user: User | None, at: datetime) -> bool:
    """Returns False if it was already archived. Raters lose pairs that they hold, and can't send judgments any more."""
    if not QuerySet.objects.at_work().filter(pk=query_set.pk).update(archived_at=at, archived_by=user):
        return False
    record_act(Verb.ARCHIVED, f"query set {query_set.name}", query_set=query_set)
    return True


@transaction.atomic
def restore_query_set(*, query_set: QuerySet) -> bool:
    """Takes it out of the archive, unchanged. Returns False if it wasn't archived."""
    if not QuerySet.objects.archived().filter(pk=query_set.pk).update(archived_at=None, archived_by=None):
        return False
    record_act(Verb.RESTORED, f"query set {query_set.name}", query_set=query_set)
    for judgment_list in JudgmentList.objects.filter(query_set=query_set, rule__in=list(MODEL_RULES)):
        ask_for_fit(judgment_list=judgment_list, rule=judgment_list.rule, at_once=True)
    return True
