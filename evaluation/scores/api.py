"""Scores of runs under a list: the table, one run, its queries, and what to fix first. The same figures as in files."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.shortcuts import get_object_or_404
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from evaluation.formulas.forms import FormulaForm
from evaluation.models import Evaluation, SavedView
from evaluation.scores.actions import saved_views
from evaluation.scores.forms import SavedViewForm, TrendForm
from evaluation.scores.reports import run_page
from evaluation.scores.reports import run_table as report
from evaluation.scores.reports import trend as trend_report
from evaluation.scores.reports.fix_first import fix_first
from evaluation.scores.reports.pages import read_pages
from evaluation.scores.reports.run_averages import run_averages
from evaluation.scores.reports.run_bounds import run_bounds
from evaluation.scores.reports.run_columns import TableChoice
from evaluation.scores.reports.run_files import run_json, run_table_json
from evaluation.scores.reports.run_page import RunMeasure
from evaluation.scores.reports.state import State, list_state, table_state
from evaluation.scores.reports.ties import with_ties
from evaluation.scores.views.run import current_evaluation, current_measures, visible_run
from evaluation.scores.views.run_table import view_query
from evaluation.scores.views.scored_page import Versions, bring_form_up_to_date, read_address
from judgments.models import JudgmentList
from judgments.pages.calls import (
    ApiRequest,
    Body,
    Page,
    PageQuery,
    PendingOut,
    form_data,
    page_answer,
    page_of,
    valid,
)
from judgments.pages.fetching import staffed_query_set
from judgments.pages.problems import choose_one_of, field_problem
from touchstone_core.formats.columns import json_records

router = Router()


class FormulaQuery(Schema):
    """The formula, as addresses of pages name it. Without any of these it is the query set’s default."""

    k: str | None = Field(None, description="The cutoff, such as 10.")
    gain: str | None = Field(None, description="linear, exp or table.")
    discount: str | None = Field(None, description="log2, jk, reciprocal or none.")
    base: str | None = Field(None, description="Of the discount jk.")
    depth: str | None = Field(None, description="The recall depth.")
    unjudged: str | None = Field(None, description="zero or condensed.")
    zero: str | None = Field(None, description="The value where the ideal is 0: 0, 1 or skip.")
    missing: str | None = Field(None, description="The value of missing queries: 0 or skip.")
    measures: str | None = Field(None, description="Further measures, such as “AP RR@10”.")
    average: str | None = Field(None, description="mean, median or weighted.")
    choice: str | None = Field(None, description="A preset or a saved formula, instead of all others.")
    as_: str | None = Field(
        None, alias="as", description="Which of several names of the same formula is meant."
    )
    version: str | None = Field(
        None, description="A version of the list, such as 3; without it the list as it is now."
    )


class ScoredAnswer(Schema):
    """`list` names the state that the values were computed from, and `formula` how."""

    list: dict[str, Any]
    formula: dict[str, Any]


class RunTableOut(ScoredAnswer):
    average: str
    measures: list[str]
    baseline: str | None
    runs: list[dict[str, Any]]
    next: str | None


class BoundsOut(Schema):
    """Between which values the means lie, by ideal, whatever grades are missing and whatever else may exist."""

    low: dict[str, float | None]
    high: dict[str, float | None]


class ContentLossOut(Schema):
    """DCG points lost because too few documents are judged, and because of low grades; `queries` have too few."""

    too_few: float
    low_grades: float
    queries: int


class SpreadOut(Schema):
    """How many queries have an NDCG-global in each tenth, exactly 0 or 1, and how many are 0 because nothing on their page is judged."""

    bars: dict[str, int]
    zero: int
    one: int
    unknown: int


class RunScoresOut(ScoredAnswer):
    """The head of the JSON file of a run’s page.

    `coverage` is the share of the pages’ weight that is judged. Below 0.95 the means are provisional. `content_loss` says how
    many of the DCG points of `content` are lost because queries have fewer judged documents than the cutoff. `kept` is what each
    step leaves of the ideal before it; multiplied, the four are DCG / IDCG-max.
    """

    run: dict[str, Any]
    measures: list[str]
    counts: dict[str, Any]
    coverage: float | None
    averages: dict[str, Any]
    short_pages: Any
    spread: SpreadOut | None
    bounds: BoundsOut | None
    weights: Any
    dcg_points: dict[str, Any]
    kept: dict[str, float | None]
    content_loss: ContentLossOut
    tags: list[dict[str, Any]]


class QueryScoresOut(ScoredAnswer):
    queries: list[dict[str, Any]]
    next: str | None


class FixOut(Schema):
    query_id: str
    query: str
    cause: str
    value: float | None
    values: dict[str, Any]


class FixesOut(ScoredAnswer):
    fixes: list[FixOut]


class TrendQuery(FormulaQuery):
    tag: str = Field("", max_length=60, description="Only runs with this tag.")
    on: str | None = Field(None, description="An ideal, dcg, or one of the measures.")
    limit: int = Field(60, ge=1, le=500, description="The newest so many runs.")


class TrendOut(ScoredAnswer):
    """The oldest first. `changes` are what happened to the list meanwhile."""

    measure: str
    average: str
    runs: list[dict[str, Any]]
    changes: list[dict[str, str]]


class ViewIn(Body):
    name: str
    query: str = Field("", description="What stands behind the ? of the run table’s address.")


class ViewOut(Schema):
    id: int
    name: str
    query: str
    created_at: datetime


@router.get(
    "lists/{int:list_pk}/runs", response={200: RunTableOut, 202: PendingOut}, summary="Score all runs"
)
def run_table(
    request: ApiRequest, list_pk: int, page: InQuery[PageQuery], formula: InQuery[FormulaQuery]
) -> dict[str, Any]:
    """The run table: a row for each run, with the four NDCGs, DCG, losses, and further measures.

    `coverage` is the share of the pages’ weight that is judged. Below 0.95 the values are provisional.
    """
    judgment_list, versions, form = read_list(request, list_pk)
    runs, version = report.runs_of(judgment_list), versions.chosen
    bring_form_up_to_date(judgment_list, runs, form, version)
    valid(form)
    choice = TableChoice(form.formula, form.measures, form.average)
    evaluations = report.evaluations(judgment_list, choice, version)
    baseline = report.baseline_of(evaluations, runs)
    rows, following = page_of(request, evaluations, page, key="run_id")
    state = table_state(judgment_list, version, rows)
    return run_table_json(rows, choice, state, baseline) | {"next": following}


@router.get(
    "lists/{int:list_pk}/runs/{int:pk}", response={200: RunScoresOut, 202: PendingOut}, summary="Score a run"
)
def run_scores(request: ApiRequest, list_pk: int, pk: int, formula: InQuery[FormulaQuery]) -> dict[str, Any]:
    """Averages over all judged queries, by tag, and what they leave out."""
    form, evaluation, measures, state = _scored(request, list_pk, pk)
    averages = run_averages(evaluation, form.formula, measures)
    pages = read_pages(evaluation, form.formula)
    bounds = run_bounds(evaluation, form.formula)
    figures = run_json(evaluation, form.formula, measures, averages, [], state, *pages, bounds)
    return {name: value for name, value in figures.items() if name != "queries"}


@router.get(
    "lists/{int:list_pk}/runs/{int:pk}/queries",
    response={200: QueryScoresOut, 202: PendingOut},
    summary="Score each query of a run",
)
def query_scores(
    request: ApiRequest, list_pk: int, pk: int, page: InQuery[PageQuery], formula: InQuery[FormulaQuery]
) -> dict[str, Any]:
    form, evaluation, measures, state = _scored(request, list_pk, pk)
    scores = run_page.scores(evaluation, form.formula, measures)
    rows, following = page_of(request, scores, page, key="query_id")
    columns = run_page.score_columns(form.formula, measures)
    queries = list(json_records(columns, with_ties(evaluation, form.formula, rows)))
    return _named(form, state) | {"queries": queries, "next": following}


@router.get(
    "lists/{int:list_pk}/runs/{int:pk}/fix-first",
    response={200: FixesOut, 202: PendingOut},
    summary="What to fix first in a run",
)
def fixes(request: ApiRequest, list_pk: int, pk: int, formula: InQuery[FormulaQuery]) -> dict[str, Any]:
    """The queries on which order, depth and recall lose most, weighted by traffic, each with its main cause."""
    form, evaluation, measures, state = _scored(request, list_pk, pk)
    _, found = fix_first(evaluation, form.formula)
    of_fixes = run_page.scores(evaluation, form.formula, measures).filter(
        query__in=[one["query"] for one in found]
    )
    columns = run_page.score_columns(form.formula, measures)
    records = {one["id"]: one for one in json_records(columns, with_ties(evaluation, form.formula, of_fixes))}
    return _named(form, state) | {
        "fixes": [
            {
                "query_id": one["query"].external_id,
                "query": one["query"].text,
                "cause": one["cause"],
                "value": None if one["value"] == "unknown" else float(one["value"]),
                "values": records[one["query"].external_id],
            }
            for one in found
        ]
    }


def refuse_other(request: ApiRequest, name: str, taken: str, choices: Iterable[tuple[str, str]]) -> None:
    """Raises Problem for a value that isn't among the choices. A page takes the default then, and shows which."""
    sent = request.GET.get(name)
    if sent and sent != taken:
        cure = choose_one_of(word for word, _ in choices)
        raise field_problem(name, f"“{sent}” isn’t one of the choices. {cure}")


