"""The agreement of a list: computed once for each state of its judgments, by the request or by a worker (ADR 38)."""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone
from procrastinate import JobContext
from procrastinate.contrib.django import app

from judgments.agreement.reports.agreement import Steps, steps_of
from judgments.agreement.reports.stored_agreement import as_json, compute_agreement, headline_as_json
from judgments.agreement.sql import agreement as sql
from judgments.base.background import RETRY, ask_worker
from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.base.sql.locks import let_others_wait
from judgments.models import AgreementHeadline, AgreementResult, JudgmentList

AT_ONCE: Final = 500_000
"""With more judgments than this, the agreement is left to a worker. Up to here it takes about a second of CPU time."""
_LAYOUT: Final = 5  # increase it when the meaning of figures changes, so that no earlier ones are shown


class AgreementPendingError(JudgmentsError):
    """A worker computes it (`running`) or will."""

    def __init__(self, *, running: bool) -> None:
        super().__init__("The agreement is being computed. Try again in a few seconds.")
        self.running = running


@dataclass(frozen=True, slots=True)
class State:
    """`key` identifies everything the figures depend on. It begins with `question`, which leaves the judgments out.

    `judgments` is the number of the list's judgments.
    """

    question: str
    key: str
    judgments: int


def agreement_of(
    *, judgment_list: JudgmentList, steps: Steps, without: int | None, at: datetime
) -> AgreementResult:
    """The stored agreement if it's up to date; otherwise computes and stores it. `without` is a rater who is left out.

    Stored figures cost two statements, whatever the number of judgments. If several requests ask at once, one computes.
    """
    result = _find_result(judgment_list, without)
    if result is not None and result.state == _state(judgment_list, steps).key:
        return result
    return _compute(judgment_list, steps, without, at)


def agreement_or_ask(
    *, judgment_list: JudgmentList, steps: Steps, without: int | None, at: datetime
) -> tuple[AgreementResult, bool]:
    """The same, but leaves what would take seconds to a worker. Also says whether the figures are out of date: those of
    earlier judgments are returned while a worker computes new ones.

    Raises AgreementPendingError if there are none. If a worker has failed, this request computes them, and raises the error.
    """
    state, result = _state(judgment_list, steps), _find_result(judgment_list, without)
    if result is not None and result.state == state.key:
        return result, False
    if state.judgments > AT_ONCE:
        question = f"agreement {judgment_list.pk} {without or ''}"
        job = {"list_id": judgment_list.pk, "without": without, "state": state.key, "question": question}
        running = ask_worker(work_out_agreement, job)
        if running is not None:
            if result is None or not result.state.startswith(state.question):
                raise AgreementPendingError(running=running)
            return result, True
    return _compute(judgment_list, steps, without, at), False


@app.task(name="work_out_agreement", retry=RETRY, pass_context=True)
def work_out_agreement(context: JobContext, /, list_id: int, without: int | None, **others: Any) -> None:
    """The job. The list may be deleted by now; any other failure happens again in the next request, which reports it."""
    let_others_wait(context.job.id)
    judgment_list = JudgmentList.objects.select_related("scale").filter(pk=list_id).first()
    if judgment_list is not None:
        steps = steps_of(judgment_list.scale)
        with suppress(IntegrityError):  # deleted meanwhile
            agreement_of(judgment_list=judgment_list, steps=steps, without=without, at=timezone.now())


def _find_result(judgment_list: JudgmentList, without: int | None) -> AgreementResult | None:
    return AgreementResult.objects.filter(judgment_list=judgment_list, without=without).first()


def _state(judgment_list: JudgmentList, steps: Steps) -> State:
    """One statement that reads no judgments."""
    scale = [_LAYOUT, steps.level, steps.values.tolist(), steps.low, steps.high, steps.continuous]
    question = hashlib.sha256(json.dumps(scale).encode()).hexdigest()[:32]
    changes, judgments = sql.state(judgment_list.pk)
    return State(question, f"{question} {changes}", judgments)


@transaction.atomic
def _compute(judgment_list: JudgmentList, steps: Steps, without: int | None, at: datetime) -> AgreementResult:
    """Reads the state before the judgments: a judgment in between is counted too early, never missed."""
    locks.lock_agreement(judgment_list.pk)
    state, result = _state(judgment_list, steps), _find_result(judgment_list, without)
    if result is not None and result.state == state.key:  # another request was faster
        return result
    agreement = compute_agreement(judgment_list, steps, without=[] if without is None else [without])
    result, _ = AgreementResult.objects.update_or_create(
        judgment_list=judgment_list,
        without_id=without,
        defaults={
            "query_set_id": judgment_list.query_set_id,
            "state": state.key,
            "figures": as_json(agreement),
            "computed_at": at,
        },
    )
    if without is None:
        AgreementHeadline.objects.update_or_create(
            judgment_list=judgment_list,
            defaults={
                "query_set_id": judgment_list.query_set_id,
                "judgments": state.judgments,
                "figures": headline_as_json(agreement.headline),
                "computed_at": at,
            },
        )
    return result
