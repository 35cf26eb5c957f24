"""Roles in query sets, counts, and pairs with their grades."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from judgments.base.digits import written
from judgments.grades.reports import explain_values
from judgments.models import (
    STAFF_ROLES,
    ConsensusGrade,
    Document,
    Grade,
    JudgmentList,
    Membership,
    Pair,
    Query,
    QuerySet,
    Role,
    User,
)


@dataclass(frozen=True, slots=True)
class GradedPair:
    """A pair with its consensus grade in words. One with answers may have no grade, where it's undecided."""

    pair: Pair
    value: float | None
    label: str
    how: str
    has_answers: bool
    heat: int = 0

    @property
    def written(self) -> str:
        return "" if self.value is None else written(self.value)


def role_in(query_set: QuerySet, user: User) -> str:
    """The role of `user`; site administrators are admins, others without a role get "". One query."""
    if user.is_superuser:
        return Role.ADMIN
    return (
        Membership.objects.filter(query_set=query_set, user=user).values_list("role", flat=True).first() or ""
    )


def may_create_query_set(user: User, *, but: str = "") -> bool:
    """Site administrators may, and so may engineers and admins of any query set but the one with this name."""
    is_staff = Membership.objects.filter(user=user, role__in=STAFF_ROLES).exclude(query_set__name=but)
    return user.is_active and (user.is_superuser or is_staff.exists())


def with_counts(query_sets: models.QuerySet[QuerySet]) -> models.QuerySet[QuerySet]:
    """Annotates `query_count`, `document_count` and `list_count`."""
    counts = with_query_count(query_sets)
    return counts.annotate(document_count=_count(Document), list_count=_count(JudgmentList))


def with_query_count(query_sets: models.QuerySet[QuerySet]) -> models.QuerySet[QuerySet]:
    """Annotates `query_count` alone."""
    return query_sets.annotate(query_count=_count(Query))


def graded_pairs(pairs: Iterable[Pair]) -> list[GradedPair]:
    """Pairs of any lists with their grades in words. Select related lists and scales before.

    One query for grades, one for the judgments behind them and one for the scales' labels.
    """
    pairs = list(pairs)
    rows = ConsensusGrade.objects.filter(pair__in=[pair.pk for pair in pairs])
    grades = dict(rows.values_list("pair", "value"))
    scales = {pair.judgment_list.scale_id for pair in pairs}
    labels = {(grade.scale_id, grade.value): grade.label for grade in Grade.objects.filter(scale__in=scales)}
    reasons = explain_values({pair.pk: grades.get(pair.pk) for pair in pairs})
    return [
        _graded_pair(pair, grades.get(pair.pk), reasons[pair.pk], pair.pk in grades, labels) for pair in pairs
    ]


def _graded_pair(
    pair: Pair, value: float | None, how: str, has_answers: bool, labels: dict[tuple[int, float], str]
) -> GradedPair:
    if value is None:
        return GradedPair(pair, None, "", how, has_answers)
    scale = pair.judgment_list.scale
    heat = int(10 * max(0.0, value) / scale.maximum) if scale.maximum > 0 else 0
    return GradedPair(pair, value, labels.get((scale.pk, value), ""), how, has_answers, min(heat, 10))


def _count(model: type[Any]) -> Coalesce:
    rows = model.objects.filter(query_set=OuterRef("pk")).order_by().values("query_set")
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)
