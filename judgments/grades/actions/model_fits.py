"""Fits the Dawid-Skene model to a list in the background."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from django.db import transaction
from django.utils import timezone
from numpy.typing import NDArray
from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import AlreadyEnqueued

from judgments.base.background import ATTEMPTS
from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.base.sql.locks import let_others_wait
from judgments.grades.sql import consensus as grades
from judgments.grades.sql import model_fits as sql
from judgments.models import JudgmentList, ModelFit, QuerySet
from touchstone_core.grades import dawid_skene as model
from touchstone_core.grades.cross_validation import compare
from touchstone_core.grades.dawid_skene import Estimate, Labels, Variant, dawid_skene, prior
from touchstone_core.grades.rules import MODEL_RULES

QUIET_SECONDS: Final = 30
"""Judgments come one by one: a new fit waits this long for more of them."""
DECIMALS: Final = 2
"""With more decimals, every judgment would change many grades a little and make their scores stale."""


class FitError(JudgmentsError):
    """The model can't be fitted to this list, so trying again is useless."""


def ask_for_fit(*, judgment_list: JudgmentList, rule: str, at_once: bool = False) -> bool:
    """Asks a worker to fit the model of this rule to the list, soon or at once. Returns False if a fit is already waiting.

    Part of the caller's transaction. Costs one statement if a fit is already waiting.
    """
    name = queue_name(judgment_list.pk, rule, at_once=at_once)
    if ProcrastinateJob.objects.filter(queueing_lock=name, status="todo").exists():
        return False
    job = fit_model.configure(
        queueing_lock=name,
        lock=f"list {judgment_list.pk}",
        priority=int(at_once),
        schedule_in={"seconds": 0 if at_once else QUIET_SECONDS},
    )
    try:
        with transaction.atomic():  # a savepoint
            job.defer(list_id=judgment_list.pk, rule=rule)
    except AlreadyEnqueued:  # by somebody whose transaction was not seen above
        return False
    return True


def queue_name(list_id: int, rule: str, *, at_once: bool) -> str:
    """Equal requests have the same name. An urgent one doesn't wait behind one that isn't."""
    return f"fit {list_id} {rule}{' now' if at_once else ''}"


@app.task(name="fit_model", retry=RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=3), pass_context=True)
def fit_model(context: JobContext, list_id: int, rule: str) -> None:
    """The job. Keeps an error with the fit, for the page. Only errors that may be temporary are tried again."""
    let_others_wait(context.job.id)
    judgment_list = JudgmentList.objects.select_related("scale").filter(pk=list_id).first()
    if judgment_list is None:  # deleted in the meantime
        return
    try:
        fit_now(judgment_list=judgment_list, rule=rule)
    except FitError as error:
        _keep_error(judgment_list, rule, str(error))
    except Exception as error:
        line = _first_line(error)
        _keep_error(judgment_list, rule, f"Something went wrong that isn’t the list’s fault: {line}")
        raise


def fit_now(*, judgment_list: JudgmentList, rule: str) -> bool:
    """Fits the model and, if the list uses its rule, refreshes its grades. Returns False if no judgment has changed.

    Everything is written in one transaction at the end, so that a killed worker leaves the previous fit. Nobody waits
    while it computes. Raises FitError.
    """
    scale = _scale(judgment_list)
    judgments = sql.read_judgments(judgment_list.pk)
    fit = ModelFit.objects.filter(judgment_list=judgment_list, rule=rule).first()
    is_complete = fit and fit.fitted_at and fit.comparison and not fit.error
    if fit and is_complete and fit.checksum == judgments.checksum:
        return False
    if not len(judgments.values):
        raise FitError("There are no judgments to fit the model to.")
    pair_ids, rater_ids, labels = _labels(judgments, scale)
    variant = MODEL_RULES[rule]
    estimate = dawid_skene(labels, prior(variant, len(scale)))
    comparison = compare(labels, scale, variant)
    facts: dict[str, Any] = {
        "query_set_id": judgment_list.query_set_id,
        "fitted_at": timezone.now(),
        "pairs": len(pair_ids),
        "raters": len(rater_ids),
        "labels": len(labels.pair),
        "rounds": estimate.rounds,
        "converged": estimate.converged,
        "scale": scale.tolist(),
        "shares": estimate.shares.tolist(),
        "habits": _habits(rater_ids, labels, estimate),
        "checksum": judgments.checksum,
        "comparison": asdict(comparison) if comparison else {},
        "error": "",
    }
    _store(judgment_list, rule, facts, _rows(pair_ids, labels, estimate, scale, variant))
    return True


