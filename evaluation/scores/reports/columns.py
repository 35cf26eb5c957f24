"""Rows of the database in the order that a page asks for."""

from typing import Any, TypeVar

from django.db.models import F, QuerySet

from touchstone_core.formats.columns import Order

Rows = TypeVar("Rows", bound="QuerySet[Any]")


def sort_rows(rows: Rows, order: Order, *then: str) -> Rows:
    """Sorts by the field of a column, then by the other fields. Rows without a value come last."""
    field = F(order.column.field or str(order.column.value))
    by = field.desc(nulls_last=True) if order.descending else field.asc(nulls_last=True)
    return rows.order_by(by, *then)
