"""What reports of every room show alike: how a table of queries begins, the order of its rows, and a scale as scoring reads it."""

from typing import Any, TypeVar

from django.db.models import F, QuerySet

from judgments.models import Scale
from touchstone_core.formats.columns import Column, Order
from touchstone_core.metrics.scale import ScaleInfo


def query_columns(template: str, **choices: Any) -> list[Column[Any]]:
    """ID, text and tags of the row's `query`. `choices` are those of the column of the text, whose cell `template` makes."""
    return [
        Column("query id", "", "query__external_id", json=("id",)),
        Column(
            "query",
            "",
            "query__text",
            label="Query",
            json=("text",),
            numeric=False,
            template=template,
            **choices,
        ),
        Column("tags", "", "query__tags"),
    ]


def scale_info(scale: Scale) -> ScaleInfo:
    """The top grade and the gains of a scale's levels. A continuous scale has no table of gains.

    Costs a query, or none with `Scale.objects.with_grades()`.
    """
    if scale.continuous:
        return ScaleInfo(top_grade=scale.maximum, threshold=scale.threshold, bottom=scale.minimum)
    # A negative grade is worth nothing under every gain (metrics.md), whatever the table says.
    gains = {grade.value: grade.gain if grade.value >= 0 else 0.0 for grade in scale.grades.all()}
    return ScaleInfo(
        top_grade=max(gains, default=0.0),
        threshold=scale.threshold,
        bottom=min(gains, default=0.0),
        gains=gains or None,
    )


Rows = TypeVar("Rows", bound="QuerySet[Any]")


def sort_rows(rows: Rows, order: Order, *then: str) -> Rows:
    """Sorts by the field of a column, then by the other fields. Rows without a value come last."""
    field = F(order.column.field or str(order.column.value))
    by = field.desc(nulls_last=True) if order.descending else field.asc(nulls_last=True)
    return rows.order_by(by, *then)
