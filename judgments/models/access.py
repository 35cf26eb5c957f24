"""Who may see what: one rule, used by the `visible_to` of every queryset."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from judgments.base.contexts import holding
from judgments.base.errors import NotAllowedError
from judgments.models.user import User

Viewer: TypeAlias = User | AnonymousUser


class Role(models.TextChoices):
    RATER = "rater", "Rater"
    ENGINEER = "engineer", "Relevance engineer"
    ADMIN = "admin", "Admin"


_Row = TypeVar("_Row", bound=models.Model, covariant=True)

EVERY_ROLE = (Role.RATER, Role.ENGINEER, Role.ADMIN)
STAFF_ROLES = (Role.ENGINEER, Role.ADMIN)
_changing: ContextVar[bool] = ContextVar("changing", default=False)


class Limits(NamedTuple):
    """What a token of the API takes from the rights of its owner: the roles of admins, or all other query sets, or both."""

    without_admin: bool = False
    query_set: int | None = None


NO_LIMITS = Limits()
_limits: ContextVar[Limits] = ContextVar("limits", default=NO_LIMITS)


def limited(limits: Limits) -> AbstractContextManager[None]:
    """Within, viewers reach no more than a token with these limits allows."""
    return holding(_limits, limits)


def only_query_set() -> int | None:
    """The key of the only query set that the token of this call reaches, if it has one."""
    return _limits.get().query_set


def changing(yes: bool) -> AbstractContextManager[None]:
    """Within, rows are selected in order to change them, if `yes`. Archived query sets are then out of everybody's reach."""
    return holding(_changing, yes)


def check_may_change(
    user: User | None, rows: Callable[[User], models.QuerySet[Any, Any]], sentence: str
) -> None:
    """Raises NotAllowedError with this sentence unless any of the rows is in reach of this person in order to change it."""
    with changing(True):
        if user is None or not rows(user).exists():
            raise NotAllowedError(sentence)


def in_reach(viewer: Viewer, *roles: Role, path: str = "query_set") -> Q:
    """Rows whose query set (at `path`) has `viewer` as a member in one of `roles`.

    Site administrators reach everything but what is being deleted, which has no members any more. Strangers reach nothing, nor do
    deactivated accounts, for which jobs may still wait. A
    subquery, so that rows never double. Within `changing`, archived query sets are out of reach, and within `limited` whatever
    a token may not do.
    """
    only_open, limits = _changing.get(), _limits.get()
    if not viewer.is_active or (limits.without_admin and set(roles) == {Role.ADMIN}):
        return Q(pk__in=[])
    if viewer.is_superuser:
        # Never an empty Q(), which would vanish when it is joined by “or”.
        key = path or "pk"
        some = ~Q(**{f"{key}__in": being_deleted()}) & (
            Q() if limits.query_set is None else Q(**{key: limits.query_set})
        )
        return some & Q(**{f"{path}__archived_at" if path else "archived_at": None}) if only_open else some
    from judgments.models.query_set import Membership

    mine = Membership.objects.filter(user=viewer, role__in=roles or EVERY_ROLE)
    if only_open:
        mine = mine.filter(query_set__archived_at=None)
    if limits.query_set is not None:
        mine = mine.filter(query_set=limits.query_set)
    return Q(**{f"{path}__in" if path else "pk__in": mine.values("query_set")})


def being_deleted() -> models.QuerySet[Any, Any]:
    """The keys of query sets that a worker is deleting."""
    from judgments.models.query_set import QuerySet

    return QuerySet.objects.filter(being_deleted=True).values("pk")


class MemberQuerySet(models.QuerySet[_Row]):
    """Rows of a query set, which `path` leads to, for its members in `roles`: engineers and admins unless said otherwise."""

    path: ClassVar[str] = "query_set"
    roles: ClassVar[tuple[Role, ...]] = STAFF_ROLES

    def visible_to(self, viewer: Viewer) -> Self:
        return self.filter(in_reach(viewer, *self.roles, path=self.path))


class AdminQuerySet(MemberQuerySet[_Row]):
    """Rows for admins only: they tell who judged what, or what raters must not know."""

    roles = (Role.ADMIN,)
