"""Query sets into the archive and out of it. What is archived is kept and read, and nothing in it changes."""

from datetime import datetime

from django.db import transaction

from judgments.grades.actions.model_fits import ask_for_fit
from judgments.log.actions import record_act
from judgments.models import MODEL_RULES, JudgmentList, QuerySet, User, Verb


@transaction.atomic
def archive_query_set(*, query_set: QuerySet, user: User | None, at: datetime) -> bool:
    """Whether it was not archived before. Pairs that raters hold are theirs no longer; what they send is refused."""
    found = QuerySet.objects.at_work().filter(pk=query_set.pk)
    if not found.update(archived_at=at, archived_by=user):
        return False
    record_act(Verb.ARCHIVED, f"query set {query_set.name}", query_set=query_set)
    return True


@transaction.atomic
def restore_query_set(*, query_set: QuerySet) -> bool:
    """Takes it out of the archive again, as it was; whether it was in there."""
    if not QuerySet.objects.archived().filter(pk=query_set.pk).update(archived_at=None, archived_by=None):
        return False
    record_act(Verb.RESTORED, f"query set {query_set.name}", query_set=query_set)
    for modelled in JudgmentList.objects.filter(query_set=query_set, rule__in=MODEL_RULES):
        ask_for_fit(judgment_list=modelled, rule=modelled.rule, at_once=True)
    return True
