"""A comparison of two runs, query by query: the table with its charts, and one query's two rankings side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from evaluation.base.errors import TooManyError
from evaluation.comparisons.actions.comparing import Question
from evaluation.comparisons.actions.comparing_errors import NothingToCompareError
from evaluation.comparisons.actions.comparing_queries import compare_queries
from evaluation.comparisons.actions.intents import save_intent
from evaluation.comparisons.forms.intents import IntentNameForm
from evaluation.comparisons.forms.listed_queries import ComparedQueryForm, orders, read_sort
from evaluation.comparisons.forms.run_choice import INTENT, ON, RUN, choices_on, missing_measure
from evaluation.comparisons.reports.intents import IntentQueries, read_intents
from evaluation.comparisons.reports.query_files import (
    ListedQueries,
    compared_queries_csv,
    compared_queries_json,
)
from evaluation.comparisons.reports.query_rows import (
    QueryRow,
    compared_columns,
    filtered_places,
    plot_places,
    points,
    queries_at,
    query_rows,
)
from evaluation.comparisons.reports.query_table import QueryTable
from evaluation.comparisons.reports.two_rankings import TwoRankings, two_rankings
from evaluation.comparisons.views.comparison_request import (
    ComparisonRequest,
    comparison_address,
    formula_refused,
    not_compared,
    read_request_or_refuse,
    to_comparison,
)
from evaluation.explain.reports.drill_down import DrillDown
from evaluation.models import Evaluation, Ranking, Run
from evaluation.scores.reports.state import State, list_state
from evaluation.scores.views.scored_page import list_context
from judgments.base.names import NameTakenError
from judgments.models import Query
from judgments.pages.http import (
    MemberRequest,
    csv_response,
    images_allowed,
    json_response,
    parameters_without,
)
from judgments.pages.trails import list_trail
from touchstone_core.comparison.comparison import DCG
from touchstone_core.comparison.verdict import WITH_BOUNDS, ideal_of_bounds, measure_text
from touchstone_core.formats.columns import Column, Order, page_table
from touchstone_core.metrics.direction import ranks_runs
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.types import Ints
from touchstone_core.words import counted

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class Pair:
    """What the address asks for: a comparison, and which of its runs stands beside the baseline."""

    comparison: ComparisonRequest
    candidate: Run
    table: QueryTable
    evaluation: Evaluation

    @property
    def baseline(self) -> Run:
        return self.question.runs[0]

    @property
    def question(self) -> Question:
        return self.comparison.question

    def columns(self, intent_queries: IntentQueries | None = None) -> list[Column[QueryRow]]:
        """Of the table of queries; whether one is intended is known where an intent is `named`."""
        on, bounds = self.comparison.heading, self.table.judged
        shares = self.question.on != DCG
        runs = (self.baseline, self.candidate)
        return list(
            compared_columns(
                *runs,
                on,
                ideal=self.ideal,
                bounds=bounds,
                shares=shares,
                intent_queries=intent_queries,
            )
        )

    @property
    def ideal(self) -> str:
        """The ideal whose NDCG the bounds are of."""
        return ideal_of_bounds(self.question.on)

    @property
    def ranks(self) -> bool:
        """Whether more is better."""
        return ranks_runs(self.question.on)


@require_http_methods(["GET", "HEAD", "POST"])
def compared_queries(request: MemberRequest, pk: int) -> HttpResponseBase:
    """The queries of a comparison, worst first, with two charts of them; `format=csv` and `format=json` give all that are
    listed as files. By POST those that are listed become an intent."""
    pair = _read(request, pk)
    if isinstance(pair, HttpResponse):
        return pair
    query_filter, sort = query_filter_of(request, pair)
    valid = query_filter.is_valid()
    places = places_in_order(pair, query_filter, sort)
    naming = IntentNameForm(request.POST if request.method == "POST" else None)
    if valid and naming.is_valid() and (response := _name(request, pair, places, naming)):
        return response
    if valid and request.GET.get("format") in ("csv", "json"):
        return _file(request, pair, places)
    page = Paginator(places, PER_PAGE).get_page(request.GET.get("page"))
    chart_places, rows = plot_places(pair.table, places), [int(place) for place in page.object_list]
    queries = queries_at(pair.table, [*chart_places.tolist(), *rows])
    order = Order(Column(key=sort.removeprefix("-")), sort.startswith("-"))
    context = _context(request, pair, ("Queries", "")) | {
        "filter": query_filter,
        "filtered": valid and query_filter.narrows,
        "kept_choice": _other_parameters(request, pair, "q", "show", "tag", "among", "page"),
        "naming": naming,
        "orders": orders(bounds=pair.table.judged, ranks=pair.ranks),
        "sort": sort,
        "page": page,
        "listed": page_table(pair.columns(), query_rows(pair.table, rows, queries), order),
        "chart": {
            "baseline": pair.baseline.name,
            "candidate": pair.candidate.name,
            "measure": pair.comparison.heading,
            "ranks": pair.ranks,
            "points": points(pair.table, chart_places, queries),
        },
        "address": reverse("compared-query", args=[pk, 0]),
        "total": len(pair.table.queries),
    }
    status = 200 if valid and not naming.errors else 422
    return render(request, "evaluation/comparisons/compared_queries.html", context, status=status)


def _name(request: MemberRequest, pair: Pair, places: Ints, naming: IntentNameForm) -> HttpResponse | None:
    """To the comparison by the queries at these places; None where the form says what is wrong."""
    of = pair.comparison.judgment_list
    if not places.size:
        naming.add_error("name", "No query is listed, so that there is nothing to name.")
        return None
    try:
        intent = save_intent(
            query_set=of.query_set,
            name=naming.cleaned_data["name"],
            queries=pair.table.queries[places].tolist(),
            user=request.user,
            at=timezone.now(),
        )
    except (NameTakenError, TooManyError) as error:
        naming.add_error("name", str(error))
        return None
    messages.success(request, f"{counted(len(places), 'query is', 'queries are')} named “{intent}”.")
    return to_comparison(request, of.pk, **{INTENT: str(intent.pk)})


def _file(request: MemberRequest, pair: Pair, places: Ints) -> HttpResponseBase:
    """Of the queries at these places."""
    if request.GET["format"] == "json":
        return json_response(listed_queries_json(request, pair, places))
    of = pair.comparison.judgment_list
    content = compared_queries_csv(_listed(request, pair, places), state_of(pair))
    return csv_response(content, of, pair.candidate, "queries")


def listed_queries_json(request: MemberRequest, pair: Pair, places: Ints) -> dict[str, Any]:
    """The queries at these places, with what they were made from."""
    return compared_queries_json(
        _listed(request, pair, places), state_of(pair), held_out=pair.question.confirming
    )


def _listed(request: MemberRequest, pair: Pair, places: Ints) -> ListedQueries:
    question, of = pair.question, pair.comparison.judgment_list
    intent_queries = None
    if text := request.GET.get(INTENT):
        intent_queries = read_intents(of.query_set_id, text).current
    at: list[int] = places.tolist()
    return ListedQueries(
        rows=query_rows(pair.table, at, queries_at(pair.table, at)),
        columns=pair.columns(intent_queries),
        compared=len(pair.table.queries),
        baseline=pair.baseline,
        candidate=pair.candidate,
        intent_queries=intent_queries,
        formula=question.formula.key,
        measure=measure_text(question.formula, question.on),
    )


def state_of(pair: Pair) -> State:
    return list_state(pair.comparison.judgment_list, pair.question.version).of(pair.evaluation)


@require_safe
def compared_query(request: MemberRequest, pk: int, query_pk: int) -> HttpResponse:
    """One query: the pages of both runs with what moved, and what explains each gap."""
    pair = _read(request, pk)
    if isinstance(pair, HttpResponse):
        return pair
    query, rankings = query_and_rankings(pair, query_pk)
    query_filter, sort = query_filter_of(request, pair)
    query_filter.is_valid()
    walk = pair.table.queries[places_in_order(pair, query_filter, sort)]
    position = np.flatnonzero(walk == query.pk)
    at = int(position[0]) if position.size else None
    row = row_of(pair, query)
    table_page = reverse("compared-queries", args=[pk]) + f"?{request.GET.urlencode()}"
    context = _context(request, pair, ("Queries", table_page), (query.text or query.external_id, "")) | {
        "query": query,
        "two": None if is_closed(pair, query) else rankings_beside(pair, query, rankings, row),
        "row": row,
        "shown": {column.key: column.shown(row) for column in pair.columns()} if row else {},
        "bounded": pair.question.on in WITH_BOUNDS,
        "kept_choice": _other_parameters(request, pair, "page"),
        "at": None if at is None else at + 1,
        "walked": len(walk),
        "before": int(walk[at - 1]) if at else None,
        "after": int(walk[at + 1]) if at is not None and at + 1 < len(walk) else None,
    }
    response = render(request, "evaluation/comparisons/compared_query.html", context)
    return images_allowed(request, pair.comparison.judgment_list.query_set, response)


def query_and_rankings(pair: Pair, query_pk: int) -> tuple[Query, dict[int, Ranking]]:
    """The query, and how the runs rank it, by run. Raises Http404 for a query of another query set."""
    query_set = pair.comparison.judgment_list.query_set_id
    rankings = Ranking.objects.filter(
        query_set=query_set, query=query_pk, run__in=[pair.baseline, pair.candidate]
    )
    by_run = {one.run_id: one for one in rankings.select_related("query")}
    query = next((one.query for one in by_run.values()), None)
    return query or get_object_or_404(Query, pk=query_pk, query_set=query_set), by_run


def row_of(pair: Pair, query: Query) -> QueryRow | None:
    """The query in the table of the comparison; None if the runs aren't compared on it."""
    places = np.flatnonzero(pair.table.queries == query.pk).tolist()
    return next(iter(query_rows(pair.table, places, {query.pk: query})), None)


