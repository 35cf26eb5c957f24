"""Query sets and judgment lists deleted for good, with everything in them. What the audit log says of them stays."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from django.db import IntegrityError, OperationalError, transaction

from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.content.sql.deleting import delete_with_all
from judgments.log.actions import record_act
from judgments.models import JudgmentList, QuerySet, Upload, Verb


class NameDiffersError(JudgmentsError):
    """What was typed to confirm is not the name of what would be deleted."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Nothing was deleted. Type the name as it stands: {name}")


class InUseError(JudgmentsError):
    """Somebody wrote into what was being deleted."""

    def __init__(self) -> None:
        super().__init__("Somebody was at work in it, so nothing was deleted. Try again in a moment.")


class HasVersionsError(JudgmentsError):
    """A list whose versions published scores may name."""

    def __init__(self, judgment_list: JudgmentList) -> None:
        super().__init__(f"{judgment_list.name} has frozen versions, which go with the whole query set only.")


def delete_query_set(*, query_set: QuerySet, typed: str) -> None:
    """Deletes everything in it, archived or not; files that were uploaded go once that is certain.

    `typed` must be its name. Raises NameDiffersError and InUseError. Needs no memory for rows, whatever their number.
    """
    _confirm(typed, query_set.name)
    with _undisturbed():
        QuerySet.objects.select_for_update().get(pk=query_set.pk)
        for list_id in query_set.judgment_lists.order_by("pk").values_list("pk", flat=True):
            locks.lock_list(list_id)
        _delete_files_later(Upload.objects.filter(query_set=query_set))
        gone = delete_with_all(QuerySet, query_set.pk)
        record_act(Verb.DELETED, f"query set {query_set.name}", query_set=query_set.pk, before=gone)


def delete_list(*, judgment_list: JudgmentList, typed: str) -> None:
    """Deletes the list with its pairs, judgments and whatever was computed from them; queries and documents stay.

    `typed` must be its name. Raises NameDiffersError, HasVersionsError and InUseError.
    """
    _confirm(typed, judgment_list.name)
    with _undisturbed():
        locks.lock_list(judgment_list.pk)
        JudgmentList.objects.select_for_update().get(pk=judgment_list.pk)
        if judgment_list.versions.exists():
            raise HasVersionsError(judgment_list)
        _delete_files_later(Upload.objects.filter(judgment_list=judgment_list))
        gone = delete_with_all(JudgmentList, judgment_list.pk)
        record_act(
            Verb.DELETED,
            f"list {judgment_list.name}",
            query_set=judgment_list.query_set_id,
            judgment_list=judgment_list,
            before=gone,
        )


def _confirm(typed: str, name: str) -> None:
    if typed.strip() != name.strip():
        raise NameDiffersError(name)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """All or nothing. What others wrote after their table's turn, or a lock in a circle, stops it."""
    try:
        with transaction.atomic():
            yield
    except (IntegrityError, OperationalError) as error:
        raise InUseError from error


def _delete_files_later(uploads: Iterable[Upload]) -> None:
    for upload in uploads:
        transaction.on_commit(partial(upload.file.storage.delete, str(upload.file.name)))
