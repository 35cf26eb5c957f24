"""A comparison as one page to print, and as a file."""

from django.http import HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.comparisons.actions.comparing import NothingToCompareError
from evaluation.comparisons.reports.comparison_files import comparison_csv, comparison_json
from evaluation.comparisons.views.comparison_request import (
    comparison_address,
    comparison_context,
    named_saved_comparison,
    not_compared,
    read_comparison_request,
)
from evaluation.scores.views.scored_page import csv_response, list_context
from judgments.pages.http import MemberRequest
from touchstone_core.comparison.verdict import measure_text
from touchstone_core.metrics.errors import MetricsError


@require_safe
def report(request: MemberRequest, pk: int) -> HttpResponseBase:
    """`format=csv` and `format=json` give the same as files."""
    comparison = read_comparison_request(request, pk)
    if isinstance(comparison, HttpResponseRedirect):
        return comparison
    question, formula = comparison.question, comparison.question.formula
    try:
        parts = comparison_context(request, comparison)
    except (NothingToCompareError, MetricsError) as error:
        return not_compared(request, pk, error)
    arguments = (question.runs, formula, measure_text(formula, question.on), parts["result"], parts["state"])
    file_format = request.GET.get("format")
    if file_format == "csv":
        return csv_response(
            comparison_csv(*arguments, intent_queries=parts["intents"].current),
            comparison.judgment_list,
            "comparison",
        )
    if file_format == "json":
        return JsonResponse(
            comparison_json(*arguments, intent_queries=parts["intents"].current, held_out=question.confirming)
        )
    context = list_context(request, comparison.judgment_list, comparison.form, comparison.versions) | {
        **parts,
        "report": True,
        "runs": question.runs,
        "measure": arguments[2],
        "confirming": question.confirming,
        "on": question.on,
        "saved": named_saved_comparison(
            request,
            comparison.versions,
            comparison.form,
            comparison.question.runs,
            comparison.judgment_list,
            parts["state"],
        ),
        "back": comparison_address(request, pk),
        "printed_at": timezone.now(),
    }
    return render(request, "evaluation/comparisons/comparison_report.html", context)