@transaction.atomic
def _store(
    judgment_list: JudgmentList, rule: str, facts: dict[str, Any], rows: Iterator[tuple[Any, ...]]
) -> None:
    locks.lock_list(judgment_list.pk)
    if QuerySet.objects.archived().filter(pk=judgment_list.query_set_id).exists():
        return  # nothing changes in the archive; restoring the query set asks again
    fit, _ = ModelFit.objects.update_or_create(judgment_list=judgment_list, rule=rule, defaults=facts)
    sql.replace_grades(fit.pk, rows)
    current = JudgmentList.objects.get(pk=judgment_list.pk)
    if current.rule == rule:
        grades.refresh(list_id=current.pk, rule=current.consensus_rule)


def _labels(
    judgments: sql.CountingJudgments, scale: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Labels]:
    """Pair IDs, rater IDs, and the judgments of raters who gave enough. All other raters are left out at once."""
    rater_ids, raters = np.unique(judgments.rater_ids, return_inverse=True)
    enough = np.bincount(raters) >= model.ENOUGH_PER_RATER
    if not enough.any():
        raise FitError(
            f"No rater has {model.ENOUGH_PER_RATER} judgments. The model needs as many from each rater."
        )
    rows = enough[raters]
    pair_ids, pairs = np.unique(judgments.pair_ids[rows], return_inverse=True)
    indexes = (np.cumsum(enough) - 1)[raters[rows]]
    labels = Labels(pairs, indexes, np.searchsorted(scale, judgments.values[rows]), len(scale))
    return pair_ids, rater_ids[enough], labels


def _scale(judgment_list: JudgmentList) -> NDArray[np.float64]:
    values = sorted(judgment_list.scale.grades.values_list("value", flat=True))
    if judgment_list.scale.continuous or len(values) < 2:
        raise FitError("The model needs a scale with two or more fixed grades.")
    return np.array(values)


def _habits(rater_ids: NDArray[np.int64], labels: Labels, estimate: Estimate) -> list[dict[str, Any]]:
    counts = np.bincount(labels.rater, minlength=labels.raters)
    each = zip(rater_ids.tolist(), counts.tolist(), estimate.habits.round(6).tolist(), strict=True)
    return [{"rater": rater, "labels": count, "matrix": matrix} for rater, count, matrix in each]


def _rows(
    pair_ids: NDArray[np.int64],
    labels: Labels,
    estimate: Estimate,
    scale: NDArray[np.float64],
    variant: Variant,
) -> Iterator[tuple[Any, ...]]:
    likeliest = estimate.likeliest
    certainty = np.clip(estimate.chances[np.arange(labels.pairs), likeliest], 0, 1).round(3)
    values = scale[likeliest] if variant == "nominal" else estimate.mean_grades(scale).round(DECIMALS)
    counts = np.bincount(labels.pair, minlength=labels.pairs)
    columns = (pair_ids, values, scale[likeliest], certainty, counts)
    return zip(*(column.tolist() for column in columns), strict=True)


def _keep_error(judgment_list: JudgmentList, rule: str, error: str) -> None:
    ModelFit.objects.update_or_create(
        judgment_list=judgment_list,
        rule=rule,
        defaults={"query_set_id": judgment_list.query_set_id, "error": error},
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
