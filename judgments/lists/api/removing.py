"""Takes pairs out of a list that nobody has judged."""

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from judgments.lists.actions.removing import remove_pairs as remove
from judgments.lists.reports.removal import (
    PairChoice,
    acts_that_added,
    chosen_pairs,
    keys_to_remove,
    removal_effect,
    source_in_words,
)
from judgments.pages.calls import ApiRequest, Body, Key
from judgments.pages.fetching import administered_list
from judgments.pages.problems import Problem

router = Router()


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
    pairs = chosen_pairs(administered_list(request, pk), PairChoice(query.added, query.text.strip()))
    return asdict(removal_effect(pairs, timezone.now()))


@router.post("lists/{int:pk}/pairs/remove", response=RemovalOut, summary="Take pairs out of a list")
def remove_pairs(request: ApiRequest, pk: int, body: RemovalIn) -> dict[str, Any]:
    """For admins. Pairs that nobody has judged, now or before. Queries and documents stay."""
    judgment_list = administered_list(request, pk)
    chosen = PairChoice(body.added, body.text.strip())
    if body.pairs is None and not body.all and not chosen.narrows:
        raise Problem(422, "Nothing was removed. Say which pairs, what added them, or that you mean all.")
    pairs, at = chosen_pairs(judgment_list, chosen), timezone.now()
    if body.pairs is not None:
        pairs = pairs.filter(pk__in=body.pairs)
    count = remove(judgment_list=judgment_list, pair_ids=keys_to_remove(pairs, at), at=at)
    rest = removal_effect(pairs, at)
    return {"removed": count, "left": rest.removed + rest.left, "kept": rest.kept}
