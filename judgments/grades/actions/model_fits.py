"""Fitting the Dawid-Skene model to a list, in the background: asking for it, doing it, and telling why it failed."""

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

from judgments.base.errors import JudgmentsError
from judgments.base.sql import jobs, locks
from judgments.grades.sql import consensus as grades
from judgments.grades.sql import model_fits as sql
from judgments.models import JudgmentList, ModelFit, QuerySet
from judgments.models import Rule as ListRule
from touchstone_core.grades import dawid_skene as model
from touchstone_core.grades.cross_validation import compare
from touchstone_core.grades.dawid_skene import Estimate, Labels, Variant, dawid_skene, prior

VARIANTS: Final[dict[str, Variant]] = {ListRule.DS_NOMINAL: "nominal", ListRule.DS_ORDINAL: "ordinal"}
QUIET_SECONDS: Final = 30
"""Judgments come one by one: the model waits this long for more of them before it is fitted anew."""
ATTEMPTS: Final = 3
DECIMALS: Final = 2
"""Grades that the model says in finer steps than that would change, and make scores stale, with every judgment."""


class FitError(JudgmentsError):
    """The model cannot be fitted to this list, however often one tries."""


def ask_for_fit(*, judgment_list: JudgmentList, rule: str, at_once: bool = False) -> bool:
    """Has a worker fit the model of this rule to the list, in a while or at once; False where that is asked for already.

    Part of the caller's transaction: what is rolled back asks for nothing. Costs one statement where it was asked for.
    """
    waits = waiting_name(judgment_list.pk, rule, at_once=at_once)
    if ProcrastinateJob.objects.filter(queueing_lock=waits, status="todo").exists():
        return False
    ask = fit_model.configure(
        queueing_lock=waits,
        lock=f"list {judgment_list.pk}",
        priority=int(at_once),
        schedule_in={"seconds": 0 if at_once else QUIET_SECONDS},
    )
    try:
        with transaction.atomic():  # a savepoint
            ask.defer(list_id=judgment_list.pk, rule=rule)
    except AlreadyEnqueued:  # by somebody whose transaction was not seen above
        return False
    return True


def waiting_name(list_id: int, rule: str, *, at_once: bool) -> str:
    """What makes two askings the same; one that is to be done at once does not wait behind one that is not."""
    return f"fit {list_id} {rule}{' now' if at_once else ''}"


@app.task(name="fit_model", retry=RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=3), pass_context=True)
def fit_model(context: JobContext, list_id: int, rule: str) -> None:
    """The job. What it fails with is kept with the fit, for the page; only what another attempt may mend is tried again."""
    jobs.let_others_wait(context.job.id)
    judgment_list = JudgmentList.objects.select_related("scale").filter(pk=list_id).first()
    if judgment_list is None:  # deleted since
        return
    try:
        fit_now(judgment_list=judgment_list, rule=rule)
    except FitError as error:
        _tell(judgment_list, rule, str(error))
    except Exception as error:
        _tell(judgment_list, rule, f"Something went wrong that is no fault of the list: {_first_line(error)}")
        raise


def fit_now(*, judgment_list: JudgmentList, rule: str) -> bool:
    """Fits the model and, where the list uses its rule, settles its grades; False where nothing has changed since.

    All is written in one transaction at the end, so that a worker that is killed leaves what was there before. Nobody
    waits while it computes. Raises FitError.
    """
    scale = _scale(judgment_list, rule)
    read = sql.read_labels(judgment_list.pk)
    known = ModelFit.objects.filter(judgment_list=judgment_list, rule=rule).first()
    if known and known.fitted_at and known.comparison and not known.error and known.checksum == read.checksum:
        return False
    if not len(read.values):
        raise FitError("There are no judgments to fit the model to.")
    pair_ids, rater_ids, labels = _labels(read, scale)
    variant = VARIANTS[rule]
    found = dawid_skene(labels, prior(variant, len(scale)))
    facts: dict[str, Any] = {
        "query_set_id": judgment_list.query_set_id,
        "fitted_at": timezone.now(),
        "pairs": len(pair_ids),
        "raters": len(rater_ids),
        "labels": len(labels.pair),
        "rounds": found.rounds,
        "converged": found.converged,
        "scale": scale.tolist(),
        "shares": found.shares.tolist(),
        "habits": _habits(rater_ids, labels, found),
        "checksum": read.checksum,
        "comparison": asdict(compared) if (compared := compare(labels, scale, variant)) else {},
        "error": "",
    }
    _store(judgment_list, rule, facts, _rows(pair_ids, labels, found, scale, variant))
    return True


