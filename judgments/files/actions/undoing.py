"""Undoing imports of judgments: at once, or by a worker where there are many (ADR 80)."""

import time
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from procrastinate import JobContext
from procrastinate.contrib.django import app

from judgments.base.background import RETRY, kept_failures
from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.files.actions.import_jobs import QUEUE, one_at_a_time
from judgments.files.actions.machines import lift_needless_exclusions
from judgments.files.reports.undoing import UndoEffect
from judgments.files.sql import judgment_merges, progress, undoing
from judgments.grades.actions.consensus import refresh_within, tell_queries
from judgments.lists.actions.pairs import begin_rounds_anew, settle_slots
from judgments.log.actions import acting, acting_token, record_act
from judgments.models import Batch, JudgmentList, User, Verb
from judgments.models.access import check_may_change

MOST_JUDGMENTS: Final = 20_000
"""What a request undoes by itself: a few seconds."""
NOT_ALLOWED: Final = (
    "Nothing was undone, because the person who asked for it is no longer an admin of this query set, or it was archived "
    "before the undo ended."
)
FAILURE_NOTE: Final = (
    "Something went wrong, and nothing was undone. Try again. If that fails too, tell the site’s administrator, who finds "
    "the failed job under site administration."
)


class NothingToUndoError(JudgmentsError):
    """Of two people who undo an import at once, the second one."""

    sentence = "Nothing was undone, because nothing of this import is left."


@transaction.atomic
def undo_or_ask(*, batch: Batch, effect: UndoEffect, user: User, at: datetime) -> UndoEffect | None:
    """As `undo_batch`, or None where a worker does it, because `effect` says that there is much to do."""
    if effect.total <= MOST_JUDGMENTS:
        return undo_batch(batch=batch, at=at)
    asked = Batch.objects.filter(pk=batch.pk, requested_at=None).update(
        requested_at=at, requested_by=user, token=acting_token(), failure=""
    )
    if asked:
        job = undo_in_background.configure(lock=one_at_a_time(batch.query_set_id))
        job.defer(batch_id=batch.pk, requested_at=at.isoformat())
    return None


@transaction.atomic
def undo_batch(*, batch: Batch, at: datetime) -> UndoEffect:
    """Takes back the judgments that an import wrote and that nobody changed since. Raises NothingToUndoError.

    Those that it added are withdrawn, the others get their earlier answer back, and the history keeps both. Slots, counts
    and grades follow. Queries, documents, pairs and raters stay. An import whose judgments another one has changed can be
    undone once more when that one is undone.

    As in an import, raters go on judging until its last moments (ADR 25), and others never see a part of it.
    """
    progress.tell(batch.key, progress.WRITING)
    locks.announce_change(batch.judgment_list_id)
    judgment_list = JudgmentList.objects.select_related("scale").get(pk=batch.judgment_list_id)
    if not undoing.stage(list_id=judgment_list.pk, batch_id=batch.pk):
        raise NothingToUndoError
    withdrawn = restored = done = 0
    grades_by_query: dict[int, int] = {}
    began, total = time.monotonic(), judgment_merges.count_given()
    for with_leases in (False, True):
        pair_count = judgment_merges.take_pairs(with_leases=with_leases, at=at)
        if with_leases:
            progress.tell(batch.key, progress.CHECKING)
            judgment_merges.look_at_keys()
            locks.lock_list(judgment_list.pk)
        if not pair_count:
            continue
        counts = undoing.take_back(batch_id=batch.pk, at=at, with_leases=with_leases)
        withdrawn, restored = withdrawn + counts[0], restored + counts[1]
        for pair_ids in judgment_merges.pair_chunks(with_leases=with_leases):
            progress.tell(batch.key, progress.SETTLING, done, total, int(time.monotonic() - began))
            done += len(pair_ids)
            settle_slots(judgment_list, at=at, pair_ids=pair_ids)
            refresh_within(judgment_list=judgment_list, pair_ids=pair_ids, count_changes=grades_by_query)
    lift_needless_exclusions(judgment_list=judgment_list, at=at)
    judgment_merges.recount(judgment_list.pk)
    tell_queries(judgment_list=judgment_list, count_changes=grades_by_query)
    begin_rounds_anew(judgment_list)
    effect = _note(batch, withdrawn, restored, at)
    record_act(
        Verb.UNDONE,
        f"the import of {batch} into list {judgment_list}",
        judgment_list=judgment_list,
        after=asdict(effect),
    )
    return effect


def _note(batch: Batch, withdrawn: int, restored: int, at: datetime) -> UndoEffect:
    """Raises NothingToUndoError where raters have changed the last judgments since these were gathered."""
    if not withdrawn + restored:
        raise NothingToUndoError
    same = Batch.objects.filter(pk=batch.pk)
    same.update(
        undone_count=F("undone_count") + withdrawn + restored, undone_at=at, requested_at=None, failure=""
    )
    now = same.get()
    return UndoEffect(withdrawn, restored, now.judgment_count - now.undone_count)


@app.task(name="undo_batch", queue=QUEUE, retry=RETRY, pass_context=True)
def undo_in_background(context: JobContext, /, batch_id: int, requested_at: str) -> None:
    """The job. It may be done twice and be killed at any moment: an undo is one transaction, and takes back once."""
    same_request = Batch.objects.filter(pk=batch_id, requested_at=datetime.fromisoformat(requested_at))
    batch = same_request.select_related("requested_by").first()
    if batch is None:  # undone by a worker that died a moment later, or deleted with its list
        return
    give_up = partial(same_request.update, requested_at=None)
    with (
        kept_failures(context, same_request, give_up, FAILURE_NOTE),
        acting(batch.requested_by, batch.token_id),
    ):
        check_may_change(batch.requested_by, Batch.objects.filter(pk=batch_id).visible_to, NOT_ALLOWED)
        undo_batch(batch=batch, at=timezone.now())
