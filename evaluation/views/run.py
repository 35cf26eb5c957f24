"""One run against one judgment list."""

from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from evaluation.actions.scores import bring_up_to_date
from evaluation.forms.scores import QueryFilterForm
from evaluation.metrics.formula import Formula
from evaluation.models import Evaluation, Run
from evaluation.reports import run_page as report
from evaluation.reports.run_summary import run_summary
from evaluation.views.scored_page import (
    canonical,
    csv_response,
    list_context,
    list_trail,
    read_formula,
    render_page,
    visible_list,
)
from judgments.models import JudgmentList
from judgments.views.http import MemberRequest

PER_PAGE = 50
TEMPLATE = "evaluation/run.html"


@require_safe
def run(request: MemberRequest, list_pk: int, pk: int) -> HttpResponse | StreamingHttpResponse:
    """The summary of a run and its queries, worst first, under the formula of the URL."""
    judgment_list = visible_list(request, list_pk)
    run = visible_run(request, judgment_list, pk)
    form, chosen = read_formula(request, judgment_list), QueryFilterForm(request.GET)
    trail = list_trail(judgment_list, (run.name, ""))
    context = list_context(request, judgment_list, form, run=run, filter=chosen, trail=trail)
    if not (form.is_valid() and chosen.is_valid()):
        return render_page(request, TEMPLATE, context, status=422)
    if moved := canonical(request, form):
        return moved
    formula = form.formula
    evaluation = evaluated(judgment_list, run, formula)
    columns = report.score_columns(formula)
    order = report.score_order(request.GET.get("sort", ""), columns)
    found = report.scores(evaluation, text=chosen.cleaned_data["q"], show=chosen.cleaned_data["show"])
    found = report.ordered(found, order)
    if request.GET.get("format") == "csv":
        rows = report.run_csv(evaluation, formula, found)
        return csv_response(rows, judgment_list.name, run.name, formula.key)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    context |= {
        "summary": run_summary(evaluation, formula),
        "lists": JudgmentList.objects.filter(query_set=judgment_list.query_set_id).only("name"),
        "page": page,
        "rows": report.query_rows(list(page.object_list)),
        "headings": order.headings(columns),
        "filtered": bool(chosen.cleaned_data["q"] or chosen.cleaned_data["show"]),
        "sorted_by": order.column.label,
    }
    return render_page(request, TEMPLATE, context)


def visible_run(request: MemberRequest, judgment_list: JudgmentList, pk: int) -> Run:
    runs = Run.objects.visible_to(request.user).select_related("uploaded_by")
    return get_object_or_404(runs, pk=pk, query_set=judgment_list.query_set_id)


def evaluated(judgment_list: JudgmentList, run: Run, formula: Formula) -> Evaluation:
    """The evaluation, right for the grades as they are now."""
    bring_up_to_date(judgment_list=judgment_list, runs=[run], formula=formula)
    evaluation = Evaluation.objects.get(judgment_list=judgment_list, run=run, formula=formula.key)
    evaluation.run, evaluation.judgment_list = run, judgment_list
    return evaluation
