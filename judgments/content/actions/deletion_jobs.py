"""Deletions that would keep a request for seconds: asking a worker for one, and doing it in portions (ADR 68)."""

import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.apps import apps
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import Model
from django.utils import timezone
from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app

from judgments.base.background import ATTEMPTS, kept_failures
from judgments.base.sql import locks
from judgments.content.actions.deleting import (
    HasVersionsError,
    check_name,
    delete_files_later,
    delete_list,
    delete_query_set,
)
from judgments.content.sql.deleting import Portion, count_with_all, delete_with_all, link_to, next_portion
from judgments.log.actions import acting, acting_token, record_act
from judgments.models import Deletion, JudgmentList, QuerySet, Upload, User, Verb, Version

QUEUE: Final = "deletions"
"""A worker does these beside its other jobs, since most of the time it only waits for the database."""
MOST_ROWS: Final = 50_000
"""What a request deletes by itself: about a second."""
PORTION_SECONDS: Final = 0.4
"""How long a portion should take. Whoever needs its locks waits for one portion."""
KEPT_DAYS: Final = 7
ROOTS: Final = {
    Deletion.Kind.QUERY_SET: "judgments.queryset",
    Deletion.Kind.LIST: "judgments.judgmentlist",
    Deletion.Kind.RUNS: "evaluation.run",
}
IN_PORTIONS: Final = (
    *("evaluation.evaluation", "evaluation.measureevaluation", "evaluation.run"),
    *("judgments.pair", "judgments.document"),
)
"""Most rows depend on these, in this order. By name, because this app may not import the other one."""
FROZEN: Final = frozenset({"judgments.pair", "judgments.document"})
"""A version keeps these, and goes with its query set in one transaction only."""
AT_ONCE: Final = (
    *("judgments.membership", "judgments.invitation", "judgments.apitoken"),
    *("judgments.draft", "judgments.upload", "evaluation.comparison", "evaluation.contest"),
)
"""These have addresses of their own, or let people in, so they go with the request."""
FAILURE_NOTE: Final = (
    "Something went wrong. What is left is still out of everybody’s reach. Try again. If that fails too, tell the site’s "
    "administrator, who finds the failed job under site administration."
)


def is_large(model: type[Model], keys: Sequence[int]) -> bool:
    """Whether a worker has to delete these rows with all that depends on them. One statement for each until it's certain."""
    count = 0
    for key in keys:
        count += count_with_all(model, key, most=MOST_ROWS + 1 - count)
        if count > MOST_ROWS:
            return True
    return False


@transaction.atomic
def delete_list_or_ask(
    *, judgment_list: JudgmentList, confirmed_name: str, user: User, at: datetime
) -> Deletion | None:
    """As `delete_list`; a large list is only out of reach afterwards, and a worker deletes it."""
    if not is_large(JudgmentList, [judgment_list.pk]):
        delete_list(judgment_list=judgment_list, confirmed_name=confirmed_name)
        return None
    check_name(confirmed_name, judgment_list.name)
    # So that nobody freezes a version meanwhile, and without waiting for imports that write its pairs.
    judgment_list = JudgmentList.objects.select_for_update(no_key=True).get(pk=judgment_list.pk)
    if judgment_list.versions.exists():
        raise HasVersionsError(judgment_list)
    subject = f"list {judgment_list.name}"
    record_act(Verb.DELETED, subject, judgment_list=judgment_list, note="A worker deletes its rows.")
    delete_files_later(Upload.objects.filter(judgment_list=judgment_list))
    return ask_for_deletion(
        kind=Deletion.Kind.LIST,
        rows=[judgment_list],
        query_set=judgment_list.query_set_id,
        subject=subject,
        user=user,
        at=at,
    )


@transaction.atomic
def delete_query_set_or_ask(
    *, query_set: QuerySet, confirmed_name: str, user: User, at: datetime
) -> Deletion | None:
    """As `delete_query_set`; a large one is only out of reach afterwards, and a worker deletes it."""
    if not is_large(QuerySet, [query_set.pk]):
        delete_query_set(query_set=query_set, confirmed_name=confirmed_name)
        return None
    check_name(confirmed_name, query_set.name)
    query_set = QuerySet.objects.select_for_update(no_key=True).get(pk=query_set.pk, being_deleted=False)
    subject = f"query set {query_set.name}"
    record_act(Verb.DELETION_BEGUN, subject, query_set=query_set, note="A worker deletes its rows.")
    delete_files_later(Upload.objects.filter(query_set=query_set))
    return ask_for_deletion(
        kind=Deletion.Kind.QUERY_SET,
        rows=[query_set],
        query_set=query_set.pk,
        subject=subject,
        user=user,
        at=at,
    )


@transaction.atomic
def ask_for_deletion(
    *, kind: Deletion.Kind, rows: Sequence[Any], query_set: int, subject: str, user: User | None, at: datetime
) -> Deletion:
    """Puts these rows out of reach, frees their names, and asks a worker to delete them. The caller records who did it."""
    Deletion.objects.filter(done_at__lt=at - timedelta(days=KEPT_DAYS)).delete()
    for row in rows:
        row.name, row.being_deleted = f"being deleted {row.pk}", True
        row.save(update_fields=["name", "being_deleted"])
        for model, column in _children(type(row), AT_ONCE):
            model._base_manager.filter(**{column: row.pk}).delete()
    deletion = Deletion.objects.create(
        query_set_id=query_set,
        user=user,
        token_id=acting_token(),
        kind=kind,
        keys=sorted(row.pk for row in rows),
        subject=subject,
        requested_at=at,
    )
    _ask(deletion)
    return deletion


