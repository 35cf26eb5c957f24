"""A comparison for others: one page to print, one HTML file, Markdown for a pull request, and all figures as files."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from django.contrib.staticfiles import finders
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.safestring import mark_safe
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from evaluation.comparisons.actions.comparing_errors import NothingToCompareError
from evaluation.comparisons.reports.comparison_files import comparison_csv, comparison_json
from evaluation.comparisons.reports.comparison_markdown import comparison_markdown
from evaluation.comparisons.reports.first_results import with_first_results
from evaluation.comparisons.views.comparison_request import (
    ComparisonRequest,
    comparison_address,
    comparison_context,
    named_saved_comparison,
    not_compared,
    read_comparison_request,
)
from evaluation.scores.views.scored_page import list_context
from judgments.base.moments import day
from judgments.pages.http import MemberRequest, csv_response
from touchstone_core.comparison.recommendation import recommendation
from touchstone_core.comparison.verdict import measure_text
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.words import counted

TEMPLATE: Final = "evaluation/comparisons/comparison_report.html"
QUERIES_EACH: Final = 5
STYLES: Final = (
    "css/tokens.css",
    "css/comparisons/report-file.css",
    "css/base.css",
    "css/components.css",
    "css/tables.css",
    "css/comparisons/compare.css",
    "css/comparisons/report.css",
)
"""What a file needs that loads nothing."""


@require_safe
def report(request: MemberRequest, pk: int) -> HttpResponseBase:
    """`format=html` and `format=md` give the page as a file, `format=csv` and `format=json` its figures."""
    comparison = read_comparison_request(request, pk)
    if isinstance(comparison, HttpResponseRedirect):
        return comparison
    question, formula = comparison.question, comparison.question.formula
    try:
        parts = comparison_context(request, comparison, queries_each=QUERIES_EACH)
    except (NothingToCompareError, MetricsError) as error:
        return not_compared(request, pk, error)
    arguments = (
        *(parts["comparison"], formula, measure_text(formula, question.on)),
        *(parts["result"], parts["state"]),
    )
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
    context = report_context(request, comparison, parts)
    if file_format == "md":
        return _file(comparison_markdown(context, context["address"]), "md", comparison)
    if file_format == "html":
        return _file(report_html(request, context), "html", comparison)
    return render(request, TEMPLATE, context | {"base": "base.html"})


def report_html(request: MemberRequest, context: dict[str, Any]) -> str:
    """The page as one file that loads nothing."""
    return render_to_string(TEMPLATE, context | {"base": "evaluation/comparisons/report_file.html"}, request)


def report_context(
    request: MemberRequest, comparison: ComparisonRequest, parts: dict[str, Any]
) -> dict[str, Any]:
    question, rows = comparison.question, parts["forest"]["rows"]
    back = comparison_address(request, comparison.judgment_list.pk)
    return list_context(request, comparison.judgment_list, comparison.form, comparison.versions) | {
        **parts,
        "fixes": with_first_results(
            parts["fixes"], question.runs, comparison.judgment_list, question.version
        ),
        "report": True,
        "runs": question.runs,
        "measure": measure_text(question.formula, question.on),
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
        "back": back,
        "address": request.build_absolute_uri(back),
        "printed_at": timezone.now(),
        "recommendation": recommendation(
            [row["run"].name for row in rows],
            [row["verdict"] for row in rows],
            ranks=parts["comparison"].ranks,
        ),
        "subtitle": _subtitle(comparison, parts["comparison"].queries),
        "style": _styles(),
    }


def _subtitle(comparison: ComparisonRequest, queries: int) -> str:
    version = comparison.versions.chosen
    of = f"{comparison.judgment_list}, version {version.number}" if version else str(comparison.judgment_list)
    return " · ".join([of, comparison.heading, counted(queries, "query", "queries"), day(timezone.now())])


@cache
def _styles() -> str:
    """All styles of the report as one text."""
    paths = [finders.find(name) for name in STYLES]
    return mark_safe("\n".join(Path(path).read_text() for path in paths if path))  # noqa: S308 -- our own files


def _file(text: str, ending: str, comparison: ComparisonRequest) -> HttpResponse:
    content_type = {"md": "text/markdown", "html": "text/html"}[ending]
    name = f"{slugify(comparison.judgment_list.name) or 'list'}_comparison.{ending}"
    disposition = content_disposition_header(as_attachment=True, filename=name) or ""
    return HttpResponse(
        text, content_type=f"{content_type}; charset=utf-8", headers={"Content-Disposition": disposition}
    )
