"""Two runs query by query: from stored scores, once for each state of the grades."""

import hashlib
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from evaluation.comparisons.actions.comparing import (
    Question,
    bring_question_up_to_date,
    count_look,
    current_evaluations,
    forget_oldest,
    question_key,
    read_compared,
    telling_what_is_gone,
    was_scored,
)
from evaluation.comparisons.actions.comparing_jobs import is_large, leave_to_worker
from evaluation.comparisons.reports.query_table import QueryTable, query_table
from evaluation.models import ComparisonResult, Evaluation, Run
from judgments.models import User

_LAYOUT: Final = 5  # grows when the arrays change their meaning, so that none of the old ones is shown


class ComparedQueries(NamedTuple):
    """The queries, and the evaluation of the baseline, which knows what they were computed against."""

    table: QueryTable
    evaluation: Evaluation


def compare_queries(
    *, question: Question, candidate: Run, user: User | None, at: datetime
) -> ComparedQueries:
    """The queries that the comparison is over, of the baseline and one of the other runs.

    A stored answer costs five statements, and one more where queries are held out. A large comparison whose runs were
    never scored is left to a worker; queries that have changed since are scored here. Raises BeingComparedError then,
    NothingToCompareError, and MetricsError for a formula or measure that the scale does not allow.
    """
    of = question.judgment_list
    # The further measures follow the same grades, and are brought up to date when they are read.
    alone = replace(question, measures=())
    evaluations = current_evaluations(alone)
    if evaluations is None:
        _leave_if_never_scored(alone, question, user)
        evaluations = bring_question_up_to_date(alone)
    whole = question_key(question, evaluations, by_tag=False)
    key = hashlib.sha256(f"queries {_LAYOUT} {candidate.pk} {whole}".encode()).hexdigest()
    result = ComparisonResult.objects.filter(judgment_list=of, key=key).first()
    if result is not None:
        return ComparedQueries(QueryTable.of(result.figures), evaluations[0])
    _leave_if_never_scored(question, question, user)
    _, compared, _, pages = read_compared(question, (question.runs[0], candidate))
    evidence = None if pages is None else pages.evidence(1)
    table = query_table(compared, question.on, question.runs.index(candidate), evidence)
    forget_oldest(of)
    with telling_what_is_gone(question):
        ComparisonResult.objects.get_or_create(
            judgment_list=of,
            key=key,
            defaults={
                "query_set_id": of.query_set_id,
                "seed": 0,
                "draws": 0,
                "figures": table.figures(),
                "computed_at": at,
            },
        )
        count_look(question, user, at, compared, [candidate])
    return ComparedQueries(table, evaluations[0])


def _leave_if_never_scored(part: Question, question: Question, user: User | None) -> None:
    """Leaves the whole `question` to a worker where a request would score runs for this `part` of it for seconds."""
    if is_large(question) and not was_scored(part):
        leave_to_worker(question, user)
