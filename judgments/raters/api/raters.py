"""The raters of a list, who is assigned to it, and the pairs that raters hold."""

from datetime import datetime
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.content.api.pairs import PairOut
from judgments.models import Assignment, Rater
from judgments.pages.calls import ApiRequest, Body, form_data, valid
from judgments.pages.fetching import administered_list
from judgments.pages.problems import Problem
from judgments.raters.actions import assignments as actions
from judgments.raters.forms import AssignmentForm
from judgments.raters.reports import raters as reports

router = Router()
NOT_A_MEMBER = "“{}” isn’t a member of this list’s query set. Add this person as a member first."


class HeldPair(PairOut):
    slot_id: int = Field(validation_alias="pk")
    until: datetime = Field(validation_alias="lease_until")


class RaterOut(Schema):
    """The work of a rater in the list, with the sentences of the page about gold pairs and repeats."""

    id: int = Field(validation_alias="rater.pk")
    name: str
    username: str | None = Field(None, validation_alias="rater.user.username")
    kind: str = Field(
        validation_alias="rater.kind", description="person, external (a name of a file) or machine."
    )
    origin: str = Field(
        validation_alias="rater.origin",
        description="What made the grades of a machine, as somebody wrote it.",
    )
    judgments: int = Field(validation_alias="totals.judgments")
    cannot_judge: int = Field(validation_alias="totals.cannot_judge")
    practice: int = Field(validation_alias="totals.practice")
    skips: int
    last_at: datetime | None = Field(validation_alias="totals.last_at")
    median_seconds: float | None
    gold_answers: int = Field(0, validation_alias="accuracy.answers")
    gold_correct: int = Field(0, validation_alias="accuracy.hits")
    gold: str = Field(validation_alias="gold_in_words")
    repeats: str = Field(validation_alias="repeats_in_words")
    warnings: list[str] = Field(validation_alias="flags")
    excluded: bool
    held: list[HeldPair] = Field(validation_alias="leases")

    @staticmethod
    def resolve_excluded(row: reports.RaterRow) -> bool:
        return row.exclusion is not None


class RatersOut(Schema):
    raters: list[RaterOut]


class AssignmentOut(Schema):
    id: int
    username: str = Field(validation_alias="user.username")
    name: str = Field(validation_alias="user.display_name")
    quota: int | None


class AssignmentsOut(Schema):
    """They count where the list’s `assignment` is named."""

    assignments: list[AssignmentOut]


class AssignmentIn(Body):
    username: str = Field(max_length=150)
    quota: int | None = Field(None, description="At most so many judgments. Null: any number.")


class ReleaseIn(Body):
    slot_id: int | None = Field(None, description="One of the pairs. If null: all.")


class ReleasedOut(Schema):
    released: int


@router.get("lists/{int:pk}/raters", response=RatersOut, summary="List raters")
def raters(request: ApiRequest, pk: int) -> dict[str, Any]:
    """For admins. Everybody who judged, holds pairs or is assigned."""
    judgment_list = administered_list(request, pk)
    assignments = reports.assignments_of(judgment_list)
    rows = reports.raters_of(judgment_list, assignments, at=timezone.now())
    return {"raters": rows}


@router.post(
    "lists/{int:pk}/raters/{int:rater}/release", response=ReleasedOut, summary="Release a rater’s pairs"
)
def release_pairs(request: ApiRequest, pk: int, rater: int, body: ReleaseIn) -> dict[str, int]:
    """For admins. Others can then judge the pairs that this rater holds."""
    judgment_list, at = administered_list(request, pk), timezone.now()
    row = get_object_or_404(Rater, query_set=judgment_list.query_set_id, pk=rater)
    if body.slot_id is None:
        return {"released": actions.release_rater(judgment_list=judgment_list, rater=row, at=at)}
    held = reports.leased_slots(judgment_list, at).filter(rater=row, pk=body.slot_id).exists()
    released = held and actions.release_slot(judgment_list=judgment_list, slot_id=body.slot_id, at=at)
    return {"released": int(released)}


@router.get("lists/{int:pk}/assignments", response=AssignmentsOut, summary="List assigned raters")
def assignments(request: ApiRequest, pk: int) -> dict[str, Any]:
    """For admins."""
    return {"assignments": reports.assignments_of(administered_list(request, pk))}


@router.put(
    "lists/{int:pk}/assignments", response=AssignmentOut, summary="Assign a rater, or change the quota"
)
def assign_rater(request: ApiRequest, pk: int, body: AssignmentIn) -> Assignment:
    """For admins. The person needs to be a member of the query set."""
    judgment_list = administered_list(request, pk)
    assigned = reports.assignments_of(judgment_list)
    users = [*reports.assignable(judgment_list, assigned), *(one.user for one in assigned)]
    user = next((one for one in users if one.username == body.username), None)
    if user is None:
        raise Problem(
            422,
            NOT_A_MEMBER.format(body.username),
            [{"field": "username", "message": NOT_A_MEMBER.format(body.username)}],
        )
    form = valid(AssignmentForm(form_data({"user": user.pk, "quota": body.quota}), users=users))
    return actions.assign(judgment_list=judgment_list, **form.assignment)


@router.delete(
    "lists/{int:pk}/assignments/{int:assignment}", response={204: None}, summary="End an assignment"
)
def unassign_rater(request: ApiRequest, pk: int, assignment: int) -> Status[None]:
    """For admins. The rater’s pairs are released, and all judgments stay."""
    judgment_list = administered_list(request, pk)
    row = get_object_or_404(judgment_list.assignments.select_related("user"), pk=assignment)
    actions.unassign(judgment_list=judgment_list, user=row.user, at=timezone.now())
    return Status(204, None)
