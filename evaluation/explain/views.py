"""One query of a run, figure by figure."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.explain.reports.drill_down import DrillDown, neighbors
from evaluation.explain.reports.drill_down_files import drill_down_csv, drill_down_json
from evaluation.formulas.forms import FormulaForm
from evaluation.scores.reports.state import list_state
from evaluation.scores.views.run import visible_run
from evaluation.scores.views.scored_page import canonical, list_context, read_address, render_page, runs_trail
from judgments.models import JudgmentList, Query, Version
from judgments.pages.http import MemberRequest, csv_response, images_allowed, json_response
from touchstone_core.comparison.values import Value
from touchstone_core.metrics.errors import MetricsError

PER_PAGE = 100
FIRST = 10
"""So many results are shown at once; the others are folded."""
MOST_PER_PAGE = 1000
TEMPLATE = "evaluation/explain/drill_down.html"


@require_safe
def run_query(
    request: MemberRequest, list_pk: int, pk: int, query_pk: int
) -> HttpResponse | StreamingHttpResponse:
    """The ranking with every grade, gain, discount and contribution, and the four ideal lists beside it."""
    judgment_list, versions, form = read_address(request, list_pk)
    run = visible_run(request, judgment_list, pk)
    query = get_object_or_404(Query, pk=query_pk, query_set=judgment_list.query_set_id)
    figures: dict[str, Any] = {}
    if form.is_valid():
        if redirect := canonical(request, form):
            return redirect
        state = list_state(judgment_list, versions.chosen)
        drill_down = DrillDown(judgment_list, run, query, form.formula, versions.chosen)
        further = further_values(drill_down, form)
        if form.is_valid() and request.GET.get("format") == "csv":
            lines = drill_down_csv(drill_down, state)
            return csv_response(lines, judgment_list.name, run.name, query.external_id)
        if form.is_valid() and request.GET.get("format") == "json":
            return json_response(drill_down_json(drill_down, further, state))
        figures = _figures(request, judgment_list, drill_down, versions.chosen) | {
            "further": further,
            "state": state,
        }
    run_page = (run.name, reverse("run", args=[judgment_list.pk, run.pk]))
    trail = runs_trail(judgment_list, run_page, (query.text or query.external_id, ""))
    context = list_context(request, judgment_list, form, versions, run=run, query=query, trail=trail)
    if not form.is_valid():
        return render_page(request, TEMPLATE, context, status=422)
    response = render_page(request, TEMPLATE, context | figures)
    return images_allowed(request, judgment_list.query_set, response)


def further_values(drill_down: DrillDown, form: FormulaForm) -> dict[str, Value]:
    """Values of the further measures. A measure that these grades don't allow becomes an error of the form."""
    if not drill_down.judged:
        return {}
    try:
        return drill_down.further(form.measures)
    except MetricsError as error:
        form.add_error("measures", str(error))
        return {}


def _figures(
    request: MemberRequest, judgment_list: JudgmentList, drill_down: DrillDown, version: Version | None
) -> dict[str, Any]:
    per_page = min(max(PER_PAGE, drill_down.formula.cutoff), MOST_PER_PAGE)
    page = Paginator(drill_down.documents, per_page).get_page(request.GET.get("page"))
    rows = drill_down.page(page.start_index() or 1, page.end_index())
    before, after = neighbors(judgment_list, drill_down.query, version)
    return {
        "drill_down": drill_down,
        "worked": drill_down.worked,
        "page": page,
        "first": [row for row in rows if row.worked.rank <= FIRST],
        "rest": [row for row in rows if row.worked.rank > FIRST],
        "ideals": drill_down.ideals(),
        "ladder": drill_down.ladder,
        "before": before,
        "after": after,
    }
