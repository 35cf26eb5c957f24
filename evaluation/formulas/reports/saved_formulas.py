"""The formulas that a query set keeps by name."""

from dataclasses import dataclass

from evaluation.formulas.reports.named import Name, names_of, saved_choice
from evaluation.models import SavedFormula
from judgments.models import QuerySet
from touchstone_core.metrics.selection import Selection


@dataclass(frozen=True, slots=True)
class SavedRow:
    """A saved formula, what it stands for, and the tools that compute the same."""

    saved: SavedFormula
    chosen: Selection
    tools: list[Name]


def saved_rows(query_set: QuerySet) -> list[SavedRow]:
    """By name. One query."""
    found = SavedFormula.objects.filter(query_set=query_set).select_related("created_by").order_by("name")
    return [_row(saved) for saved in found]


def _row(saved: SavedFormula) -> SavedRow:
    chosen = saved_choice(saved)
    return SavedRow(saved, chosen, names_of(chosen, ()).equal)
