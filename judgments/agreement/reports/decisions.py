"""Admins' decisions on the grades of a list: counts by cause, and all of them as a table."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from django.db.models import Count

from judgments.agreement.reports.answers import answers_to
from judgments.base.digits import written
from judgments.models import Adjudication, Cause, Judgment, JudgmentList, User
from judgments.raters.reports.rater_names import Names
from touchstone_core.formats.judgments.decisions import HEADERS
from touchstone_core.formats.spreadsheet import Cell

PART = 500


def causes(judgment_list: JudgmentList) -> list[dict[str, Any]]:
    """The number of valid decisions with each cause, in the order of the form."""
    standing = judgment_list.adjudications.standing().order_by()
    counts = dict(standing.values_list("cause").annotate(Count("pk")))
    return [{"cause": cause, "label": label, "count": counts.get(cause, 0)} for cause, label in Cause.choices]


def table(judgment_list: JudgmentList, names: Names) -> Iterator[Sequence[Cell]]:
    """Every decision, even withdrawn ones, the oldest first, with the current answers; read in parts to save memory."""
    labels = {grade.value: grade.label for grade in judgment_list.scale.grades.all()}
    yield HEADERS
    decisions = Adjudication.objects.filter(judgment_list=judgment_list).order_by("pk")
    rows = decisions.select_related("by", "withdrawn_by", "pair__query", "pair__document").defer(
        "pair__document__body", "pair__document__fields"
    )
    remaining = rows.iterator(chunk_size=PART)
    while part := list(islice(remaining, PART)):
        by_pair = answers_to({one.pair_id for one in part})
        for one in part:
            answers = "; ".join(
                f"{names.of(answer.rater_id)}: {_in_words(answer)}" for answer in by_pair[one.pair_id]
            )
            query, document = one.pair.query, one.pair.document
            yield [
                *(query.external_id, query.text, document.external_id, answers, one.value),
                *(labels.get(one.value, ""), one.get_cause_display(), one.note),
                *(_who(one.by), one.at.isoformat()),
                *(_who(one.withdrawn_by), one.withdrawn_at.isoformat() if one.withdrawn_at else ""),
            ]


def _in_words(answer: Judgment) -> str:
    return f"cannot judge ({answer.reason})" if answer.value is None else written(answer.value)


def _who(user: User | None) -> str:
    return user.display_name if user else ""
