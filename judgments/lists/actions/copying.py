"""Copies of query sets. The original stays as it is; the copy has no history of its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Model
from psycopg import sql

from judgments.base.names import given_once
from judgments.base.sql import locks
from judgments.content.actions.query_sets import UNIQUE_NAME
from judgments.grades.actions.model_fits import ask_for_fit
from judgments.lists.actions.pairs import settle
from judgments.lists.sql.copying import Copier
from judgments.log.actions import record_act
from judgments.models import (
    Adjudication,
    Assignment,
    ConsensusGrade,
    Document,
    Exclusion,
    GoldPair,
    Grade,
    Judgment,
    JudgmentList,
    KeptFields,
    ListQuery,
    Membership,
    Pair,
    Query,
    QuerySet,
    Rater,
    RaterQueue,
    Role,
    Scale,
    Slot,
    User,
    Verb,
)

SETTLED_AT_ONCE: Final = 5_000
NULL, ZERO, NO = sql.SQL("NULL"), sql.SQL("0"), sql.SQL("false")
FIRST_ROUND = {"query_position": ZERO, "round_since": NULL, "round_position": ZERO, "round_over": NO}
NOT_COUNTED = dict.fromkeys(("graded_count", "judgment_count", "open_count"), ZERO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a copy holds beside queries, documents and own scales. Judgments come with their lists only."""

    members: bool = False
    lists: bool = False
    judgments: bool = False

    def in_words(self) -> dict[str, bool]:
        return {"members": self.members, "lists": self.lists, "judgments": self.lists and self.judgments}


@transaction.atomic
def copy_query_set(*, query_set: QuerySet, name: str, user: User, parts: Parts) -> tuple[QuerySet, Copier]:
    """A new query set with `user` as its admin, and the copier, for what others have to copy. Raises NameTakenError.

    Judgments come with their consensus grades, the decisions of admins and the raters left out; what was changed or
    taken back, versions and uploads stay behind. Open slots are those that the lists still want. Where the rule is a
    model's, a worker is asked to fit it to the copy. Raters whose lists are copied wait until it is done: what they
    write between two tables would be in one of them only.
    """
    if parts.lists:
        for list_id in query_set.judgment_lists.order_by("pk").values_list("pk", flat=True):
            locks.lock_list(list_id)
    with given_once(name, constraint=UNIQUE_NAME):
        made = QuerySet.objects.create(
            name=name,
            description=query_set.description,
            show_images=query_set.show_images,
            created_by=user,
        )
    copier = Copier(query_set.pk, made.pk)
    if parts.members:
        copier.copy(Membership)
    Membership.objects.update_or_create(query_set=made, user=user, defaults={"role": Role.ADMIN})
    for model in (Scale, Grade, Query, Document):
        copier.copy(model)
    if parts.lists:
        _copy_lists(copier, parts)
    record_act(
        Verb.COPIED,
        f"query set {query_set.name} as {name}",
        query_set=made,
        after={"from": query_set.name} | parts.in_words(),
    )
    return made, copier


def _copy_lists(copier: Copier, parts: Parts) -> None:
    copier.copy(JudgmentList, shared=["scale"])
    copier.copy(ListQuery, changed={} if parts.judgments else NOT_COUNTED)
    copier.copy(Pair)
    copier.copy(GoldPair)
    if parts.members:
        copier.copy(Assignment)
    if parts.judgments:
        _copy_judgments(copier)
    copier.analyze(Pair, ListQuery, Judgment, GoldPair)
    copied = JudgmentList.objects.filter(query_set=copier.target)
    for judgment_list in copied.select_related("scale"):
        for pair_ids in _chunks(judgment_list):
            settle(judgment_list, pair_ids=pair_ids)
            copier.analyze(Slot)
        if parts.judgments and judgment_list.consensus_rule.has_model:
            ask_for_fit(judgment_list=judgment_list, rule=judgment_list.rule, at_once=True)


def _chunks(judgment_list: JudgmentList) -> Iterator[list[int]]:
    """A few thousand pairs at a time, so that plans can follow the slots that are made."""
    after, pairs = 0, judgment_list.pairs.order_by("pk").values_list("pk", flat=True)
    while chunk := list(pairs.filter(pk__gt=after)[:SETTLED_AT_ONCE]):
        yield chunk
        after = chunk[-1]


def _copy_judgments(copier: Copier) -> None:
    copier.copy(Rater)
    copier.copy(Judgment, changed={"request_id": NULL})
    copier.copy(RaterQueue, changed=FIRST_ROUND)
    rest: tuple[type[Model], ...] = (ConsensusGrade, Adjudication, Exclusion, KeptFields)
    for model in rest:
        copier.copy(model)
