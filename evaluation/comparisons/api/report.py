"""The report of a comparison for others: as text to post or print, and as data."""

from typing import Any, Literal

from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from evaluation.comparisons.api.comparison import (
    ComparisonOut,
    ComparisonQuery,
    comparison_values,
    read_comparison,
)
from evaluation.comparisons.reports.comparison_markdown import comparison_markdown
from evaluation.comparisons.views.comparison_report import QUERIES_EACH, report_context, report_html
from evaluation.comparisons.views.comparison_request import comparison_context
from judgments.models import Query
from judgments.pages.calls import ApiRequest, PendingOut
from touchstone_core.comparison.verdict import measure_text

router = Router()


class ReportQuery(ComparisonQuery):
    format: Literal["md", "html"] = Field(
        "md", description="What `text` is: Markdown for a pull request, or one HTML file."
    )


class ShareOut(Schema):
    """How much the measure `steps_of` changed through the order of results, the depth of pages, or recall."""

    part: str
    difference: float


class LostOut(Schema):
    """What queries with one main cause took from the mean, weighted by traffic; “unknown” where no result of theirs is judged."""

    cause: str
    queries: int
    difference: str


class ChangedQuery(Schema):
    """The values and the difference are written as the report has them; “unknown” where no result is judged. `results` are the first
    ones of the baseline and of the run."""

    id: int
    query_id: str
    query: str
    baseline: str
    run: str
    difference: str
    cause: str
    baseline_results: list[str]
    run_results: list[str]


class RunReport(Schema):
    """What changed from the baseline to a run: the main causes, and the queries that lost and gained most."""

    run_id: int
    run: str
    steps_of: str = Field(
        description="The compared measure, if its change is the sum of steps: NDCG-global, NDCG-max or DCG. Else NDCG-max."
    )
    steps: list[ShareOut]
    lost: list[LostOut] = Field(description="Why queries got worse, the greatest loss first.")
    worse: list[ChangedQuery]
    better: list[ChangedQuery]


class ReportOut(ComparisonOut):
    subtitle: str
    runs: list[RunReport]
    page: str = Field(description="The address of the comparison for people.")
    text: str


@router.get(
    "lists/{int:list_pk}/comparison/report",
    response={200: ReportOut, 202: PendingOut},
    summary="Read the report of a comparison",
)
def comparison_report(request: ApiRequest, list_pk: int, query: InQuery[ReportQuery]) -> dict[str, Any]:
    """For people who weren’t there: the verdicts, what changed and why, and what isn’t known. 202: ask again after `Retry-After`."""
    asked = read_comparison(request, list_pk)
    parts = comparison_context(request, asked, queries_each=QUERIES_EACH)
    context = report_context(request, asked, parts)
    address = context["address"]
    steps_of = measure_text(asked.question.formula, parts["comparison"].figures["split_on"])
    is_html = query.format == "html"
    return comparison_values(asked.question, parts) | {
        "subtitle": context["subtitle"],
        "runs": [
            _run(steps, fixes) | {"steps_of": steps_of}
            for steps, fixes in zip(parts["steps"]["rows"], context["fixes"], strict=True)
        ],
        "page": address,
        "text": report_html(request, context) if is_html else comparison_markdown(context, address),
    }


def _run(steps: dict[str, Any], fixes: dict[str, Any]) -> dict[str, Any]:
    run = fixes["run"]
    return {
        "run_id": run.pk,
        "run": run.name,
        "steps": [{"part": one["name"], "difference": one["mean"]} for one in steps["steps"]],
        "lost": [one | {"difference": one["difference"].text} for one in fixes["lost"]],
        "worse": [_changed(one) for one in fixes["worse"]],
        "better": [_changed(one) for one in fixes["better"]],
    }


def _changed(one: dict[str, Any]) -> dict[str, Any]:
    query: Query = one["query"]
    baseline, candidate = ([each.name for each in results] for _, results in one["results"])
    return {
        "id": query.pk,
        "query_id": query.external_id,
        "query": query.text,
        "baseline": one["before"],
        "run": one["after"],
        "difference": one["difference"],
        "cause": one["cause"],
        "baseline_results": baseline,
        "run_results": candidate,
    }
