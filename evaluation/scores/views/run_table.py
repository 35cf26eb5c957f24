"""The runs of a query set against one judgment list."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final
from urllib.parse import quote

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import F
from django.db.models.functions import Lower
from django.http import HttpResponse, HttpResponseRedirect, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from evaluation.base.errors import TooManyError
from evaluation.base.reports import sort_rows
from evaluation.formulas.forms import AS, DEFAULTS
from evaluation.models import Evaluation, Run, SavedView
from evaluation.scores.actions import saved_views as actions
from evaluation.scores.forms import RunFilterForm, SavedViewForm
from evaluation.scores.reports import run_table as report
from evaluation.scores.reports.run_averages import WORDS, words_of_table
from evaluation.scores.reports.run_columns import (
    SELECTED,
    TableChoice,
    choosable,
    chosen_columns,
    run_columns,
)
from evaluation.scores.reports.run_files import run_table_csv, run_table_json
from evaluation.scores.reports.run_groups import group_headings, group_rows
from evaluation.scores.reports.state import table_state
from evaluation.scores.views.scored_page import (
    bring_form_up_to_date,
    canonical,
    list_context,
    read_address,
    render_page,
    runs_trail,
    waits_for_scores,
)
from judgments.base.names import NameTakenError
from judgments.base.replica import reads_replica
from judgments.models import JudgmentList, Version
from judgments.models.access import MemberQuerySet
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import (
    MemberRequest,
    csv_response,
    json_response,
    next_path,
    parameters_without,
    redirect_to_next,
)
from touchstone_core.comparison.values import LOSS_WORDS
from touchstone_core.formats.columns import page_table, read_order
from touchstone_core.metrics.left_out import no_gain_words

PER_PAGE = 200
COLUMN = "column"
TEMPLATE = "evaluation/scores/run_table.html"


@require_safe
@waits_for_scores
@reads_replica
def run_table(request: MemberRequest, pk: int) -> HttpResponse | StreamingHttpResponse:
    """All runs side by side under the formula of the URL; a bad formula shows its message and no numbers."""
    if COLUMN in request.GET:
        return _with_columns(request)
    judgment_list, versions, form = read_address(request, pk)
    version = versions.chosen
    runs = report.runs_of(judgment_list)
    run_filter = RunFilterForm(request.GET, runs)
    if form.is_valid() and run_filter.is_valid():
        if redirect := canonical(request, form):
            return redirect
        bring_form_up_to_date(judgment_list, runs, form, version)
    trail = runs_trail(judgment_list)
    context = list_context(
        request, judgment_list, form, versions, trail=trail, has_average=True, filter=run_filter
    )
    if not (form.is_valid() and run_filter.is_valid()):
        return render_page(request, TEMPLATE, context, status=422)
    choice = TableChoice(form.formula, form.measures, form.average)
    evaluations = report.evaluations(judgment_list, choice, version)
    baseline = report.baseline_of(evaluations, runs)
    columns = run_columns(choice, baseline=baseline)
    order = read_order(request.GET.get("sort", ""), columns, "-global")
    listed = run_filter.run_filter
    rows = sort_rows(evaluations.filter(listed.condition), order, "run__name", "pk")
    if request.GET.get("format") in ("json", "csv"):
        return _file(request, judgment_list, version, choice, rows, baseline)
    chosen = request.GET.get("columns", "").split()
    if "by" in chosen:
        rows = rows.select_related("run__uploaded_by")
    count, best = report.count_and_best(judgment_list, choice, version, listed)
    page, on_page, headings = _page(request, rows, count, runs, run_filter.group_by)
    formula = form.parameters | versions.parameters
    columns = run_columns(choice, best, baseline, _comparison(judgment_list, baseline, formula))
    shown = chosen_columns(columns, on_page, chosen)
    context |= {
        "page": page,
        "table": page_table([SELECTED, *shown], on_page, order, headings),
        "choosable": [(key, column, column in shown) for key, column in choosable(columns)],
        "has_runs": bool(runs),
        "runs": sorted(runs, key=attrgetter("name")),
        "baseline": baseline and baseline.run,
        "filtered": any(listed),
        "judged_queries": on_page[0].judged_queries if on_page else 0,
        "group_by": run_filter.group_by,
        "no_gain": no_gain_words(choice.formula.zero_ndcg)
        if all(row.is_without_gain for row in on_page)
        else "",
        "has_provisional": any(row.is_provisional for row in on_page),
        "left_out": words_of_table(on_page, choice.formula, choice.measures),
        "loss_words": LOSS_WORDS,
        "caption": f"{WORDS[choice.average]} of the runs, by {order.column.heading}",
        "average": choice.average,
        "average_words": WORDS[choice.average],
        "state": table_state(judgment_list, version, on_page),
        **_addresses(request, formula),
        **_saved_views(request, judgment_list),
    }
    return render_page(request, TEMPLATE, context)


def _file(
    request: MemberRequest,
    judgment_list: JudgmentList,
    version: Version | None,
    choice: TableChoice,
    rows: MemberQuerySet[Evaluation],
    baseline: Evaluation | None,
) -> HttpResponse | StreamingHttpResponse:
    """All rows as JSON, or one after the other as CSV."""
    if request.GET["format"] == "json":
        every = list(rows)
        state = table_state(judgment_list, version, every)
        return json_response(run_table_json(every, choice, state, baseline))
    newest = report.evaluations(judgment_list, choice, version).order_by(
        F("computed_at").desc(nulls_last=True)
    )
    state = table_state(judgment_list, version, newest[:1])
    name = judgment_list.name, *([version] if version else []), "runs", choice.formula.key
    return csv_response(run_table_csv(rows.iterator(), choice, state, baseline), *name)


def _page(
    request: MemberRequest, rows: MemberQuerySet[Evaluation], count: int, runs: Sequence[Run], group_by: str
) -> tuple[Page[Any], list[Evaluation], list[str]]:
    """The rows of the page, and the headings of their groups. One query, or two with groups."""
    number = request.GET.get("page")
    if not group_by:
        paginator = Paginator(rows, PER_PAGE)
        paginator.count = count
        page = paginator.get_page(number)
        return page, list(page.object_list), []
    by_key = {run.pk: run for run in runs}
    every = group_rows(rows.values_list("pk", "run_id"), by_key, group_by)
    group_page = Paginator(every, PER_PAGE).get_page(number)
    evaluations = rows.in_bulk([row.pk for row in group_page.object_list])
    still_there = [row for row in group_page.object_list if row.pk in evaluations]
    return group_page, [evaluations[row.pk] for row in still_there], group_headings(still_there)


def _with_columns(request: MemberRequest) -> HttpResponse:
    """The address with the columns that were ticked: `columns=global max` instead of one parameter for each."""
    others = parameters_without(request, COLUMN)
    columns = " ".join(dict.fromkeys(request.GET.getlist(COLUMN)))
    return HttpResponseRedirect(f"{request.path}?{urlencode(others | {'columns': columns})}")


def _addresses(request: MemberRequest, formula: Mapping[str, str]) -> dict[str, Any]:
    """What forms and links of the page carry along."""
    return {
        "tag_query": urlencode(parameters_without(request, "page", "tag") | {"tag": ""}),
        "formula_fields": formula,
        "kept_by_filter": parameters_without(request, "page", "q", "tag", "group"),
        "kept_by_columns": parameters_without(request, "page", "columns"),
    }


def _comparison(
    judgment_list: JudgmentList, baseline: Evaluation | None, formula: Mapping[str, str]
) -> Callable[[int, str], str]:
    """The address of the comparison of a run with the baseline by a measure. Only its end differs: there are 200 of each."""
    start = f"{reverse('comparison', args=[judgment_list.pk])}?runs={baseline.run_id if baseline else ''}-"
    end = f"&{urlencode(formula)}&on=" if formula else "&on="
    return lambda run_id, measure: f"{start}{run_id}{end}{quote(measure, safe='')}"


def _saved_views(request: MemberRequest, judgment_list: JudgmentList) -> dict[str, Any]:
    """The saved views of the query set, and the query string that this page would be saved with. One query."""
    query = view_query(request.GET)
    views = list(SavedView.objects.filter(query_set=judgment_list.query_set_id).order_by(Lower("name")))
    current = next((view for view in views if view.query == query), None)
    return {"saved_views": views, "current_view": current, "view_query": query}


PARAMETERS: Final = (*DEFAULTS, AS, "q", "tag", "group", "columns", "sort")
"""What a view consists of. The version isn't part of it, because it belongs to one list."""


