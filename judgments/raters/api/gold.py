"""Gold pairs: pairs whose right grade is known."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.base.searching import without_unsearchable
from judgments.content.api.pairs import PairOut
from judgments.models import JudgmentList
from judgments.pages.calls import (
    ApiRequest,
    Body,
    Page,
    PageQuery,
    form_data,
    of_bodies,
    page_of,
    sent_file,
    valid,
)
from judgments.pages.fetching import administered_list
from judgments.pages.problems import file_problem
from judgments.raters.actions import gold as actions
from judgments.raters.forms import GoldForm
from judgments.raters.reports import gold as reports
from judgments.raters.views.gold import mark_pairs_of_file

router = Router()
LONGEST_TEXT = 200


class GoldIn(Body):
    value: float = Field(description="The correct grade.")
    also: list[float] = Field([], max_length=100, description="Other grades that count as correct.")
    explanation: str = Field("", description="Raters see it after they answer in practice.")


class GoldOut(PairOut):
    """`suspect`: most answers are wrong, so the gold grade itself may be wrong."""

    value: float = Field(validation_alias="gold.value")
    also: list[float] = Field(validation_alias="gold.also")
    explanation: str = Field(validation_alias="gold.explanation")
    answers: int
    correct: int = Field(validation_alias="hits")
    cannot_judge: int
    suspect: bool


class GoldCandidateQuery(Schema):
    q: str = Field("", description="Words of the query or the title, or an ID.")
    agreed: bool = Field(False, description="Only pairs to which two or more raters gave the same grade.")


class GoldCandidate(PairOut):
    """`explanation` says how the grade was reached."""

    value: float | None
    explanation: str = Field(validation_alias="how")


class GoldCandidatesOut(Schema):
    """`more`: there are others. Search for fewer."""

    candidates: list[GoldCandidate]
    more: bool


class MarkedOut(Schema):
    marked: int


@router.get("lists/{int:pk}/gold", response=Page[GoldOut], summary="List gold pairs")
def gold_pairs(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    """For admins."""
    judgment_list = administered_list(request, pk)
    rows, following = page_of(request, reports.gold_pairs(judgment_list), page)
    return {"items": reports.gold_rows(judgment_list, rows), "next": following}


@router.get(
    "lists/{int:pk}/gold/candidates", response=GoldCandidatesOut, summary="Find pairs that could become gold"
)
def gold_candidates(request: ApiRequest, pk: int, query: InQuery[GoldCandidateQuery]) -> dict[str, Any]:
    """For admins."""
    judgment_list = administered_list(request, pk)
    text = without_unsearchable(query.q).strip()[:LONGEST_TEXT]
    found, more = reports.candidates(judgment_list, text, unanimous=query.agreed)
    return {"candidates": found, "more": more}


@router.put("lists/{int:pk}/gold/{int:pair}", response=GoldOut, summary="Mark a pair as gold")
def mark_gold(request: ApiRequest, pk: int, pair: int, body: GoldIn) -> reports.GoldRow:
    """For admins. Each rater gets it at most once, and its grade comes from you."""
    judgment_list = administered_list(request, pk)
    _check_in_list(judgment_list, pair)
    form = valid(GoldForm(form_data(body.dict()), scale=judgment_list.scale))
    actions.mark_gold(
        judgment_list=judgment_list, pair_id=pair, user=request.user, at=timezone.now(), **form.answer
    )
    marked = reports.gold_pairs(judgment_list).filter(pair=pair)
    return reports.gold_rows(judgment_list, marked)[0]


@router.delete(
    "lists/{int:pk}/gold/{int:pair}", response={204: None}, summary="Make a gold pair an ordinary one"
)
def retire_gold(request: ApiRequest, pk: int, pair: int) -> Status[None]:
    """For admins. Answers to it as gold stay marked."""
    judgment_list = administered_list(request, pk)
    _check_in_list(judgment_list, pair)
    actions.retire_gold(judgment_list=judgment_list, pair_id=pair, at=timezone.now())
    return Status(204, None)


@router.post(
    "lists/{int:pk}/gold/import",
    response=MarkedOut,
    summary="Mark the pairs of a file as gold",
    openapi_extra=of_bodies("A file of judgments with the correct grades, up to 5,000 pairs."),
)
def import_gold(request: ApiRequest, pk: int, file_name: str = "gold.csv") -> dict[str, int]:
    """For admins. All pairs are marked, or none if something is wrong with a line."""
    judgment_list = administered_list(request, pk)
    count, report = mark_pairs_of_file(request, judgment_list, sent_file(request, file_name))
    if not report.ok:
        raise file_problem(report, "No pairs were marked. ")
    return {"marked": count}


def _check_in_list(judgment_list: JudgmentList, pair: int) -> None:
    if reports.candidate(judgment_list, pair) is None:
        raise Http404
