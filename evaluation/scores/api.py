"""Scores of runs under a list: the table, one run, its queries, and what to fix first. The same figures as in files."""

from typing import Any

from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from evaluation.formulas.forms.formula import FormulaForm
from evaluation.models import Evaluation
from evaluation.scores.reports import run_page
from evaluation.scores.reports import run_table as report
from evaluation.scores.reports.fix_first import fix_first
from evaluation.scores.reports.measures import RunMeasure
from evaluation.scores.reports.run_averages import run_averages, short_pages
from evaluation.scores.reports.run_files import run_json
from evaluation.scores.reports.run_table_files import run_table_json
from evaluation.scores.reports.state import State, list_state
from evaluation.scores.reports.ties import with_ties
from evaluation.scores.views.run import current_evaluation, current_measures, visible_run
from evaluation.scores.views.run_table import runs_of, table_state
from evaluation.scores.views.scored_page import (
    Versions,
    bring_form_up_to_date,
    read_formula,
    read_versions,
    visible_list,
)
from judgments.models import JudgmentList
from judgments.pages.calls import ApiRequest, PageQuery, page_of
from judgments.pages.problems import form_problem
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
    version: str | None = Field(
        None, description="A version of the list, such as 3; without it the list as it is now."
    )


class Scored(Schema):
    """`list` names the state that the values were computed from, and `formula` how."""

    list: dict[str, Any]
    formula: dict[str, Any]


class RunTableOut(Scored):
    average: str
    measures: list[str]
    baseline: str | None
    runs: list[dict[str, Any]]
    next: str | None


class RunScoresOut(Scored):
    """The head of the JSON file of a run’s page."""

    run: dict[str, Any]
    measures: list[str]
    counts: dict[str, Any]
    averages: dict[str, Any]
    short_pages: Any
    weights: Any
    dcg_points: dict[str, Any]
    tags: list[dict[str, Any]]


class QueryScoresOut(Scored):
    queries: list[dict[str, Any]]
    next: str | None


class FixOut(Schema):
    query_id: str
    query: str
    cause: str
    value: float | None
    values: dict[str, Any]


class FixesOut(Scored):
    fixes: list[FixOut]


@router.get("lists/{int:list_pk}/runs", response=RunTableOut, summary="Score all runs")
def run_table(
    request: ApiRequest, list_pk: int, page: InQuery[PageQuery], formula: InQuery[FormulaQuery]
) -> dict[str, Any]:
    """The run table: a row for each run, with the four NDCGs, DCG, losses, and further measures."""
    judgment_list, versions, form = _read(request, list_pk)
    runs, version = runs_of(judgment_list), versions.chosen
    bring_form_up_to_date(judgment_list, runs, form, version)
    if not form.is_valid():
        raise form_problem(form)
    choice = report.TableChoice(form.formula, form.measures, form.average)
    evaluations = report.evaluations(judgment_list, choice, version)
    baseline = (
        evaluations.filter(run__is_baseline=True).first() if any(run.is_baseline for run in runs) else None
    )
    rows, following = page_of(request, evaluations, page, key="run_id")
    state = table_state(judgment_list, version, rows)
    return run_table_json(rows, choice, state, baseline) | {"next": following}


@router.get("lists/{int:list_pk}/runs/{int:pk}", response=RunScoresOut, summary="Score a run")
def run_scores(request: ApiRequest, list_pk: int, pk: int, formula: InQuery[FormulaQuery]) -> dict[str, Any]:
    """Averages over all judged queries, by tag, and what they leave out."""
    form, evaluation, measures, state = _scored(request, list_pk, pk)
    averages, short = run_averages(evaluation, form.formula, measures), short_pages(evaluation, form.formula)
    content = run_json(evaluation, form.formula, measures, averages, [], state, short)
    return {name: value for name, value in content.items() if name != "queries"}


@router.get(
    "lists/{int:list_pk}/runs/{int:pk}/queries", response=QueryScoresOut, summary="Score each query of a run"
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
    "lists/{int:list_pk}/runs/{int:pk}/fix-first", response=FixesOut, summary="What to fix first in a run"
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


def _read(request: ApiRequest, list_pk: int) -> tuple[JudgmentList, Versions, FormulaForm]:
    judgment_list = visible_list(request, list_pk)
    versions = read_versions(request, judgment_list)
    form = read_formula(request, judgment_list, versions.chosen)
    if not form.is_valid():
        raise form_problem(form)
    return judgment_list, versions, form


def _scored(
    request: ApiRequest, list_pk: int, pk: int
) -> tuple[FormulaForm, Evaluation, list[RunMeasure], State]:
    """The run's stored scores, brought up to date."""
    judgment_list, versions, form = _read(request, list_pk)
    run, now = visible_run(request, judgment_list, pk), list_state(judgment_list, versions.chosen)
    measures = current_measures(judgment_list, run, form, now)
    if not form.is_valid():
        raise form_problem(form)
    evaluation = current_evaluation(judgment_list, run, form.formula, now)
    return form, evaluation, measures, now.of(evaluation)


def _named(form: FormulaForm, state: State) -> dict[str, Any]:
    return {"list": state.as_json, "formula": {"text": form.formula.key, "words": form.formula.words()}}
