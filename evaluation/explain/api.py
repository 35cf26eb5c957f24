"""One query of a run, figure by figure."""

from typing import Any

from django.shortcuts import get_object_or_404
from ninja import Query as InQuery
from ninja import Router

from evaluation.explain.reports.drill_down import DrillDown
from evaluation.explain.reports.drill_down_files import drill_down_json
from evaluation.explain.views import further_values
from evaluation.scores.api import FormulaQuery, read_list
from evaluation.scores.reports.state import list_state
from evaluation.scores.views.run import visible_run
from judgments.models import Query
from judgments.pages.calls import ApiRequest, valid

router = Router()


@router.get(
    "lists/{int:list_pk}/runs/{int:pk}/queries/{int:query_pk}",
    response=dict[str, Any],
    summary="Explain a query of a run",
)
def explain_query(
    request: ApiRequest, list_pk: int, pk: int, query_pk: int, formula: InQuery[FormulaQuery]
) -> dict[str, Any]:
    """The JSON file of the page: every result with its grade, gain, discount and contribution, and the four ideals."""
    judgment_list, versions, form = read_list(request, list_pk)
    run = visible_run(request, judgment_list, pk)
    query = get_object_or_404(Query, pk=query_pk, query_set=judgment_list.query_set_id)
    state = list_state(judgment_list, versions.chosen)
    drill_down = DrillDown(judgment_list, run, query, form.formula, versions.chosen)
    further = further_values(drill_down, form)
    valid(form)  # these grades may not allow a measure
    return drill_down_json(drill_down, further, state)
