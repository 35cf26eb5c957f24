"""Raters who are left out of the grades."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from judgments.agreement.actions.adjudication import effect_of_exclusion, exclude_rater, include_rater
from judgments.agreement.forms import ExclusionForm
from judgments.models import JudgmentList, Rater
from judgments.pages.calls import ApiRequest, Body, form_data, valid
from judgments.pages.fetching import administered_list
from judgments.raters.reports import exclusions as reports

router = Router()


class ExclusionIn(Body):
    excluded: bool
    note: str = Field("", description="For other admins. The rater can’t see it.")


class ExclusionOut(Schema):
    """`changed` says how many grades of the list changed."""

    excluded: bool
    changed: int


class ExclusionEffectOut(Schema):
    """What leaving the rater out would change, or counting the rater again: `excluded` says which is so now."""

    excluded: bool
    pairs: int
    added: int
    changed: int
    removed: int
    examples: list[str]


@router.get(
    "lists/{int:pk}/raters/{int:rater}/exclusion-preview",
    response=ExclusionEffectOut,
    summary="Preview leaving a rater out",
)
def preview_exclusion(request: ApiRequest, pk: int, rater: int) -> dict[str, Any]:
    """For admins. Nothing is stored."""
    judgment_list = administered_list(request, pk)
    row = _rater(judgment_list, rater)
    is_excluded = row.pk in reports.standing_exclusions(judgment_list)
    effect = effect_of_exclusion(
        judgment_list=judgment_list, rater=row, excluded=not is_excluded, user=request.user, at=timezone.now()
    )
    counts = {name: getattr(effect.changes, name) for name in ("added", "changed", "removed")}
    return counts | {"excluded": is_excluded, "pairs": effect.pairs, "examples": effect.examples}


@router.put(
    "lists/{int:pk}/raters/{int:rater}/excluded",
    response=ExclusionOut,
    summary="Leave a rater out of the grades, or count the rater again",
)
def exclude(request: ApiRequest, pk: int, rater: int, body: ExclusionIn) -> dict[str, Any]:
    """For admins. Judgments stay, and the rater isn’t told."""
    judgment_list, at = administered_list(request, pk), timezone.now()
    row = _rater(judgment_list, rater)
    action = "exclude" if body.excluded else "include"
    note = valid(ExclusionForm(form_data({"action": action, "note": body.note}))).cleaned_data["note"]
    who: dict[str, Any] = {"judgment_list": judgment_list, "rater": row, "user": request.user, "at": at}
    changed = exclude_rater(**who, note=note) if body.excluded else include_rater(**who)
    return {"excluded": body.excluded, "changed": changed or 0}


def _rater(judgment_list: JudgmentList, pk: int) -> Rater:
    return get_object_or_404(Rater, query_set=judgment_list.query_set_id, pk=pk)
