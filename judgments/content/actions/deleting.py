"""Deletes query sets and judgment lists for good, with everything in them. Their lines in the audit log stay."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from django.db import IntegrityError, OperationalError, transaction

from judgments.base.errors import JudgmentsError
from judgments.base.names import same_name
from judgments.base.sql import locks
from judgments.content.sql.deleting import delete_with_all
from judgments.log.actions import record_act
from judgments.models import JudgmentList, QuerySet, Upload, Verb


class NameDiffersError(JudgmentsError):
    """Somebody confirmed deleting with another name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Nothing was deleted, because the name is different. Type exactly: {name}")


class InUseError(JudgmentsError):
    """Somebody wrote into a query set or list while it was deleted."""

    sentence = "Nothing was deleted, because somebody was working in it. Try again in a moment."


class HasVersionsError(JudgmentsError):
    """The list has versions, which published scores may cite."""

    def __init__(self, judgment_list: JudgmentList) -> None:
        super().__init__(
            f"{judgment_list.name} has frozen versions. They can only be deleted with the whole query set."
        )


def delete_query_set(*, query_set: QuerySet, confirmed_name: str) -> None:
    """Deletes everything in it, archived or not; uploaded files go after the commit.

    `confirmed_name` must be its name. Raises NameDiffersError and InUseError. Needs no memory for rows, however many.
    """
    check_name(confirmed_name, query_set.name)
    with _atomic_or_in_use():
        QuerySet.objects.select_for_update().get(pk=query_set.pk)
        for list_id in query_set.judgment_lists.order_by("pk").values_list("pk", flat=True):
            locks.lock_list(list_id)
        delete_files_later(Upload.objects.filter(query_set=query_set))
        counts = delete_with_all(QuerySet, query_set.pk)
        record_act(Verb.DELETED, f"query set {query_set.name}", query_set=query_set.pk, before=counts)


def delete_list(*, judgment_list: JudgmentList, confirmed_name: str) -> None:
    """Deletes the list with its pairs, judgments and everything computed from them; queries and documents stay.

    `confirmed_name` must be its name. Raises NameDiffersError, HasVersionsError and InUseError.
    """
    check_name(confirmed_name, judgment_list.name)
    with _atomic_or_in_use():
        locks.lock_list(judgment_list.pk)
        JudgmentList.objects.select_for_update().get(pk=judgment_list.pk)
        if judgment_list.versions.exists():
            raise HasVersionsError(judgment_list)
        delete_files_later(Upload.objects.filter(judgment_list=judgment_list))
        counts = delete_with_all(JudgmentList, judgment_list.pk)
        record_act(
            Verb.DELETED,
            f"list {judgment_list.name}",
            query_set=judgment_list.query_set_id,
            judgment_list=judgment_list,
            before=counts,
        )


def check_name(confirmed_name: str, name: str) -> None:
    if not same_name(confirmed_name, name):
        raise NameDiffersError(name)


@contextmanager
def _atomic_or_in_use() -> Iterator[None]:
    """A transaction. Raises InUseError if others add rows to tables that are already done, or in a deadlock."""
    try:
        with transaction.atomic():
            yield
    except (IntegrityError, OperationalError) as error:
        raise InUseError from error


def delete_files_later(uploads: Iterable[Upload]) -> None:
    for upload in uploads:
        transaction.on_commit(partial(upload.file.storage.delete, str(upload.file.name)))