def view_query(parameters: Mapping[str, str]) -> str:
    """The query string of a view: what these parameters say about the table, in one order."""
    return urlencode({name: parameters[name] for name in PARAMETERS if parameters.get(name)})


@require_POST
def save(request: MemberRequest, pk: int) -> HttpResponse:
    """Saves the view that the form names, and returns to the table."""
    query_set = staffed_query_set(request, pk)
    form = SavedViewForm(request.POST)
    if form.is_valid():
        query = view_query(QueryDict(form.cleaned_data["query"]))
        try:
            view = actions.save_view(
                query_set=query_set, name=form.cleaned_data["name"], query=query, user=request.user
            )
        except (NameTakenError, TooManyError) as error:
            messages.error(request, f"Not saved. {error}")
        else:
            messages.success(request, f"View saved as “{view}”.")
    else:
        problem = next(iter(form.errors.values()))[0]
        messages.error(request, f"Not saved. {problem}")
    return redirect_to_next(request, reverse("query-set-runs", args=[query_set.pk]))


@require_POST
def delete(request: MemberRequest, pk: int) -> HttpResponse:
    view = get_object_or_404(SavedView.objects.visible_to(request.user), pk=pk)
    actions.delete_view(view=view)
    messages.success(request, f"View “{view}” deleted. Links to it keep working.")
    return HttpResponseRedirect(next_path(request, reverse("query-set-runs", args=[view.query_set_id])))
