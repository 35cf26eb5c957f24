"""Sends results of runs to the raters."""

from typing import Annotated

from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from evaluation.pools.actions import add_pool
from evaluation.pools.forms import PoolForm
from judgments.models import JudgmentList
from judgments.pages.calls import ApiRequest, form_data
from judgments.pages.problems import form_problem

router = Router()


class PoolIn(Schema):
    runs: list[Annotated[int, Field(ge=1)]] = Field(description="The IDs of runs.")
    depth: int = Field(10, description="Their results down to this rank.")
    graded_only: bool = Field(False, description="Only for queries that have grades.")


class PoolOut(Schema):
    added: int


@router.post("lists/{int:pk}/pairs", response=PoolOut, summary="Request missing judgments")
def add_pairs(request: ApiRequest, pk: int, body: PoolIn) -> dict[str, int]:
    """For admins. Raters get what the runs retrieve and nobody has judged. `added` says how many pairs are new."""
    mine = JudgmentList.objects.administered_by(request.user).select_related("query_set")
    judgment_list = get_object_or_404(mine, pk=pk)
    queries = "graded" if body.graded_only else "every"
    values = {"run": body.runs, "depth": body.depth, "queries": queries}
    form = PoolForm(form_data(values), judgment_list=judgment_list)
    if not form.is_valid():
        raise form_problem(form)
    added = add_pool(judgment_list=judgment_list, priority=form.cleaned_data["priority"], **form.pool)
    return {"added": added}
