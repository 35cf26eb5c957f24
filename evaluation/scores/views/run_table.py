"""The runs of a query set against one judgment list."""

from collections.abc import Iterable
from operator import attrgetter

from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpResponse, JsonResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from evaluation.base.reports.columns import ordered
from evaluation.formulas.forms.formula import FormulaForm
from evaluation.models import Evaluation, Run
from evaluation.scores.actions.measures import bring_measures_up_to_date
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.reports import run_table as report
from evaluation.scores.reports.averages import WORDS
from evaluation.scores.reports.left_out import words_of_table
from evaluation.scores.reports.run_table_files import run_table_csv, run_table_json
from evaluation.scores.reports.state import State, list_state
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
from judgments.models import JudgmentList, Version
from judgments.pages.http import MemberRequest
from touchstone_core.comparison.values import LOSS_WORDS
from touchstone_core.formats.columns import page_table, read_order
from touchstone_core.metrics.errors import MetricsError

PER_PAGE = 50
TEMPLATE = "evaluation/scores/run_table.html"


@require_safe
def run_table(request: MemberRequest, pk: int) -> HttpResponse | StreamingHttpResponse:
    """All runs side by side under the formula of the URL; a bad formula shows its message and no numbers."""
    judgment_list = visible_list(request, pk)
    versions = read_versions(request, judgment_list)
    version = versions.chosen
    form = read_formula(request, judgment_list, version)
    if form.is_valid():
        if redirect := canonical(request, form):
            return redirect
        _bring_up_to_date(judgment_list, form, version)
    trail = list_trail(judgment_list)
    context = list_context(request, judgment_list, form, versions, trail=trail, has_average=True)
    if not form.is_valid():
        return render_page(request, TEMPLATE, context, status=422)
    choice = report.TableChoice(form.formula, form.measures, form.average)
    columns = report.run_columns(choice)
    order = read_order(request.GET.get("sort", ""), columns, "-global")
    evaluations = report.evaluations(judgment_list, choice, version)
    rows = ordered(evaluations, order, "run__name", "pk")
    if request.GET.get("format") == "json":
        every = list(rows)
        values = run_table_json(every, choice, _state(judgment_list, version, every))
        return JsonResponse(values, json_dumps_params={"indent": 1})
    if request.GET.get("format") == "csv":
        state = _state(
            judgment_list, version, evaluations.order_by(F("computed_at").desc(nulls_last=True))[:1]
        )
        name = judgment_list.name, *([version] if version else []), "runs", choice.formula.key
        return csv_response(run_table_csv(rows.iterator(), choice, state), *name)
    count, best = report.count_and_best(judgment_list, choice, version)
    paginator = Paginator(rows, PER_PAGE)
    paginator.count = count
    page = paginator.get_page(request.GET.get("page"))
    on_page = list(page.object_list)
    columns = report.run_columns(choice, best)
    context |= {
        "page": page,
        "table": page_table(report.page_columns(columns, on_page), on_page, order),
        "judged_queries": on_page[0].judged_queries if on_page else 0,
        "counted": on_page[0].counted if on_page else 0,
        "left_out": words_of_table(on_page, choice.formula, choice.measures),
        "loss_words": LOSS_WORDS,
        "caption": f"{WORDS[choice.average]} of the runs, by {order.column.heading}",
        "average": choice.average,
        "average_words": WORDS[choice.average],
        "state": _state(judgment_list, version, on_page),
    }
    return render_page(request, TEMPLATE, context)


def _state(judgment_list: JudgmentList, version: Version | None, rows: Iterable[Evaluation]) -> State:
    """The state of the list that the rows were computed from. One query, or two without rows."""
    timed = [row for row in rows if row.computed_at is not None]
    newest = max(timed, key=attrgetter("computed_at"), default=None)
    state = list_state(judgment_list, version)
    return state.of(newest) if newest else state


def _bring_up_to_date(judgment_list: JudgmentList, form: FormulaForm, version: Version | None) -> None:
    """Scores all runs. A measure that these grades don't allow becomes an error of the form."""
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).only("pk"))
    try:
        bring_measures_up_to_date(
            judgment_list=judgment_list, runs=runs, measures=form.measures, version=version
        )
    except MetricsError as error:
        form.add_error("measures", str(error))
        return
    bring_up_to_date(judgment_list=judgment_list, runs=runs, formula=form.formula, version=version)
