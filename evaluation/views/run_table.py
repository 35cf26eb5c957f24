"""The runs of a query set against one judgment list."""

from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from evaluation.actions.scores import bring_up_to_date
from evaluation.models import Run
from evaluation.reports import run_table as report
from evaluation.reports.values import LOSS_WORDS
from evaluation.views.scored_page import (
    canonical,
    csv_response,
    list_context,
    list_trail,
    read_formula,
    render_page,
    visible_list,
)
from judgments.views.http import MemberRequest

PER_PAGE = 50
TEMPLATE = "evaluation/run_table.html"


@require_safe
def run_table(request: MemberRequest, pk: int) -> HttpResponse | StreamingHttpResponse:
    """All runs side by side under the formula of the URL; a bad formula shows its message and no numbers."""
    judgment_list = visible_list(request, pk)
    form = read_formula(request, judgment_list)
    context = list_context(request, judgment_list, form, trail=list_trail(judgment_list))
    if not form.is_valid():
        return render_page(request, TEMPLATE, context, status=422)
    if moved := canonical(request, form):
        return moved
    formula = form.formula
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).only("pk"))
    bring_up_to_date(judgment_list=judgment_list, runs=runs, formula=formula)
    columns = report.run_columns(formula)
    order = report.run_order(request.GET.get("sort", ""), columns)
    if request.GET.get("format") == "csv":
        rows = report.run_table_csv(judgment_list, formula, order)
        return csv_response(rows, judgment_list.name, "runs", formula.key)
    found = report.evaluations(judgment_list, formula)
    page = Paginator(report.ordered(found, order), PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    context |= {
        "page": page,
        "rows": report.run_rows(shown, report.best_values(found)),
        "headings": order.headings(report.shown_columns(columns, shown)),
        "judged_queries": shown[0].judged_queries if shown else 0,
        "loss_words": LOSS_WORDS,
        "sorted_by": order.column.label,
    }
    return render_page(request, TEMPLATE, context)