@transaction.atomic
def retry_deletion(*, deletion: Deletion) -> bool:
    """Asks for it once more; False unless it has failed."""
    failed = Deletion.objects.unfinished().filter(pk=deletion.pk).exclude(failure="")
    if not failed.update(failure=""):
        return False
    _ask(deletion)
    return True


def _ask(deletion: Deletion) -> None:
    delete_in_background.configure(lock=f"delete {deletion.query_set_id}").defer(deletion_id=str(deletion.pk))


@app.task(
    name="delete",
    queue=QUEUE,
    retry=RetryStrategy(
        max_attempts=ATTEMPTS, exponential_wait=3, retry_exceptions={OperationalError, IntegrityError}
    ),
    pass_context=True,
)
def delete_in_background(context: JobContext, /, deletion_id: str) -> None:
    """The job. It may be done twice and be killed at any moment: each portion is a transaction, and what is gone is gone.

    What it fails with is kept for the page; what may pass by itself is tried again.
    """
    unfinished = Deletion.objects.unfinished().filter(pk=deletion_id)
    deletion = unfinished.select_related("user").first()
    if deletion is None:
        return
    with (
        kept_failures(context, unfinished, unfinished.update, FAILURE_NOTE),
        acting(deletion.user, deletion.token_id),
    ):
        delete_in_portions(deletion=deletion, at=timezone.now())


def delete_in_portions(*, deletion: Deletion, at: datetime) -> None:
    """Deletes what is left: most of it in portions, the rest of each row in one transaction."""
    root = apps.get_model(ROOTS[Deletion.Kind(deletion.kind)])
    if not deletion.row_total:
        total = sum(count_with_all(root, key) for key in deletion.keys)
        Deletion.objects.filter(pk=deletion.pk).update(row_total=total, started_at=at)
    for key in list(deletion.keys):
        for model, portion in _portions(root, key):
            _delete(deletion.pk, root, key, model, portion)
        _delete(deletion.pk, root, key, root, key)


def _portions(root: type[Model], key: int) -> Iterator[tuple[type[Model], Portion]]:
    """Ranges of IDs with as many rows as PORTION_SECONDS allow, going by how long the one before took.

    Rows are counted, because a range of IDs may hold a few of them or a million: those of others lie in between.
    """
    labels = [label for label in IN_PORTIONS if label not in FROZEN or not _has_versions(root, key)]
    for model, column in _children(root, labels):
        first, rows = 0, 1
        while portion := next_portion(model, column, key, first=first, rows=rows):
            began = time.monotonic()
            yield model, portion
            first = portion.end
            seconds = time.monotonic() - began
            if seconds < PORTION_SECONDS / 2:
                rows *= 2
            elif seconds > PORTION_SECONDS:
                rows = max(rows // 2, 1)


def _has_versions(root: type[Model], key: int) -> bool:
    return root is QuerySet and Version.objects.filter(query_set=key).exists()


@transaction.atomic
def _delete(deletion_id: UUID, root: type[Model], key: int, model: type[Model], which: int | Portion) -> None:
    """One portion, or at the end the row itself with the rest. Does nothing where that is gone."""
    deletion = Deletion.objects.select_for_update(no_key=True).filter(pk=deletion_id).first()
    if deletion is None or key not in deletion.keys:
        return
    _wait_for_writers(root, key)
    is_last = not isinstance(which, Portion)
    if is_last:
        root._base_manager.select_for_update().filter(pk=key).first()
    for name, count in delete_with_all(model, which).items():
        deletion.counts[name] = deletion.counts.get(name, 0) + count
    deletion.changed_at = timezone.now()
    if is_last:
        deletion.keys.remove(key)
        if not deletion.keys:
            deletion.done_at = deletion.changed_at
            _record(deletion)
    if root is not QuerySet or not is_last:  # else it went with the query set
        deletion.save(update_fields=["counts", "keys", "changed_at", "done_at"])


def _wait_for_writers(root: type[Model], key: int) -> None:
    """Whoever began to write before the rows were out of reach."""
    if root is JudgmentList:
        locks.lock_list(key)
    if root is QuerySet:
        for list_id in (
            JudgmentList.everything.filter(query_set=key).order_by("pk").values_list("pk", flat=True)
        ):
            locks.lock_list(list_id)


def _record(deletion: Deletion) -> None:
    is_set = deletion.kind == Deletion.Kind.QUERY_SET
    record_act(
        Verb.DELETED if is_set else Verb.DELETION_ENDED,
        deletion.subject,
        query_set=deletion.query_set_id,
        before=deletion.counts,
    )


def _children(root: type[Model], labels: Sequence[str]) -> list[tuple[type[Model], str]]:
    """Of the models with these names those that depend on `root` directly, and by which column."""
    found = ((model, link_to(root, model)) for model in map(apps.get_model, labels))
    return [(model, column) for model, column in found if column]
