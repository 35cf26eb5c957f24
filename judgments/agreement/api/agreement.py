"""How far the raters of a list agree."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from ninja import Router, Schema, Status

from judgments.agreement.actions.agreement import AgreementPendingError, agreement_or_ask
from judgments.agreement.reports import agreement as reports
from judgments.agreement.reports.stored_agreement import from_json, headline_as_json
from judgments.agreement.views.agreement import query_columns, query_rows
from judgments.lists.views.versions import visible_list
from judgments.pages.calls import ApiRequest, PendingOut
from touchstone_core.formats.columns import json_records

router = Router()


class AgreementOut(Schema):
    """`up_to_date` is false while figures of the present judgments are worked out."""

    up_to_date: bool
    headline: dict[str, Any]
    queries: list[dict[str, Any]]


@router.get(
    "lists/{int:pk}/agreement", response={200: AgreementOut, 202: PendingOut}, summary="Read the agreement"
)
def agreement(request: ApiRequest, pk: int, response: HttpResponse) -> Status[dict[str, Any]]:
    """Alpha with its interval, and every query, the one to look at first first. 202: ask again after `Retry-After`."""
    judgment_list = visible_list(request, pk)
    steps = reports.steps_of(judgment_list.scale)
    try:
        result, is_stale = agreement_or_ask(
            judgment_list=judgment_list, steps=steps, without=None, at=timezone.now()
        )
    except AgreementPendingError as error:
        response["Retry-After"] = "3"
        return Status(202, {"state": "running" if error.running else "waiting", "detail": str(error)})
    figures = from_json(result.figures, judgment_list, steps)
    rows = query_rows(figures.by_query, figures.by_query.order("worth").tolist())
    return Status(
        200,
        {
            "up_to_date": not is_stale,
            "headline": headline_as_json(figures.headline),
            "queries": list(json_records(query_columns(steps), rows)),
        },
    )
