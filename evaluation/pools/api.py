"""Sends results of runs, or what a text search finds, to the raters. Takes out pairs that nobody has judged."""

from dataclasses import asdict
from datetime import datetime
from typing import Any, Final, Literal

from django.http import QueryDict
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from evaluation.pools.actions import add_candidates, add_pool
from evaluation.pools.forms import DIFFERING, EVERY, WITH_GRADES, CandidatesForm, PoolForm
from evaluation.pools.reports import (
    Chosen,
    acts_that_added,
    candidates,
    chosen_pairs,
    preview_pool,
    source_in_words,
)
from judgments.base.priorities import BY_NAME
from judgments.lists.actions.removing import remove_pairs as remove
from judgments.lists.reports import keys_to_remove, removal_effect
from judgments.lists.views.fetching import administered_list
from judgments.pages.calls import ApiRequest, Body, Key, form_data, valid
from judgments.pages.problems import Problem

router = Router()
Priority = Literal["with-others", "first", "last"]
DIFFERING_ONLY: Final = "Only documents that don’t have the same rank in all of the runs."


class PoolIn(Body):
    runs: list[Key] = Field(description="The IDs of runs.")
    depth: int = Field(10, description="Their results down to this rank.")
    graded_only: bool = Field(False, description="Only for queries that have grades.")
    differing_only: bool = Field(False, description=DIFFERING_ONLY)
    priority: Priority = Field("with-others", description="When raters get them.")


class PoolQuery(Schema):
    runs: str = Field(description="The IDs of runs, such as 3-5.", max_length=1000)
    depth: int = Field(10, description="Their results down to this rank.")
    graded_only: bool = Field(False, description="Only for queries that have grades.")
    differing_only: bool = Field(False, description=DIFFERING_ONLY)


class PoolOut(Schema):
    added: int


class PoolPreviewOut(Schema):
    """`new` of the `pairs` aren’t in the list yet, and of these, `differing` don’t have the same rank in all of the runs;
    `without_text` documents are known by their ID only."""

    pairs: int
    queries: int
    new: int
    new_queries: int
    differing: int
    without_text: int
    judgments: int = Field(description="How many judgments the new pairs need.")
    hours: list[float] = Field(description="How long these take, at least and at most.")


class SearchedPairsIn(Body):
    depth: int = Field(10, description="So many documents per query.")
    priority: Priority = Field("with-others", description="When raters get them.")


class SearchedPairsOut(Schema):
    """`empty` queries share no word with any document, and `left` ones come after the first 500."""

    pairs: int
    queries: int
    empty: int
    left: int
    hours: list[float] = Field(description="How long judging them takes, at least and at most.")


class AdditionOut(Schema):
    """`source` names the runs, the file or the search that the pairs are from."""

    id: int
    at: datetime
    by: str
    source: str


class AdditionsOut(Schema):
    additions: list[AdditionOut]


class RemovalQuery(Schema):
    """Without anything: all pairs of the list."""

    added: Key | None = Field(None, description="The ID of what added them: only these pairs.")
    text: str = Field("", max_length=400, description="Words of their query or document.")


class RemovalIn(Body, RemovalQuery):
    """What isn't named doesn't narrow. Say at least one of them, or `all`."""

    pairs: list[Key] | None = Field(None, max_length=10_000, description="Their `pair_id`s.")
    all: bool = Field(False, description="All that nobody has judged, if nothing narrows.")


class RemovalOut(Schema):
    """`left` removable pairs come with the next call: 10,000 at once. `kept` counts the others by the reason."""

    removed: int
    left: int
    kept: dict[Literal["judged", "frozen", "decided", "gold", "held"], int]


@router.get("lists/{int:pk}/pairs/preview", response=PoolPreviewOut, summary="Preview missing judgments")
def preview_pairs(request: ApiRequest, pk: int, query: InQuery[PoolQuery]) -> dict[str, Any]:
    """For admins. What requesting them would add. Nothing is stored."""
    judgment_list = administered_list(request, pk)
    form = valid(PoolForm(_pool_data(query.runs.split("-"), query), judgment_list=judgment_list))
    preview = preview_pool(judgment_list=judgment_list, **form.pool)
    return {name: getattr(preview, name) for name in PoolPreviewOut.model_fields}


