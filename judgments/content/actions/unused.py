"""Deletes many queries or documents at once: those that nothing uses."""

from collections.abc import Sequence

from django.db import transaction

from judgments.base.errors import ArchivedError
from judgments.base.sql import locks
from judgments.content.actions.content import author
from judgments.content.sql import unused
from judgments.content.sql.unused import Kind
from judgments.log.actions import acting_token
from judgments.models import QuerySet
from touchstone_core.words import counted


@transaction.atomic
def delete_unused(*, query_set: QuerySet, kind: Kind, keys: Sequence[int]) -> int:
    """Deletes those of these rows that nothing uses, and returns how many. As `delete_row`, each with its line in the log.

    What somebody uses by now stays, and what somebody else has deleted is gone already.
    """
    locks.hold_back_users(query_set.pk)
    if QuerySet.objects.archived().filter(pk=query_set.pk).exists():
        raise ArchivedError
    many = str(kind._meta.verbose_name_plural)
    one = str(kind._meta.verbose_name)
    return unused.delete_unused(
        kind,
        query_set.pk,
        keys,
        author() | {"token": acting_token()},
        note=f"{counted(len(keys), one, many)} chosen at once" if len(keys) > 1 else "",
    )
