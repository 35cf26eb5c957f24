"""Copies query sets. The original stays as it is, and the copy has no history."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Model
from psycopg import sql

from judgments.base.names import given_once
from judgments.base.sql import locks
from judgments.content.actions.query_sets import SETTINGS, UNIQUE_NAME
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

PAIRS_AT_ONCE: Final = 5_000
NULL, ZERO, NO = sql.SQL("NULL"), sql.SQL("0"), sql.SQL("false")
FIRST_ROUND = {"query_position": ZERO, "round_since": NULL, "round_position": ZERO, "round_over": NO}
NOT_COUNTED = dict.fromkeys(("graded_count", "judgment_count", "open_count"), ZERO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What to copy beside queries, documents and own scales. Judgments need their lists."""

    members: bool = False
    lists: bool = False
    judgments: bool = False

    def in_words(self) -> dict[str, bool]:
        return {"members": self.members, "lists": self.lists, "judgments": self.lists and self.judgments}


@transaction.atomic
def copy_query_set(*, query_set: QuerySet, name: str, user: User, parts: Parts) -> tuple[QuerySet, Copier]:
    """A new query set with `user` as its admin, and the copier, for tables of others. Raises NameTakenError.

    Judgments come with consensus grades, decisions of admins and excluded raters, but without history, versions and
    uploads. Open slots are those that the lists still require. A worker fits the model where the rule is a model's.
    Raters of these lists wait meanwhile: what they write between two tables would be in one of them only.
    """
    if parts.lists:
        for list_id in query_set.judgment_lists.order_by("pk").values_list("pk", flat=True):
            locks.lock_list(list_id)
    with given_once(name, constraint=UNIQUE_NAME):
        settings = {each: getattr(query_set, each) for each in SETTINGS}
        duplicate = QuerySet.objects.create(**settings | {"name": name}, created_by=user)
    copier = Copier(query_set.pk, duplicate.pk)
    if parts.members:
        copier.copy(Membership)
    Membership.objects.update_or_create(query_set=duplicate, user=user, defaults={"role": Role.ADMIN})
    for model in (Scale, Grade, Query, Document):
        copier.copy(model)
    if parts.lists:
        _copy_lists(copier, parts)
    record_act(
        Verb.COPIED,
        f"query set {query_set.name} as {name}",
        query_set=duplicate,
        after={"from": query_set.name} | parts.in_words(),
    )
    return duplicate, copier


def _copy_lists(copier: Copier, parts: Parts) -> None:
    copier.copy(JudgmentList, kept_keys=["scale"])
    copier.copy(ListQuery, values={} if parts.judgments else NOT_COUNTED)
    copier.copy(Pair)
    copier.copy(GoldPair)
    if parts.members:
        copier.copy(Assignment)
    if parts.judgments:
        _copy_judgments(copier)
    copier.analyze(Pair, ListQuery, Judgment, GoldPair)
    for judgment_list in JudgmentList.objects.filter(query_set=copier.target).select_related("scale"):
        for pair_ids in _chunks(judgment_list):
            settle(judgment_list, pair_ids=pair_ids)
            copier.analyze(Slot)
        if parts.judgments and judgment_list.consensus_rule.has_model:
            ask_for_fit(judgment_list=judgment_list, rule=judgment_list.rule, at_once=True)


def _chunks(judgment_list: JudgmentList) -> Iterator[list[int]]:
    """A few thousand pairs at a time, so that plans can follow the growing number of slots."""
    after, pairs = 0, judgment_list.pairs.order_by("pk").values_list("pk", flat=True)
    while chunk := list(pairs.filter(pk__gt=after)[:PAIRS_AT_ONCE]):
        yield chunk
        after = chunk[-1]


def _copy_judgments(copier: Copier) -> None:
    copier.copy(Rater)
    copier.copy(Judgment, values={"request_id": NULL})
    copier.copy(RaterQueue, values=FIRST_ROUND)
    rest: tuple[type[Model], ...] = (ConsensusGrade, Adjudication, Exclusion, KeptFields)
    for model in rest:
        copier.copy(model)
