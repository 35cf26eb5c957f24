"""Runs beside a baseline by people's grades, with the help of machines that don't count."""

from django.contrib import messages
from django.http import HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.comparisons.reports.deciding import deciding_formula
from evaluation.comparisons.reports.machine_help import (
    COLUMNS,
    MachineHelp,
    TooManyDocumentsError,
    machine_help,
)
from evaluation.comparisons.views.comparison_request import (
    ComparisonRequest,
    comparison_address,
    not_compared,
    read_comparison_request,
    to_comparison,
)
from evaluation.scores.views.scored_page import list_context
from judgments.pages.http import MemberRequest, csv_response
from judgments.pages.trails import list_trail
from touchstone_core.formats.columns import csv_rows, page_table
from touchstone_core.metrics.errors import MetricsError


@require_safe
def page(request: MemberRequest, pk: int) -> HttpResponseBase:
    """`format=csv` gives every digit."""
    comparison = read_comparison_request(request, pk)
    if isinstance(comparison, HttpResponseRedirect):
        return comparison
    try:
        rows = help_of(comparison)
    except MetricsError as error:
        return not_compared(request, pk, error)
    except TooManyDocumentsError as error:
        messages.error(request, str(error))
        return to_comparison(request, pk)
    judgment_list = comparison.judgment_list
    if request.GET.get("format") == "csv":
        return csv_response(csv_rows(COLUMNS, rows), judgment_list.name, "machines")
    back = comparison_address(request, pk)
    context = list_context(
        request,
        judgment_list,
        comparison.form,
        comparison.versions,
        trail=list_trail(judgment_list, ("Compare", back), ("Machines", "")),
        tab="compare",
    ) | {
        "baseline": comparison.question.runs[0],
        "formula": deciding_formula(comparison.question.formula),
        "rows": rows,
        "table": page_table(COLUMNS, rows),
        "back": back,
    }
    return render(request, "evaluation/comparisons/machine_help.html", context)


def help_of(comparison: ComparisonRequest) -> list[MachineHelp]:
    """Raises what `machine_help` raises."""
    question = comparison.question
    return machine_help(
        question.judgment_list,
        question.runs,
        deciding_formula(question.formula),
        held_out=question.settings.held_out,
        version=question.version,
    )
