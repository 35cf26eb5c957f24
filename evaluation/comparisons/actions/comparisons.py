"""Writes about comparisons that are kept by name."""

from datetime import datetime

from django.db import transaction

from evaluation.base.errors import TooManyError
from evaluation.comparisons.actions.comparing import Answer, Question
from evaluation.comparisons.reports.looks import read_looks
from evaluation.comparisons.reports.saved_comparisons import (
    headline_key,
    headline_of,
    is_of_same_state,
    renewed_headline,
    short_state,
    state_of,
)
from evaluation.models import ComparedRun, Comparison, ComparisonResult
from judgments.base.names import given_once
from judgments.content.reports.content import refuse_if_changed
from judgments.log.actions import record_act
from judgments.models import JudgmentList, User, Verb
from touchstone_core.comparison.verdict import Figures, measure_text
from touchstone_core.metrics.selection import write_measures

UNIQUE_NAME = "comparison_name_unique"
MOST_COMPARISONS = 500
"""Of one list: each keeps its figures."""


@transaction.atomic
def save_comparison(
    *, question: Question, answer: Answer, name: str, notes: str, user: User | None, at: datetime
) -> Comparison:
    """Keeps what was asked, and what was answered in short. Raises NameTakenError and TooManyError."""
    of = question.judgment_list
    JudgmentList.objects.select_for_update(no_key=True).get(
        pk=of.pk
    )  # so that two at once keep to the limit, too
    if Comparison.objects.filter(judgment_list=of).count() >= MOST_COMPARISONS:
        raise TooManyError("list", MOST_COMPARISONS, "saved comparisons")
    with given_once(name, constraint=UNIQUE_NAME):
        saved = Comparison.objects.create(
            query_set_id=of.query_set_id,
            judgment_list=of,
            version=question.version,
            name=name,
            notes=notes,
            formula=question.formula.key,
            measure=measure_text(question.formula, question.on),
            measures=write_measures(question.measures),
            created_by=user,
            created_at=at,
            changed_at=at,
        )
    ComparedRun.objects.bulk_create(
        ComparedRun(comparison=saved, run=run, name=run.name, position=place)
        for place, run in enumerate(question.runs)
    )
    ComparisonResult.objects.create(
        query_set_id=of.query_set_id,
        judgment_list=of,
        key=headline_key(saved),
        seed=answer.result.seed,
        draws=answer.result.draws,
        figures=_headline(question, answer, at),
        computed_at=answer.result.computed_at,
    )
    record_act(
        Verb.CREATED,
        f"comparison {saved}",
        judgment_list=of,
        after={
            "runs": [run.name for run in question.runs],
            "measure": saved.measure,
            "version": question.version.number if question.version else "live",
        },
        note=notes,
    )
    return saved


@transaction.atomic
def renew_comparison(*, saved: Comparison, question: Question, answer: Answer, at: datetime) -> None:
    """Says of a saved comparison what it comes to now; what it said before is kept beside it, and in the log.

    A second click, or another admin at the same time, changes nothing.
    """
    results = ComparisonResult.objects.select_for_update(no_key=True)
    result = results.get(judgment_list=saved.judgment_list_id, key=headline_key(saved))
    old, new = result.figures, _headline(question, answer, at)
    if is_of_same_state(old, new):
        return
    result.figures, result.computed_at = renewed_headline(new, old), answer.result.computed_at
    result.save(update_fields=["figures", "computed_at"])
    saved.changed_at = at
    saved.save(update_fields=["changed_at"])
    record_act(
        Verb.CHANGED,
        f"comparison {saved}",
        judgment_list=saved.judgment_list,
        before=_log_facts(old),
        after=_log_facts(new),
        note="Renewed with grades and held-out queries as they are now.",
    )


def _headline(question: Question, answer: Answer, at: datetime) -> Figures:
    state = state_of(question.judgment_list.query_set_id, answer.evaluations[0].revision)
    measure = measure_text(question.formula, question.on)
    looks, _ = read_looks(question.judgment_list, question.runs, measure, held_out=question.confirming)
    return headline_of(question.runs, question.on, answer.figures, looks, state, at)


def _log_facts(headline: Figures) -> dict[str, str]:
    """For the log."""
    return dict(headline["verdicts"]) | {"state": short_state(headline["revision"])}


def comparison_details(saved: Comparison) -> dict[str, str]:
    """The details that the form of a saved comparison shows."""
    return {"name": saved.name, "notes": saved.notes}


@transaction.atomic
def change_comparison(
    *, saved: Comparison, name: str, notes: str, at: datetime, seen_mark: str | None = None
) -> None:
    """Another name, other notes. `seen_mark` is as for `change_list`, of `comparison_details`.

    Raises ChangedSinceError and NameTakenError.
    """
    current = Comparison.objects.select_for_update(no_key=True).get(pk=saved.pk)
    before = comparison_details(current)
    refuse_if_changed("comparison", current, before, seen_mark)
    saved.name, saved.notes, saved.changed_at = name, notes, at
    with given_once(name, constraint=UNIQUE_NAME):
        saved.save(update_fields=["name", "notes", "changed_at"])
    record_act(
        Verb.CHANGED,
        f"comparison {saved}",
        judgment_list=saved.judgment_list,
        before=before,
        after={"name": name, "notes": notes},
    )


@transaction.atomic
def delete_comparison(*, saved: Comparison) -> None:
    """Takes the name and the notes away; runs, grades and the address of the page stay."""
    facts = {"measure": saved.measure, "runs": list(saved.compared.values_list("name", flat=True))}
    ComparisonResult.objects.filter(judgment_list=saved.judgment_list_id, key=headline_key(saved)).delete()
    saved.delete()
    record_act(
        Verb.DELETED,
        f"comparison {saved}",
        judgment_list=saved.judgment_list,
        before=facts,
        note=saved.notes,
    )
