"""How far a list has come, what judging the rest takes, and what to review."""

from datetime import date, datetime
from typing import Any, Literal

from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from judgments.lists.reports.lists import coverage, coverage_by_query
from judgments.overview.reports.outlook import Outlook
from judgments.overview.reports.overview import overview
from judgments.overview.reports.plan import plan
from judgments.overview.views import read_plan
from judgments.pages.calls import ApiRequest, Page, PageQuery, page_answer, valid
from judgments.pages.fetching import administered_list, is_administered, visible_list

router = Router()


class ProgressOut(Schema):
    """`missing` judgments are still required; `graded` pairs have a grade."""

    queries: int
    pairs: int
    graded: int
    judgments: int
    missing: int


class QueryProgressOut(Schema):
    """`judgments` include those of people who are left out; `missing` are still required."""

    query_id: str = Field(validation_alias="query.external_id")
    query: str = Field(validation_alias="query.text")
    pairs: int = Field(validation_alias="pair_count")
    graded: int = Field(validation_alias="graded_count")
    judgments: int = Field(validation_alias="judgment_count")
    missing: int = Field(validation_alias="open_count")


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
    advice: str = Field(description="Whether more queries would help more than so many raters per pair.")
    missing: int
    options: list[PlanOption]


class StepOut(Schema):
    label: str
    pairs: int
    share: float


class DayOut(Schema):
    """`judgments` are those that the list required, and `raters` those who gave them."""

    day: date
    judgments: int
    raters: int


class ForecastOut(Schema):
    """Hours have a 90 % interval: at least, on average, at most. `pace` is required judgments per day, on days with
    such judgments."""

    in_words: str
    missing: int = Field(validation_alias="forecast.missing")
    hours: list[float] = Field(validation_alias="forecast.hours")
    hours_each: list[float] = Field(validation_alias="forecast.hours_each")
    eligible_raters: int = Field(validation_alias="forecast.eligible_raters")
    pace: float
    days_left: int | None
    finish_in_words: str = Field("", validation_alias="burn_down.in_words")

    @staticmethod
    def resolve_in_words(ahead: Outlook) -> str:
        return ahead.in_words if ahead.forecast.missing else ""


class HeldOut(Schema):
    """Pairs that raters hold now."""

    pairs: int
    raters: int
    until: datetime | None


class LatestAgreementOut(Schema):
    """As last computed. `behind`: so much has the number of judgments changed since."""

    figures: dict[str, Any]
    reading: str
    computed_at: datetime
    behind: int


class QueryToReviewOut(Schema):
    """`kind` is few (judgments received of those required), differ (pairs with different answers) or cannot (answers “cannot
    judge”): `part` of `whole`."""

    kind: str
    query_id: str
    query: str
    part: int
    whole: int


class RaterNowOut(Schema):
    name: str
    today: int
    days: int
    warnings: list[str]


class OverviewOut(Schema):
    """`steps` are estimated where `estimated_from_every` is more than 1: from every such query. `raters` is null for engineers."""

    progress: ProgressOut
    forecast: ForecastOut
    steps: list[StepOut]
    estimated_from_every: int
    days: list[DayOut]
    held: HeldOut
    agreement: LatestAgreementOut | None
    to_review: list[QueryToReviewOut]
    raters: list[RaterNowOut] | None


@router.get("lists/{int:pk}/overview", response=OverviewOut, summary="Read the overview of a list")
def list_overview(request: ApiRequest, pk: int) -> dict[str, Any]:
    """Progress, pace and forecast, and which queries and raters to review. Raters are for admins."""
    judgment_list = visible_list(request, pk)
    found = overview(judgment_list, with_raters=is_administered(request, pk), at=timezone.now())
    ahead, raters = found["outlook"], found["raters"]
    return {
        "progress": found["coverage"],
        "forecast": ahead,
        "steps": ahead.steps,
        "estimated_from_every": ahead.every,
        "days": ahead.days,
        "held": ahead.leases,
        "agreement": found["agreement"],
        "to_review": [one for kind in found["to_review"].values() for one in kind],
        "raters": raters and raters.rows,
    }


@router.get("lists/{int:pk}/progress", response=ProgressOut, summary="Read the progress of a list")
def progress(request: ApiRequest, pk: int) -> dict[str, int]:
    return coverage(visible_list(request, pk))


@router.get(
    "lists/{int:pk}/progress/queries",
    response=Page[QueryProgressOut],
    summary="Read the progress of each query",
)
def query_progress(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    return page_answer(request, coverage_by_query(visible_list(request, pk)), page, key="query_id")


@router.get("lists/{int:pk}/plan", response=PlanOut, summary="Plan the judging of a list")
def plan_list(request: ApiRequest, pk: int, query: InQuery[PlanQuery]) -> dict[str, Any]:
    """For admins. How long the team takes, and what it manages until a deadline."""
    at, judgment_list = timezone.now(), administered_list(request, pk)
    form, missing = read_plan(request, judgment_list, at)
    found = plan(judgment_list, valid(form).wishes, missing=missing, at=at)
    return {
        "answer": found.in_words,
        "deadline": found.deadline_in_words,
        "pace": found.pace_in_words,
        "advice": found.advice,
        "missing": missing,
        "options": found.options,
    }