@transaction.atomic
def _store(
    judgment_list: JudgmentList, rule: str, facts: dict[str, Any], rows: Iterator[tuple[Any, ...]]
) -> None:
    locks.lock_list(judgment_list.pk)
    if QuerySet.objects.archived().filter(pk=judgment_list.query_set_id).exists():
        return  # nothing changes in the archive; whoever takes it out asks again
    fit, _ = ModelFit.objects.update_or_create(judgment_list=judgment_list, rule=rule, defaults=facts)
    sql.replace_grades(fit.pk, rows)
    stored = JudgmentList.objects.get(pk=judgment_list.pk)
    if stored.rule == rule:
        grades.refresh(list_id=stored.pk, rule=stored.consensus_rule)


def _labels(
    read: sql.Read, scale: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Labels]:
    """Pair ids, rater ids, and the judgments of raters who gave enough of them, all others being left out together."""
    rater_ids, raters = np.unique(read.rater_ids, return_inverse=True)
    enough = np.bincount(raters) >= model.ENOUGH_PER_RATER
    if not enough.any():
        least = model.ENOUGH_PER_RATER
        raise FitError(f"No rater has {least} judgments, which the model asks of each.")
    kept = enough[raters]
    pair_ids, pairs = np.unique(read.pair_ids[kept], return_inverse=True)
    places = (np.cumsum(enough) - 1)[raters[kept]]
    labels = Labels(pairs, places, np.searchsorted(scale, read.values[kept]), len(scale))
    return pair_ids, rater_ids[enough], labels


def _scale(judgment_list: JudgmentList, rule: str) -> NDArray[np.float64]:
    values = sorted(judgment_list.scale.grades.values_list("value", flat=True))
    if judgment_list.scale.continuous or len(values) < 2:
        raise FitError("The model needs a scale with fixed grades, two or more.")
    return np.array(values)


def _habits(rater_ids: NDArray[np.int64], labels: Labels, found: Estimate) -> list[dict[str, Any]]:
    given = np.bincount(labels.rater, minlength=labels.raters)
    each = zip(rater_ids.tolist(), given.tolist(), found.habits.round(6).tolist(), strict=True)
    return [{"rater": rater, "labels": count, "matrix": matrix} for rater, count, matrix in each]


def _rows(
    pair_ids: NDArray[np.int64],
    labels: Labels,
    found: Estimate,
    scale: NDArray[np.float64],
    variant: Variant,
) -> Iterator[tuple[Any, ...]]:
    likeliest = found.likeliest
    certainty = np.clip(found.chances[np.arange(labels.pairs), likeliest], 0, 1).round(3)
    values = scale[likeliest] if variant == "nominal" else found.mean_grades(scale).round(DECIMALS)
    given = np.bincount(labels.pair, minlength=labels.pairs)
    columns = (pair_ids, values, scale[likeliest], certainty, given)
    return zip(*(column.tolist() for column in columns), strict=True)


def _tell(judgment_list: JudgmentList, rule: str, error: str) -> None:
    ModelFit.objects.update_or_create(
        judgment_list=judgment_list,
        rule=rule,
        defaults={"query_set_id": judgment_list.query_set_id, "error": error},
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
