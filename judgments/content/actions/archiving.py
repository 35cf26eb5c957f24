"""Archives query sets and takes them out of the archive. Archived query sets can be read, but not changed."""

from datetime import datetime

from django.db import transaction

from judgments.grades.actions.model_fits import ask_for_fit
from judgments.log.actions import record_act
from judgments.models import JudgmentList, QuerySet, User, Verb
from touchstone_core.grades.rules import MODEL_RULES


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
