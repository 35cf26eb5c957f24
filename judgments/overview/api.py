"""How far a list has come, and what judging the rest takes."""

from datetime import date
from typing import Any, Literal

from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from judgments.lists.api.lists import administered_list
from judgments.lists.reports.lists import coverage, coverage_by_query
from judgments.lists.views.versions import visible_list
from judgments.overview.reports.plan import plan
from judgments.overview.views import read_plan
from judgments.pages.calls import ApiRequest, Page, PageQuery, page_of, valid

router = Router()


class ProgressOut(Schema):
    """`missing` judgments are still required; `graded` pairs have a grade."""

    queries: int
    pairs: int
    graded: int
    judgments: int
    missing: int


class QueryProgressOut(Schema):
    query_id: str
    query: str
    pairs: int
    graded: int
    judgments: int
    missing: int


class PlanQuery(Schema):
    """What isn’t said is as on the page: all raters, two hours a day, and ten documents for each query."""

    raters: int | None = None
    hours: float | None = Field(None, description="Hours a day that each rater judges.")
    week: Literal["weekdays", "every-day"] | None = None
    queries: int | None = None
    documents: int | None = Field(None, description="New documents for each query.")
    seconds: float | None = Field(
        None, description="What a judgment takes. If empty: as measured in this list."
    )
    deadline: date | None = None


class PlanOption(Schema):
    """With so many raters for each pair. `fit`: so many documents for each query before the deadline, at least and at most."""

    overlap: int
    is_current: bool
    judgments: int
    hours: list[float]
    finish: list[date] | None
    fit: list[int] | None


class PlanOut(Schema):
    answer: str
    deadline: str
    pace: str
    missing: int
    options: list[PlanOption]


@router.get("lists/{int:pk}/progress", response=ProgressOut, summary="Read the progress of a list")
def progress(request: ApiRequest, pk: int) -> dict[str, int]:
    return coverage(visible_list(request, pk))


@router.get(
    "lists/{int:pk}/progress/queries",
    response=Page[QueryProgressOut],
    summary="Read the progress of each query",
)
def query_progress(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    rows, following = page_of(request, coverage_by_query(visible_list(request, pk)), page, key="query_id")
    items = [
        {
            "query_id": row.query.external_id,
            "query": row.query.text,
            "pairs": row.pair_count,
            "graded": row.graded_count,
            "judgments": row.judgment_count,
            "missing": row.open_count,
        }
        for row in rows
    ]
    return {"items": items, "next": following}


@router.get("lists/{int:pk}/plan", response=PlanOut, summary="Plan the judging of a list")
def plan_list(request: ApiRequest, pk: int, query: InQuery[PlanQuery]) -> dict[str, Any]:
    """For admins. How long the team takes, and what it manages until a deadline."""
    at, judgment_list = timezone.now(), administered_list(request, pk)
    form, missing = read_plan(request, judgment_list, at)
    found = plan(judgment_list, valid(form).wishes, missing=missing, at=at)
    names = ("overlap", "is_current", "judgments", "hours", "finish", "fit")
    return {
        "answer": found.in_words,
        "deadline": found.deadline_in_words,
        "pace": found.pace_in_words,
        "missing": missing,
        "options": [{name: getattr(one, name) for name in names} for one in found.options],
    }
