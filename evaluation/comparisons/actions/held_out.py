"""How the runs of a query set are compared, and who opens the queries that are kept aside."""

from datetime import datetime
from typing import Any

from django.db import transaction

from evaluation.comparisons.actions.comparing import Question, count_look, is_open
from evaluation.models import Comparing, ComparisonLook
from judgments.content.reports.content import refuse_if_changed
from judgments.log.actions import readable_fields, record_act
from judgments.models import QuerySet, User, Verb
from touchstone_core.comparison.verdict import measure_text


def comparing_in_words(settings: Comparing) -> dict[str, Any]:
    return readable_fields(settings, "held_out", "drawn")


@transaction.atomic
def change_comparing(
    *, query_set: QuerySet, held_out: str, drawn: str, seen_mark: str | None = None
) -> Comparing:
    """Other held-out queries are closed to everybody, whoever opened those before; the log keeps the openings.

    `seen_mark` is as for `change_list`, of `comparing_in_words`. Raises ChangedSinceError.
    """
    QuerySet.objects.select_for_update(no_key=True).get(pk=query_set.pk)
    settings = Comparing.objects.filter(query_set=query_set).first() or Comparing(query_set=query_set)
    before = comparing_in_words(settings)
    refuse_if_changed("setting", settings, before, seen_mark)
    if settings.held_out != held_out:
        ComparisonLook.objects.filter(query_set=query_set, held_out=True).delete()
    settings.held_out, settings.drawn = held_out, drawn
    settings.save()
    record_act(
        Verb.CHANGED,
        "how runs are compared",
        query_set=query_set,
        before=before,
        after=comparing_in_words(settings),
    )
    return settings


@transaction.atomic
def open_held_out(*, question: Question, user: User | None, at: datetime) -> None:
    """Lets everybody see these runs on the held-out queries, under this measure. A second click changes nothing."""
    of = question.judgment_list
    QuerySet.objects.select_for_update(no_key=True).get(pk=of.query_set_id)
    if is_open(question):
        return
    count_look(question, user, at)
    record_act(
        Verb.OPENED,
        "the held-out queries",
        judgment_list=of,
        after={
            "runs": [run.name for run in question.runs],
            "measure": measure_text(question.formula, question.on),
            "tag": question.settings.held_out,
        },
    )
