"""Freezes a list's consensus grades. No action ever changes a version."""

from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone

from judgments.base.errors import JudgmentsError
from judgments.lists.actions.lists import list_named
from judgments.lists.sql import versions as sql
from judgments.log.actions import record_act
from judgments.models import JudgmentList, QuerySet, User, Verb, Version
from judgments.models.version import NOTE_LENGTH, missing_version_words

MOST: Final = 2**31 - 1


class NothingToFreezeError(JudgmentsError):
    """A version without grades would be useless, and nobody could delete it."""

    def __init__(self, judgment_list: JudgmentList) -> None:
        super().__init__(f"{judgment_list} has no consensus grade yet, so there is nothing to freeze.")


class FrozenMeanwhileError(JudgmentsError):
    """A second admin or a double click froze another version after somebody opened the page."""

    def __init__(self, version: Version) -> None:
        who = f" by {version.frozen_by_name}" if version.frozen_by_name else ""
        super().__init__(
            f"Version {version.number} was frozen{who} meanwhile. Freeze again if you want another."
        )
        self.version = version


@transaction.atomic
def freeze_version(
    *,
    judgment_list: JudgmentList,
    note: str = "",
    user: User | None = None,
    at: datetime | None = None,
    after: int | None = None,
) -> Version:
    """Freezes the current consensus grades as the list's next version. Raters go on judging meanwhile.

    The lock on the list keeps others from freezing or changing the rule meanwhile. `after` is the number of the last
    version that the user saw, 0 for none, because nobody can delete a version. Raises NothingToFreezeError and
    FrozenMeanwhileError.
    """
    stored = JudgmentList.objects.select_for_update(no_key=True).get(pk=judgment_list.pk)
    last = stored.versions.order_by("number").last()
    if after is not None and last is not None and last.number != after:
        raise FrozenMeanwhileError(last)
    version_id = sql.reserve_id()
    counts = sql.freeze(version_id=version_id, list_id=stored.pk)
    if not counts["grade_count"]:
        raise NothingToFreezeError(stored)
    version = Version.objects.create(
        pk=version_id,
        query_set_id=stored.query_set_id,
        judgment_list=stored,
        number=(last.number if last else 0) + 1,
        note=note.strip()[:NOTE_LENGTH],
        scale_id=stored.scale_id,
        rule=stored.rule,
        tie=stored.tie,
        **counts,
        sha256=sql.content_hash(version_id),
        frozen_by=user,
        frozen_by_name=(user.get_full_name() or user.username) if user else "",
        frozen_at=at or timezone.now(),
    )
    record_act(
        Verb.FROZEN,
        f"version {version.number} of list {stored}",
        judgment_list=stored,
        after={
            "queries": version.query_count,
            "grades": version.grade_count,
            "rule": stored.consensus_rule.rule.label,
            "sha256": version.sha256,
        },
        note=version.note,
    )
    return version


class NoVersionError(JudgmentsError):
    """A command names a version that doesn't exist."""

    def __init__(self, judgment_list: JudgmentList, number: str) -> None:
        super().__init__(missing_version_words(judgment_list, number))


def list_and_version(*, query_set: QuerySet, text: str) -> tuple[JudgmentList, Version | None]:
    """The list and version that a command calls `NAME` or `NAME@3`. A list with this whole name comes first.

    Raises NamedListError and NoVersionError.
    """
    name, _, number = text.rpartition("@")
    whole = query_set.judgment_lists.filter(name__iexact=text).exists()
    if whole or not name or not number.isdecimal():
        return list_named(query_set=query_set, name=text, create=False, scale=None, overlap=1), None
    judgment_list = list_named(query_set=query_set, name=name, create=False, scale=None, overlap=1)
    version = judgment_list.versions.select_related("scale").filter(number=min(int(number), MOST)).first()
    if version is None:
        raise NoVersionError(judgment_list, number)
    return judgment_list, version
