"""What deleting many queries or documents would do: which of them nothing uses, and why the others stay."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef
from django.db.models import QuerySet as Rows

from judgments.content.reports.content import nouns_of, users_by
from judgments.content.sql.unused import Kind, Link, uses
from judgments.models import Document, Query

MOST_AT_ONCE: Final = 20_000
"""What one request deletes: some seconds."""
MOST_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class DeletionEffect:
    """`deleted` rows would go now, and `left` unused ones after them, where there are too many for once.

    `kept` rows are in use. `reasons` counts them by what uses them: a row with several uses is counted several times.
    """

    deleted: int
    left: int
    kept: int
    reasons: list[tuple[str, int]]


def unused_rows(rows: Rows[Any], kind: Kind) -> Rows[Any]:
    """Those of the rows that nothing uses."""
    return rows.filter(*(~_is_used_by(link) for link in uses(kind)))


def unused_keys(rows: Rows[Any], kind: Kind) -> list[int]:
    """The keys of the first unused rows, as many as one request deletes."""
    return list(unused_rows(rows, kind).order_by("pk").values_list("pk", flat=True)[:MOST_AT_ONCE])


def deletion_effect(rows: Rows[Any], kind: Kind) -> DeletionEffect:
    """What deleting these rows would do now. Changes nothing and waits for nobody. Two statements."""
    counts = rows.order_by().aggregate(
        total=Count("pk"),
        **{f"use_{nth}": Count("pk", filter=_is_used_by(link)) for nth, link in enumerate(uses(kind))},
    )
    free = unused_rows(rows, kind).count()
    reasons = [
        (f"in a {nouns_of(link.model)[0]}", counts[f"use_{nth}"]) for nth, link in enumerate(uses(kind))
    ]
    return DeletionEffect(
        deleted=min(free, MOST_AT_ONCE),
        left=max(0, free - MOST_AT_ONCE),
        kept=counts["total"] - free,
        reasons=[(words, count) for words, count in reasons if count],
    )


def first_unused(rows: Rows[Any], kind: Kind) -> Sequence[Query | Document]:
    """The first rows that would go, to be shown."""
    slim = unused_rows(rows, kind).order_by("pk")
    return list((slim.defer("body", "fields") if kind is Document else slim)[:MOST_SHOWN])


def _is_used_by(link: Link) -> Exists:
    return Exists(users_by(link).filter(**{link.name: OuterRef("pk")}))