@router.post("lists/{int:pk}/pairs", response=PoolOut, summary="Request missing judgments")
def add_pairs(request: ApiRequest, pk: int, body: PoolIn) -> dict[str, int]:
    """For admins. Raters get what the runs retrieve and nobody has judged. `added` says how many pairs are new."""
    judgment_list = administered_list(request, pk)
    form = valid(PoolForm(_pool_data(body.runs, body), judgment_list=judgment_list))
    return {"added": add_pool(judgment_list=judgment_list, priority=BY_NAME[body.priority], **form.pool)}


@router.get(
    "lists/{int:pk}/candidates/preview", response=SearchedPairsOut, summary="Preview pairs from a text search"
)
def preview_candidates(request: ApiRequest, pk: int, depth: int = 10) -> dict[str, Any]:
    """For admins. What a text search proposes for queries without pairs. Nothing is stored."""
    judgment_list = administered_list(request, pk)
    form = valid(CandidatesForm(form_data({"depth": depth})))
    found = candidates(judgment_list, depth=form.cleaned_data["depth"])
    return {
        "pairs": len(found.pairs),
        "queries": found.queries,
        "empty": found.empty,
        "left": found.left,
        "hours": found.hours,
    }


@router.post("lists/{int:pk}/candidates", response=PoolOut, summary="Add pairs from a text search")
def add_searched_pairs(request: ApiRequest, pk: int, body: SearchedPairsIn) -> dict[str, int]:
    """For admins. Queries without pairs get the documents that share words with them."""
    judgment_list = administered_list(request, pk)
    form = valid(CandidatesForm(form_data({"depth": body.depth, "priority": BY_NAME[body.priority]})))
    return {"added": add_candidates(judgment_list=judgment_list, **form.cleaned_data)}


@router.get("lists/{int:pk}/pairs/added", response=AdditionsOut, summary="List what added pairs")
def additions(request: ApiRequest, pk: int) -> dict[str, Any]:
    """For admins. The latest 20 of which the list still has pairs, the newest first."""
    acts = acts_that_added(administered_list(request, pk))
    found = [{"id": act.pk, "at": act.at, "by": act.by_name, "source": source_in_words(act)} for act in acts]
    return {"additions": found}


@router.get(
    "lists/{int:pk}/pairs/removal-preview", response=RemovalOut, summary="Preview taking pairs out of a list"
)
def preview_removal(request: ApiRequest, pk: int, query: InQuery[RemovalQuery]) -> dict[str, Any]:
    """For admins. What removing them would do. Nothing changes."""
    pairs = chosen_pairs(administered_list(request, pk), Chosen(query.added, query.text.strip()))
    return asdict(removal_effect(pairs, timezone.now()))


@router.post("lists/{int:pk}/pairs/remove", response=RemovalOut, summary="Take pairs out of a list")
def remove_pairs(request: ApiRequest, pk: int, body: RemovalIn) -> dict[str, Any]:
    """For admins. Pairs that nobody has judged, now or before. Queries and documents stay."""
    judgment_list = administered_list(request, pk)
    chosen = Chosen(body.added, body.text.strip())
    if body.pairs is None and not body.all and not chosen.narrows:
        raise Problem(422, "Nothing was removed. Say which pairs, what added them, or that you mean all.")
    pairs, at = chosen_pairs(judgment_list, chosen), timezone.now()
    if body.pairs is not None:
        pairs = pairs.filter(pk__in=body.pairs)
    count = remove(judgment_list=judgment_list, pair_ids=keys_to_remove(pairs, at), at=at)
    rest = removal_effect(pairs, at)
    return {"removed": count, "left": rest.removed + rest.left, "kept": rest.kept}


def _pool_data(runs: list[Any], asked: PoolIn | PoolQuery) -> QueryDict:
    return form_data(
        {
            "run": runs,
            "depth": asked.depth,
            "queries": WITH_GRADES if asked.graded_only else EVERY,
            "documents": DIFFERING if asked.differing_only else EVERY,
        }
    )