def is_closed(pair: Pair, query: Query) -> bool:
    """Whether it is held out, and not looked at among those that somebody opened."""
    held_out = pair.question.settings.held_out
    return bool(held_out) and held_out in query.tags and not pair.question.confirming


def rankings_beside(
    pair: Pair, query: Query, rankings: Mapping[int, Ranking], row: QueryRow | None
) -> TwoRankings:
    """Where a query is in the comparison (`row`), the further measures have values, or there would be no comparison."""
    of, formula, version = (
        pair.comparison.judgment_list,
        pair.question.formula,
        pair.comparison.versions.chosen,
    )
    baseline = DrillDown(of, pair.baseline, query, formula, version, rankings=rankings)
    candidate = DrillDown(of, pair.candidate, query, formula, version, beside=baseline, rankings=rankings)
    return two_rankings(baseline, candidate, pair.question.measures if row else ())


def _read(request: MemberRequest, pk: int) -> Pair | HttpResponse:
    """What is asked for; to the page of the comparison, which says what is wrong, where there is none."""
    comparison = read_request_or_refuse(request, pk)
    if isinstance(comparison, HttpResponse):
        return comparison
    candidate = candidate_of(request, comparison.question.runs)
    try:
        queries = compare_queries(
            question=comparison.question, candidate=candidate, user=request.user, at=timezone.now()
        )
    except NothingToCompareError as error:
        return not_compared(request, pk, error)
    except MetricsError as error:
        comparison.form.add_error("measures", str(error))
        return formula_refused(request, comparison.judgment_list, comparison.versions, comparison.form)
    return Pair(comparison, candidate, queries.table, queries.evaluation)


