"""One run against one judgment list."""

from django.contrib.postgres.expressions import ArraySubquery
from django.core.paginator import Paginator
from django.db.models import OuterRef
from django.db.models.functions import JSONObject
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from evaluation.base.reports import sort_rows
from evaluation.formulas.forms import FormulaForm
from evaluation.models import Evaluation, Run
from evaluation.scores.actions.scoring_jobs import score_or_ask
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.forms import QueryFilterForm
from evaluation.scores.reports import run_page as report
from evaluation.scores.reports.fix_first import fix_first
from evaluation.scores.reports.pages import content_parts, read_pages
from evaluation.scores.reports.run_averages import run_averages
from evaluation.scores.reports.run_bounds import MOST_GRADES, run_bounds
from evaluation.scores.reports.run_files import run_csv, run_json
from evaluation.scores.reports.run_page import RunMeasure, stored_measures
from evaluation.scores.reports.run_summary import run_summary
from evaluation.scores.reports.state import State, list_state
from evaluation.scores.reports.ties import with_ties
from evaluation.scores.views.scored_page import (
    bring_form_up_to_date,
    canonical,
    list_context,
    read_address,
    render_page,
    runs_trail,
    waits_for_scores,
)
from judgments.base.replica import reads_replica
from judgments.models import JudgmentList
from judgments.pages.http import MemberRequest, csv_response, json_response
from touchstone_core.bounds.values import has_bounds
from touchstone_core.formats.columns import page_table, read_order
from touchstone_core.metrics.formula import Formula

PER_PAGE = 50
TEMPLATE = "evaluation/scores/run.html"
BOUNDS = "bounds"
"""Asks for the bounds of the means, where the page has enough to do without them."""


@require_safe
@waits_for_scores
@reads_replica
def run(request: MemberRequest, list_pk: int, pk: int) -> HttpResponse | StreamingHttpResponse:
    """The summary of a run and its queries, worst first, under the formula and the further measures of the URL."""
    judgment_list, versions, form = read_address(request, list_pk)
    run = visible_run(request, judgment_list, pk)
    query_filter = QueryFilterForm(request.GET)
    now = list_state(judgment_list, versions.chosen)
    measures: list[RunMeasure] = []
    if form.is_valid() and query_filter.is_valid():
        if redirect := canonical(request, form):
            return redirect
        measures = current_measures(judgment_list, run, form, now)
    trail = runs_trail(judgment_list, (run.name, ""))
    context = list_context(request, judgment_list, form, versions, run=run, filter=query_filter, trail=trail)
    if not (form.is_valid() and query_filter.is_valid()):
        return render_page(request, TEMPLATE, context, status=422)
    formula = form.formula
    evaluation = current_evaluation(judgment_list, run, formula, now)
    columns = report.score_columns(formula, measures)
    # The worst global first by default: that's where to look.
    order = read_order(request.GET.get("sort", ""), columns, "global")
    scores = sort_rows(
        report.scores(evaluation, formula, measures, query_filter.query_filter), order, "query_id"
    )
    state = now.of(evaluation)
    if request.GET.get("format") == "csv":
        rows = run_csv(run, formula, measures, with_ties(evaluation, formula, scores.iterator()), state)
        return csv_response(rows, judgment_list.name, run.name, formula.key)
    averages = run_averages(evaluation, formula, measures)
    short, content, spread = read_pages(evaluation, formula)
    if request.GET.get("format") == "json":
        queries = with_ties(evaluation, formula, scores)
        bounds = run_bounds(evaluation, formula)
        figures = (measures, averages, queries, state, short, content, spread, bounds)
        return json_response(run_json(evaluation, formula, *figures))
    pages = Paginator(scores, PER_PAGE)
    if not query_filter.narrows:
        pages.count = evaluation.judged_queries  # saves counting them
    page = pages.get_page(request.GET.get("page"))
    causes, fixes = fix_first(evaluation, formula)
    asked = BOUNDS in request.GET or (now.grades <= MOST_GRADES and not measures)
    bounds = run_bounds(evaluation, formula) if asked else None
    summary = run_summary(evaluation, formula, measures, bounds)
    context |= {
        "summary": summary,
        "bounds_on_request": has_bounds(formula) and not asked,
        "averages": averages,
        "causes": causes,
        "fixes": fixes,
        "short_pages": short.words,
        "content_parts": content_parts(content, summary["ladder"]),
        "spread": spread,
        "state": state,
        "lists": run.lists,  # type: ignore[attr-defined]
        "page": page,
        "table": page_table(columns, with_ties(evaluation, formula, page.object_list), order),
        "filtered": query_filter.narrows,
        "caption": f"Queries by {order.column.heading}",
    }
    return render_page(request, TEMPLATE, context)


def visible_run(request: MemberRequest, judgment_list: JudgmentList, pk: int) -> Run:
    """The run, with `lists`: key and name of every list that it can be scored against."""
    lists = JudgmentList.objects.filter(query_set=OuterRef("query_set")).order_by("name")
    named = ArraySubquery(lists.values(named=JSONObject(pk="pk", name="name")))
    runs = Run.objects.visible_to(request.user).select_related("uploaded_by").annotate(lists=named)
    return get_object_or_404(runs, pk=pk, query_set=judgment_list.query_set_id)


def current_measures(
    judgment_list: JudgmentList, run: Run, form: FormulaForm, now: State
) -> list[RunMeasure]:
    """The further measures for the current grades. One query where nothing has changed.

    A measure that these grades don't allow becomes an error of the form. Raises BeingScoredError.
    """
    measures = stored_measures(judgment_list, run, form.measures, now.frozen)
    if measures is not None and all(one.evaluation.revision == now.revision for one in measures):
        return measures
    bring_form_up_to_date(judgment_list, [run], form, now.frozen)
    if form.errors:
        return []
    return stored_measures(judgment_list, run, form.measures, now.frozen) or []


def current_evaluation(judgment_list: JudgmentList, run: Run, formula: Formula, now: State) -> Evaluation:
    """The evaluation, right for the grades as they are now. One query where nothing has changed. Raises BeingScoredError."""
    rows = Evaluation.objects.filter(judgment_list=judgment_list, version=now.frozen, run=run)
    rows = rows.filter(formula=formula.key)
    evaluation = rows.first()
    if evaluation is None or {evaluation.revision, evaluation.further_revision} != {now.revision}:
        score_or_ask(ScoringRequest(judgment_list, [run], formula, version=now.frozen, every_average=True))
        evaluation = rows.get()
    evaluation.run, evaluation.judgment_list, evaluation.version = run, judgment_list, now.frozen
    return evaluation