@router.get(
    "lists/{int:list_pk}/trend", response={200: TrendOut, 202: PendingOut}, summary="Read the trend of runs"
)
def trend(request: ApiRequest, list_pk: int, query: InQuery[TrendQuery]) -> dict[str, Any]:
    """One measure of the runs, from the oldest to the newest, under one formula and one state of the list."""
    judgment_list, versions, form = read_list(request, list_pk)
    runs = trend_report.runs_by_age(judgment_list)
    choices = trend_report.choices_on(form.formula, form.measures)
    choice = valid(TrendForm(request.GET, report.tags_of(runs), choices)).cleaned_data
    refuse_other(request, "on", choice["on"], choices)
    shown = [run for run in runs if not choice["tag"] or choice["tag"] in run.tags][-query.limit :]
    bring_form_up_to_date(judgment_list, shown, form, versions.chosen)
    valid(form)
    asked = trend_report.Trend(form.formula, form.measures, choice["on"], form.average)
    points = trend_report.points(judgment_list, shown, asked, versions.chosen)
    marks = trend_report.marks(judgment_list, versions.all, [point.run for point in points])
    return trend_report.trend_json(asked, points, marks, list_state(judgment_list, versions.chosen).as_json)


@router.get("query-sets/{int:pk}/run-views", response=Page[ViewOut], summary="List saved views")
def views(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    """Run tables under a name: formula, filters, columns and order."""
    query_set = staffed_query_set(request, pk)
    return page_answer(request, SavedView.objects.filter(query_set=query_set), page)


@router.post("query-sets/{int:pk}/run-views", response={201: ViewOut}, summary="Save a view")
def save_view(request: ApiRequest, pk: int, body: ViewIn) -> Status[SavedView]:
    query_set = staffed_query_set(request, pk)
    named = valid(SavedViewForm(form_data(body.dict()))).cleaned_data
    query = view_query(QueryDict(named["query"]))
    view = saved_views.save_view(query_set=query_set, name=named["name"], query=query, user=request.user)
    return Status(201, view)


@router.delete("run-views/{int:pk}", response={204: None}, summary="Delete a view")
def delete_view(request: ApiRequest, pk: int) -> Status[None]:
    """Links to it keep working."""
    saved_views.delete_view(view=get_object_or_404(SavedView.objects.visible_to(request.user), pk=pk))
    return Status(204, None)


def read_list(request: ApiRequest, list_pk: int) -> tuple[JudgmentList, Versions, FormulaForm]:
    """The list, and the version and the formula that the call names."""
    judgment_list, versions, form = read_address(request, list_pk)
    return judgment_list, versions, valid(form)


def _scored(
    request: ApiRequest, list_pk: int, pk: int
) -> tuple[FormulaForm, Evaluation, list[RunMeasure], State]:
    """The run's stored scores, brought up to date."""
    judgment_list, versions, form = read_list(request, list_pk)
    run, now = visible_run(request, judgment_list, pk), list_state(judgment_list, versions.chosen)
    measures = current_measures(judgment_list, run, form, now)
    valid(form)
    evaluation = current_evaluation(judgment_list, run, form.formula, now)
    return form, evaluation, measures, now.of(evaluation)


def _named(form: FormulaForm, state: State) -> dict[str, Any]:
    return {"list": state.as_json, "formula": {"text": form.formula.key, "words": form.formula.words()}}