def candidate_of(request: MemberRequest, runs: tuple[Run, ...]) -> Run:
    """`run=5`, one of the runs that is not the baseline; the first of them where nothing is said."""
    key = request.GET.get(RUN) or str(runs[1].pk)
    candidate = next((run for run in runs[1:] if str(run.pk) == key), None)
    if candidate is None:
        raise Http404
    return candidate


def query_filter_of(request: MemberRequest, pair: Pair) -> tuple[ComparedQueryForm, str]:
    sort = read_sort(request.GET.get("sort", ""))
    return ComparedQueryForm(request.GET, bounds=pair.table.judged, ranks=pair.ranks), sort


def _other_parameters(request: MemberRequest, pair: Pair, *others: str) -> dict[str, str]:
    """What the address says beside run, measure and `others`, which a form of the page asks for."""
    return parameters_without(request, *others, ON, *([RUN] if len(pair.question.runs) > 2 else []))


def places_in_order(pair: Pair, query_filter: ComparedQueryForm, sort: str) -> Ints:
    """Nothing where the filter is none."""
    if not query_filter.is_valid():
        return np.zeros(0, dtype=np.int64)
    return filtered_places(
        pair.table, pair.comparison.judgment_list.query_set_id, query_filter.cleaned_data, sort
    )


def _context(request: MemberRequest, pair: Pair, *steps: tuple[str, str]) -> dict[str, Any]:
    back = comparison_address(request, pair.comparison.judgment_list.pk)
    return list_context(
        request,
        pair.comparison.judgment_list,
        pair.comparison.form,
        pair.comparison.versions,
        trail=list_trail(pair.comparison.judgment_list, ("Compare", back), *steps),
        tab="compare",
        comparison_page=back,
        baseline=pair.baseline,
        candidate=pair.candidate,
        candidates=pair.question.runs[1:],
        heading=pair.comparison.heading,
        missing_measure=missing_measure(request.GET, pair.question.measures),
        ranks=pair.ranks,
        on=pair.question.on,
        ideal=pair.ideal,
        choices_on=choices_on(pair.question.formula.cutoff, pair.question.measures),
        whole_page=True,
        confirming=pair.question.confirming,
        table=pair.table,
    )
