"""The agreement of a list: worked out once for each state of its judgments, by the request or by a worker (ADR 38)."""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, OperationalError, transaction
from django.utils import timezone
from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app

from judgments.agreement.reports.agreement import Steps, steps_of
from judgments.agreement.reports.stored_agreement import as_json, figures_of, work_out
from judgments.agreement.sql import agreement as sql
from judgments.base.background import ask_worker
from judgments.base.errors import JudgmentsError
from judgments.base.sql import jobs, locks
from judgments.models import AgreementHeadline, AgreementResult, JudgmentList

AT_ONCE: Final = 500_000
"""Judgments of which a request works out the agreement by itself: about a second of a processor."""
ATTEMPTS: Final = 3
_LAYOUT: Final = 1  # grows when the figures change their meaning, so that none of the old ones is shown


class BeingWorkedOutError(JudgmentsError):
    """A worker does it, or will; `running` says which."""

    def __init__(self, *, running: bool) -> None:
        super().__init__("The agreement is being worked out; try again in a few seconds.")
        self.running = running


@dataclass(frozen=True, slots=True)
class State:
    """`key` is all that figures depend on; its beginning, `question`, what they are of, whatever the judgments.

    `judgments` is how many the list has.
    """

    question: str
    key: str
    judgments: int


def agreement_of(
    *, judgment_list: JudgmentList, steps: Steps, without: int | None, at: datetime
) -> AgreementResult:
    """What is stored of the judgments as they are now, or works it out and stores it. `without` is a rater who is left out.

    Stored figures cost two statements, whatever the number of judgments. Of several who ask at once one works it out.
    """
    found = _stored(judgment_list, without)
    if found is not None and found.state == _state(judgment_list, steps).key:
        return found
    return _work_out(judgment_list, steps, without, at)


def agreement_or_ask(
    *, judgment_list: JudgmentList, steps: Steps, without: int | None, at: datetime
) -> tuple[AgreementResult, bool]:
    """The same, but what would keep a request for seconds is left to a worker. Whether the figures are out of date, too:
    those of earlier judgments, while a worker makes new ones.

    Raises BeingWorkedOutError where there are none. Where a worker has failed, this request does it, and finds out why.
    """
    state, found = _state(judgment_list, steps), _stored(judgment_list, without)
    if found is not None and found.state == state.key:
        return found, False
    if state.judgments > AT_ONCE:
        asked = {"list_id": judgment_list.pk, "without": without, "state": state.key}
        question = f"agreement {judgment_list.pk} {without or ''}"
        running = ask_worker(work_out_agreement, asked | {"question": question})
        if running is not None:
            if found is None or not found.state.startswith(state.question):
                raise BeingWorkedOutError(running=running)
            return found, True
    return _work_out(judgment_list, steps, without, at), False


@app.task(
    name="work_out_agreement",
    retry=RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=3, retry_exceptions={OperationalError}),
    pass_context=True,
)
def work_out_agreement(context: JobContext, /, list_id: int, without: int | None, **others: Any) -> None:
    """The job. What it was asked for may be gone; whatever else it fails with is found again by the next request."""
    jobs.let_others_wait(context.job.id)
    judgment_list = JudgmentList.objects.select_related("scale").filter(pk=list_id).first()
    if judgment_list is not None:
        steps = steps_of(judgment_list.scale)
        with suppress(IntegrityError):  # deleted meanwhile
            agreement_of(judgment_list=judgment_list, steps=steps, without=without, at=timezone.now())


def _stored(judgment_list: JudgmentList, without: int | None) -> AgreementResult | None:
    return AgreementResult.objects.filter(judgment_list=judgment_list, without=without).first()


def _state(judgment_list: JudgmentList, steps: Steps) -> State:
    """One statement, which reads no judgment."""
    scale = [_LAYOUT, steps.level, steps.values.tolist(), steps.low, steps.high, steps.continuous]
    question = hashlib.sha256(json.dumps(scale).encode()).hexdigest()[:32]
    changes, judgments = sql.state(judgment_list.pk)
    return State(question, f"{question} {changes}", judgments)


@transaction.atomic
def _work_out(
    judgment_list: JudgmentList, steps: Steps, without: int | None, at: datetime
) -> AgreementResult:
    """The state is read before the judgments: one that comes in between is counted too early, never too late."""
    locks.lock_agreement(judgment_list.pk)
    state, found = _state(judgment_list, steps), _stored(judgment_list, without)
    if found is not None and found.state == state.key:  # somebody was quicker
        return found
    told = work_out(judgment_list, steps, without=[] if without is None else [without])
    result, _ = AgreementResult.objects.update_or_create(
        judgment_list=judgment_list,
        without_id=without,
        defaults={
            "query_set_id": judgment_list.query_set_id,
            "state": state.key,
            "figures": as_json(told),
            "computed_at": at,
        },
    )
    if without is None:
        AgreementHeadline.objects.update_or_create(
            judgment_list=judgment_list,
            defaults={
                "query_set_id": judgment_list.query_set_id,
                "judgments": state.judgments,
                "figures": figures_of(told.headline),
                "computed_at": at,
            },
        )
    return result
