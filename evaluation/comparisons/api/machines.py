"""Runs beside a baseline by people's grades, with the help of machines that don't count."""

from collections.abc import Sequence
from typing import Any

from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from evaluation.comparisons.api.comparison import ComparisonQuery, read_comparison
from evaluation.comparisons.reports.deciding import deciding_formula
from evaluation.comparisons.reports.machine_help import COLUMNS, TooManyDocumentsError
from evaluation.comparisons.views.machine_help import help_of
from evaluation.scores.reports.state import list_state
from judgments.pages.calls import ApiRequest
from judgments.pages.problems import Problem
from touchstone_core.formats.columns import json_records

router = Router()


class MachineHelpOut(Schema):
    """One run beside the baseline, with the help of one machine. `difference` is by people’s queries alone, `difference_with_machine` with the
    machine’s. Each is null, with its interval, where it can’t be told: `sentence` says why."""

    machine: str
    run: str
    queries: int = Field(description="All queries that one of the compared runs answers.")
    changed: int = Field(description="So many of them have different pages.")
    people: int = Field(description="On so many of these, people and the machine graded all that differs.")
    others: int = Field(description="On so many, only the machine did.")
    left_out: int = Field(description="On so many, the machine didn’t.")
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    difference_with_machine: float | None
    difference_with_machine_low: float | None
    difference_with_machine_high: float | None
    correlation: float | None = Field(description="Of people’s and the machine’s differences.")
    sentence: str


class MachineHelpsOut(Schema):
    """`measure` is NDCG-max at the cutoff, whatever the runs are compared on."""

    list: dict[str, Any]
    formula: str
    formula_words: str
    measure: str
    baseline: str
    rows: Sequence[MachineHelpOut]


@router.get(
    "lists/{int:list_pk}/comparison/machines",
    response=MachineHelpsOut,
    summary="Compare runs with the help of machines",
)
def machine_help(request: ApiRequest, list_pk: int, query: InQuery[ComparisonQuery]) -> dict[str, Any]:
    """By how much runs differ by people’s grades, made more certain by grades of machines that don’t count. It holds if the queries that
    people judged were drawn at random."""
    asked = read_comparison(request, list_pk)
    try:
        rows = help_of(asked)
    except TooManyDocumentsError as error:
        raise Problem(422, str(error)) from None
    formula = deciding_formula(asked.question.formula)
    records = zip(json_records(COLUMNS, rows), rows, strict=True)
    return {
        "list": list_state(asked.judgment_list, asked.question.version).as_json,
        "formula": formula.key,
        "formula_words": formula.words(),
        "measure": f"NDCG-max@{formula.cutoff}",
        "baseline": asked.question.runs[0].name,
        "rows": [record | {"sentence": row.sentence} for record, row in records],
    }
