"""Judging that goes on until it is decided which of two runs is better."""

from datetime import datetime
from typing import Any, Literal

from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from evaluation.models import Contest
from evaluation.pools.actions import contests as actions
from evaluation.pools.api.pools import GAINS, NAMES, Priority, StandingOut, standing_of
from evaluation.pools.forms import DECIDING, USUAL_BUDGET, USUAL_JUDGMENTS, PoolForm
from evaluation.pools.reports.contests import ContestStanding
from evaluation.pools.views import start_contest_of, visible_contest
from judgments.base.priorities import BY_NAME
from judgments.pages.calls import ApiRequest, Body, Key, Page, PageQuery, form_data, page_answer, valid
from judgments.pages.fetching import visible_list

router = Router()


class ContestIn(Body):
    """The baseline comes first among the two runs."""

    runs: list[Key] = Field(description="The IDs of two runs.")
    depth: int = Field(10, description="Their results down to this rank.")
    judgments: int = Field(USUAL_JUDGMENTS, description="So many judgments at most in each batch.")
    budget: int = Field(USUAL_BUDGET, description="So many judgments at most in all batches.")
    formula: str = Field("", description=GAINS, max_length=200)
    priority: Priority = Field("with-others", description="When raters get them.")


class ContestOut(Schema):
    """`judgments_requested` of the `budget` are spent so far. The `outcome` is empty while it goes on; `failure` says why it failed.

    `standing` is what was known when a worker last looked, some seconds ago, or at the end.
    """

    id: int
    baseline: int = Field(validation_alias="baseline_id")
    run: int = Field(validation_alias="run_id")
    formula: str
    judgments: int = Field(validation_alias="batch_size")
    budget: int
    judgments_requested: int
    started_at: datetime
    ended_at: datetime | None
    outcome: Contest.Outcome | Literal[""]
    failure: str
    standing: StandingOut

    @staticmethod
    def resolve_standing(row: Contest) -> dict[str, Any]:
        return standing_of(ContestStanding.of(row))


@router.get("lists/{int:pk}/contests", response=Page[ContestOut], summary="List contests")
def contests(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    """For engineers and admins. Pairs of runs between which raters of the list decide or decided."""
    judgment_list = visible_list(request, pk)
    every = Contest.objects.filter(judgment_list=judgment_list).select_related(
        "judgment_list", "baseline", "run"
    )
    return page_answer(request, every, page)


@router.post("lists/{int:pk}/contests", response={201: ContestOut}, summary="Start a contest")
def start_contest(request: ApiRequest, pk: int, body: ContestIn) -> Status[Contest]:
    """For engineers and admins. Raters get what decides between two runs. A worker adds the next batch whenever they are nearly done with the
    last one, until enough is judged, nothing is left, or the `budget` of judgments is spent."""
    judgment_list = visible_list(request, pk)
    data = {
        "run": body.runs,
        "documents": DECIDING,
        "until_decided": True,
        **body.dict(exclude={"runs", "priority"}),
    }
    form = valid(PoolForm(form_data(data), judgment_list=judgment_list), NAMES)
    contest = start_contest_of(judgment_list, form, BY_NAME[body.priority], request.user)
    return Status(201, contest)


@router.post("contests/{int:pk}/stop", response=ContestOut, summary="Stop a contest")
def stop_contest(request: ApiRequest, pk: int) -> Contest:
    """For engineers and admins. Pairs that wait for raters stay in the list. One that has ended stays as it is."""
    contest = visible_contest(request, pk)
    actions.stop_contest(contest=contest, at=timezone.now())
    contest.refresh_from_db(fields=["outcome", "ended_at"])
    return contest
