"""What changed between the runs of a query set, before anybody judges."""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evaluation.comparisons.forms.run_choice import (
    BASELINE,
    INTENT,
    RUN,
    RUNS,
    RunChoice,
    read_runs,
    runs_to_compare_at_once,
    sent_choice,
    usual_baseline,
)
from evaluation.comparisons.reports.intents import read_intents
from evaluation.formulas.reports import CUTOFFS
from evaluation.impact.forms import ImpactForm
from evaluation.impact.reports import (
    Impacts,
    TooManyPagesError,
    impact_columns,
    impact_csv,
    impact_intent,
    impact_json,
    impact_rows,
    impacts,
    lists_with,
    missing_answers,
    part_rows,
    part_tables,
    queries_at,
    query_impacts,
    run_columns,
)
from evaluation.models import Run
from judgments.content.reports.query_sets import role_in
from judgments.models import QuerySet
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import MemberRequest, csv_response, json_response, parameters_without
from judgments.pages.trails import query_set_page
from touchstone_core.formats.columns import page_table

PER_PAGE = 100
CUTOFF = "cutoff"
OF_THE_CHOICE = (CUTOFF, INTENT)


@require_safe
def impact(request: MemberRequest, pk: int) -> HttpResponseBase:
    """Two to twenty runs by their pages; without runs in the address, the choice of them. `format=csv` and `format=json`
    give every query of one run as files."""
    query_set = staffed_query_set(request, pk)
    if BASELINE in request.GET or (RUN in request.GET and RUNS not in request.GET):
        return _redirect_to_runs(request)
    runs = list(Run.objects.filter(query_set=query_set).order_by("name"))
    choice, form = read_runs(request.GET, runs), ImpactForm(request.GET)
    valid = form.is_valid()
    if valid and (two_runs := runs_to_compare_at_once(request.GET, runs)):
        return HttpResponseRedirect(f"{request.path}?{urlencode({RUNS: two_runs} | request.GET.dict())}")
    result, problem = None, ""
    if choice.ready and valid:
        try:
            result = impacts(query_set, choice.runs, form.cleaned_data[CUTOFF])
        except TooManyPagesError as error:
            problem = str(error)
    if result is not None and request.GET.get("format") in ("csv", "json"):
        return _file(request, query_set, result)
    context: dict[str, Any] = query_set_page(
        query_set,
        role_in(query_set, request.user),
        "runs",
        ("Runs", reverse("query-set-runs", args=[query_set.pk])),
        "What changed",
    ) | {
        "runs": runs,
        "choice": choice,
        "usual_baseline": usual_baseline(runs),
        "form": form,
        "problem": choice.problem or problem,
        "cutoffs": CUTOFFS,
        "kept_formula": _other_parameters(request) if valid else {},
    }
    if result is not None:
        context |= _answer(request, query_set, choice, result)
    status = 422 if choice.problem or problem or (choice.ready and not valid) else 200
    return render(request, "evaluation/impact/impact.html", context, status=status)


def _redirect_to_runs(request: MemberRequest) -> HttpResponse:
    """The address of what the form of choice sent."""
    parameters = {RUNS: sent_choice(request.GET) or ""} | _other_parameters(request)
    return HttpResponseRedirect(f"{request.path}?{urlencode(parameters)}")


def _other_parameters(request: MemberRequest) -> dict[str, str]:
    """What an address says beside the runs."""
    return {name: request.GET[name] for name in OF_THE_CHOICE if request.GET.get(name)}


def _answer(
    request: MemberRequest, query_set: QuerySet, choice: RunChoice, result: Impacts
) -> dict[str, Any]:
    place = place_of_run(request, result)
    page = Paginator(result.order(place), PER_PAGE).get_page(request.GET.get("page"))
    places = [int(at) for at in page.object_list]
    queries = queries_at(result, places)
    lists = lists_with(request.user, query_set, list(queries))
    intents = read_intents(query_set, request.GET.get(INTENT))
    rows = impact_rows(result)
    return {
        "intents": intents,
        "intent_kept": parameters_without(request, INTENT, "page"),
        "intent": impact_intent(intents.current, result) if intents.current else None,
        "impacts": result,
        "rows": rows,
        "changed": page_table(run_columns(len(result.queries)), rows),
        "missing": missing_answers(result),
        "part_tables": part_tables(part_rows(result)),
        "candidate": choice.runs[place],
        "page": page,
        "listed": page_table(impact_columns(), query_impacts(result, place, places, queries, lists)),
    }


def place_of_run(request: MemberRequest, result: Impacts) -> int:
    """`run=5`, one of the runs that is not the baseline; the first of them where nothing is said."""
    key = request.GET.get(RUN) or str(result.runs[1].pk)
    place = next((place for place, run in enumerate(result.runs) if place and str(run.pk) == key), None)
    if place is None:
        raise Http404
    return place


def _file(request: MemberRequest, query_set: QuerySet, result: Impacts) -> HttpResponseBase:
    place = place_of_run(request, result)
    queries = queries_at(result, range(len(result.queries)))
    intent_queries = read_intents(query_set, request.GET.get(INTENT)).current
    if request.GET["format"] == "csv":
        return csv_response(
            impact_csv(result, place, queries, intent_queries), query_set, result.runs[place], "impact"
        )
    return json_response(impact_json(query_set, result, place, queries, intent_queries))
