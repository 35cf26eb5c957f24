"""Sends results of runs, or what a text search finds, to the raters."""

from typing import Any, Final, Literal

from django.http import QueryDict
from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from evaluation.pools.actions.pools import add_candidates
from evaluation.pools.forms import (
    EVERY,
    USUAL_JUDGMENTS,
    WITH_GRADES,
    CandidatesForm,
    PoolForm,
)
from evaluation.pools.reports.candidates import candidates
from evaluation.pools.reports.deciding import Standing
from evaluation.pools.views import add_pool_of, preview_pool_of
from judgments.base.priorities import BY_NAME
from judgments.pages.calls import ApiRequest, Body, Key, form_data, valid
from judgments.pages.fetching import visible_list

router = Router()
Priority = Literal["with-others", "first", "last"]
Documents = Literal["every", "differing", "deciding", "sample"]
CHOICES: Final = (
    "`every` document of the pool; those that are `differing`, because they don’t have the same rank in all of the runs; of two runs, "
    "the baseline first, what is `deciding` between them, and nothing once that is decided; of one run a random `sample`, from which "
    "its NDCG-max if all were judged is estimated."
)
NAMES: Final = {"run": "runs"}
"""What calls name otherwise than the form of the page."""
GAINS: Final = "The gain and discount, such as DCG(gain='exp')@10. Without it, the default of the query set."


class PoolChoice(Schema):
    depth: int = Field(10, description="Their results down to this rank.")
    graded_only: bool = Field(False, description="Only for queries that have grades.")
    documents: Documents = Field("every", description=f"Which documents are added. {CHOICES}")
    judgments: int = Field(
        USUAL_JUDGMENTS, description="Of `deciding` and `sample`, so many judgments at most."
    )
    formula: str = Field("", description=f"For `deciding` and `sample`. {GAINS}", max_length=200)


class PoolIn(Body, PoolChoice):
    runs: list[Key] = Field(description="The IDs of runs.")
    priority: Priority = Field("with-others", description="When raters get them.")


class PoolQuery(PoolChoice):
    runs: str = Field(description="The IDs of runs, such as 3-5.", max_length=1000)


class PoolOut(Schema):
    added: int


class StandingOut(Schema):
    """What is known of two runs, if all of their pages were judged: the second minus the first in mean NDCG-max.

    `standard_errors` is how far it is from 0, and null if no missing grade can turn it. About `judgments_left` more judgments decide. `waiting` pairs that can decide wait for their raters, and
    `unknown` ones have no grade though raters are done with them.
    """

    decided: bool
    expected: float
    standard_errors: float | None
    judgments_left: int
    judged: int
    documents: int
    waiting: int
    unknown: int


class DecidingOut(StandingOut):
    """`targeted` pairs of the next batch are chosen for what they decide, and `random` ones are drawn."""

    targeted: int
    random: int


class LevelOut(Schema):
    expected: float
    low: float
    high: float


class WidthPlanOut(Schema):
    width: float
    judgments: int


class SampleOut(Schema):
    """The `level` is what is known of a run from `draws` documents that were drawn at random: mean NDCG-max if all of its pages were judged,
    with a 95 % interval. Null before enough are judged.

    Of the `documents` on its pages, `certain` ones were in the list before the first draw. Of these and of all that were drawn,
    `waiting` ones wait for raters, and `unknown` ones have no grade though raters are done with them, which counts as no gain.
    With the next batch it is known to about ± `width`, and `plan` says how many judgments further widths take from now on.
    """

    level: LevelOut | None
    draws: int
    documents: int
    certain: int
    waiting: int
    unknown: int
    width: float
    plan: list[WidthPlanOut]


class PoolPreviewOut(Schema):
    """`new` of the `pairs` aren’t in the list yet, and of these, `differing_pairs` don’t have the same rank in all of the runs;
    `without_text` documents are known by their ID only."""

    pairs: int
    queries: int
    new: int
    new_queries: int
    differing_pairs: int
    without_text: int
    judgments: int = Field(description="How many judgments the new pairs need.")
    hours: list[float] = Field(description="How long these take, at least and at most.")
    deciding: DecidingOut | None = Field(description="If it asks for what decides between two runs.")
    sample: SampleOut | None = Field(description="If it asks for a random sample.")


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


@router.get("lists/{int:pk}/pairs/preview", response=PoolPreviewOut, summary="Preview missing judgments")
def preview_pairs(request: ApiRequest, pk: int, query: InQuery[PoolQuery]) -> dict[str, Any]:
    """For engineers and admins. What requesting them would add. Nothing is stored."""
    judgment_list = visible_list(request, pk)
    form = valid(PoolForm(_pool_data(query.runs.split("-"), query), judgment_list=judgment_list), NAMES)
    preview = preview_pool_of(judgment_list, form)
    answer = {name: getattr(preview, name) for name in PoolPreviewOut.model_fields}
    if batch := preview.deciding:
        counts = {"targeted": len(batch.targeted), "random": len(batch.random)}
        return answer | {"deciding": standing_of(batch) | counts}
    return answer


@router.post("lists/{int:pk}/pairs", response=PoolOut, summary="Request missing judgments")
def add_pairs(request: ApiRequest, pk: int, body: PoolIn) -> dict[str, int]:
    """For engineers and admins. Raters get what the runs retrieve and nobody has judged. `added` says how many pairs are new."""
    judgment_list = visible_list(request, pk)
    form = valid(PoolForm(_pool_data(body.runs, body), judgment_list=judgment_list), NAMES)
    return {"added": add_pool_of(judgment_list, form, BY_NAME[body.priority])}


@router.get(
    "lists/{int:pk}/candidates/preview", response=SearchedPairsOut, summary="Preview pairs from a text search"
)
def preview_candidates(request: ApiRequest, pk: int, depth: int = 10) -> dict[str, Any]:
    """For engineers and admins. What a text search proposes for queries without pairs. Nothing is stored."""
    judgment_list = visible_list(request, pk)
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
    """For engineers and admins. Queries without pairs get the documents that share words with them."""
    judgment_list = visible_list(request, pk)
    form = valid(CandidatesForm(form_data({"depth": body.depth, "priority": BY_NAME[body.priority]})))
    return {"added": add_candidates(judgment_list=judgment_list, **form.cleaned_data)}


def standing_of(state: Standing) -> dict[str, Any]:
    outlook = state.outlook
    return {
        "decided": state.decided,
        "expected": outlook.expected,
        "standard_errors": outlook.z,
        "judgments_left": state.judgments_left,
        "judged": outlook.judged,
        "documents": outlook.pool,
        "waiting": state.waiting,
        "unknown": state.unknown,
    }


def _pool_data(runs: list[Any], asked: PoolChoice) -> QueryDict:
    return form_data(
        {
            "run": runs,
            "depth": asked.depth,
            "queries": WITH_GRADES if asked.graded_only else EVERY,
            "documents": asked.documents,
            "judgments": asked.judgments,
            "formula": asked.formula,
        }
    )
