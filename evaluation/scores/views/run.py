"""One run against one judgment list."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from evaluation.base.reports.columns import ordered
from evaluation.formulas.forms.formula import FormulaForm
from evaluation.models import Evaluation, Run
from evaluation.scores.actions.measures import bring_measures_up_to_date
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.forms import QueryFilterForm
from evaluation.scores.reports import run_page as report
from evaluation.scores.reports.measures import Measured, stored_measures
from evaluation.scores.reports.run_averages import run_averages, short_pages
from evaluation.scores.reports.run_files import run_csv, run_json
from evaluation.scores.reports.run_summary import run_summary
from evaluation.scores.reports.state import State, list_state
from evaluation.scores.reports.ties import with_ties
from evaluation.scores.views.scored_page import (
    canonical,
    csv_response,
    list_context,
    list_trail,
    read_formula,
    read_versions,
    render_page,
    visible_list,
)
from judgments.models import JudgmentList
from judgments.pages.http import MemberRequest
from touchstone_core.formats.columns import page_table, read_order
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula

PER_PAGE = 50
TEMPLATE = "evaluation/scores/run.html"


@require_safe
def run(request: MemberRequest, list_pk: int, pk: int) -> HttpResponse | StreamingHttpResponse:
    """The summary of a run and its queries, worst first, under the formula and the further measures of the URL."""
    judgment_list = visible_list(request, list_pk)
    run = visible_run(request, judgment_list, pk)
    versions = read_versions(request, judgment_list)
    form, chosen = read_formula(request, judgment_list, versions.chosen), QueryFilterForm(request.GET)
    now = list_state(judgment_list, versions.chosen)
    measures: list[Measured] = []
    if form.is_valid() and chosen.is_valid():
        if moved := canonical(request, form):
            return moved
        measures = measured(judgment_list, run, form, now)
    trail = list_trail(judgment_list, (run.name, ""))
    context = list_context(request, judgment_list, form, versions, run=run, filter=chosen, trail=trail)
    if not (form.is_valid() and chosen.is_valid()):
        return render_page(request, TEMPLATE, context, status=422)
    formula = form.formula
    evaluation = evaluated(judgment_list, run, formula, now)
    columns = report.score_columns(formula, measures)
    # The worst global first where the URL says nothing: that is where to look.
    order = read_order(request.GET.get("sort", ""), columns, "global")
    found = ordered(report.scores(evaluation, formula, measures, _filter(chosen)), order, "query_id")
    state = now.of(evaluation)
    if request.GET.get("format") == "csv":
        rows = run_csv(run, formula, measures, with_ties(evaluation, formula, found.iterator()), state)
        return csv_response(rows, judgment_list.name, run.name, formula.key)
    averages = run_averages(evaluation, formula, measures)
    if request.GET.get("format") == "json":
        queries = with_ties(evaluation, formula, found)
        return json_response(
            run_json(
                evaluation,
                formula,
                measures,
                averages,
                queries,
                state,
                short_pages(evaluation, formula),
            )
        )
    pages = Paginator(found, PER_PAGE)
    if not chosen.narrows:
        pages.count = evaluation.judged_queries  # saves counting them
    page = pages.get_page(request.GET.get("page"))
    context |= {
        "summary": run_summary(evaluation, formula, measures),
        "averages": averages,
        "short_pages": short_pages(evaluation, formula).words,
        "state": state,
        "lists": JudgmentList.objects.filter(query_set=judgment_list.query_set_id).only("name"),
        "page": page,
        "table": page_table(columns, with_ties(evaluation, formula, page.object_list), order),
        "filtered": chosen.narrows,
        "caption": f"Queries by {order.column.heading}",
    }
    return render_page(request, TEMPLATE, context)


def _filter(form: QueryFilterForm) -> report.Filter:
    chosen = form.cleaned_data
    return report.Filter(text=chosen["q"], show=chosen["show"], tag=chosen["tag"])


def visible_run(request: MemberRequest, judgment_list: JudgmentList, pk: int) -> Run:
    runs = Run.objects.visible_to(request.user).select_related("uploaded_by")
    return get_object_or_404(runs, pk=pk, query_set=judgment_list.query_set_id)


def measured(judgment_list: JudgmentList, run: Run, form: FormulaForm, now: State) -> list[Measured]:
    """The further measures, right for the grades as they are now. One query where nothing has changed.

    One that these grades cannot have becomes an error of the form.
    """
    found = stored_measures(judgment_list, run, form.measures, now.frozen)
    if found is not None and all(one.evaluation.revision == now.revision for one in found):
        return found
    try:
        bring_measures_up_to_date(
            judgment_list=judgment_list, runs=[run], measures=form.measures, version=now.frozen
        )
    except MetricsError as error:
        form.add_error("measures", str(error))
        return []
    return stored_measures(judgment_list, run, form.measures, now.frozen) or []


def evaluated(judgment_list: JudgmentList, run: Run, formula: Formula, now: State) -> Evaluation:
    """The evaluation, right for the grades as they are now. One query where nothing has changed."""
    found = Evaluation.objects.filter(judgment_list=judgment_list, version=now.frozen, run=run)
    found = found.filter(formula=formula.key)
    evaluation = found.first()
    if evaluation is None or evaluation.revision != now.revision:
        bring_up_to_date(judgment_list=judgment_list, runs=[run], formula=formula, version=now.frozen)
        evaluation = found.get()
    evaluation.run, evaluation.judgment_list, evaluation.version = run, judgment_list, now.frozen
    return evaluation


def json_response(content: dict[str, Any]) -> JsonResponse:
    """Indented, and in letters as they are: people read it too."""
    return JsonResponse(content, json_dumps_params={"indent": 1, "ensure_ascii": False})
