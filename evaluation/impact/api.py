"""What changed between runs before anybody judges."""

from typing import Any

from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from evaluation.comparisons.api.comparison import chosen_runs, refuse_unknown_intent
from evaluation.comparisons.forms.run_choice import INTENT
from evaluation.comparisons.reports.intents import read_intents
from evaluation.impact.forms import ImpactForm
from evaluation.impact.reports import TooManyPagesError, impact_json, impacts, queries_at
from evaluation.impact.views import place_of_run
from judgments.pages.calls import ApiRequest, valid
from judgments.pages.fetching import staffed_query_set
from judgments.pages.problems import Problem
from touchstone_core.metrics.formula import DEFAULT_CUTOFF

router = Router()
NO_ANSWERS = "None of these runs answers a query, so there is nothing to compare."


class ImpactQuery(Schema):
    runs: str = Field(description="The IDs of two to twenty runs, the baseline first, such as 3-5.")
    cutoff: int = Field(DEFAULT_CUTOFF, description="So many results of each query count.")
    run: str | None = Field(None, description="The ID of the run beside the baseline. If empty: the first.")
    intent: str | None = Field(None, description="The ID of intended queries, which are told apart.")


@router.get("query-sets/{int:pk}/impact", response=dict[str, Any], summary="What changed between runs")
def impact(request: ApiRequest, pk: int, query: InQuery[ImpactQuery]) -> dict[str, Any]:
    """The JSON file of the page: every query, the one that could change most first. Needs no judgments."""
    query_set = staffed_query_set(request, pk)
    choice = chosen_runs(request, query_set.pk)
    refuse_unknown_intent(request, query_set.pk)
    cutoff = valid(ImpactForm(request.GET)).cleaned_data["cutoff"]
    try:
        result = impacts(query_set, choice.runs, cutoff)
    except TooManyPagesError as error:
        raise Problem(422, str(error)) from None
    if result is None:
        raise Problem(422, NO_ANSWERS)
    place = place_of_run(request, result)
    queries = queries_at(result, range(len(result.queries)))
    return impact_json(
        query_set, result, place, queries, read_intents(query_set, request.GET.get(INTENT)).current
    )
