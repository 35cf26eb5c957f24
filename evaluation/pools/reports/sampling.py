"""What documents that were drawn at random say of a run, and which are drawn next."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np

from evaluation.comparisons.reports.deciding import FORMULA, AllPages
from evaluation.models import Run
from evaluation.pools.reports.batches import pages_to_judge
from evaluation.pools.reports.listed import Fresh, listed_and_waiting
from judgments.lists.reports.selections import acts_that_drew
from judgments.models import PAIR_KEYS, JudgmentList
from touchstone_core.deciding.level import FEWEST_DRAWS, DrawOrder, Level
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.types import Floats, Mask

DRAWS: Final = "documents drawn"
"""Among the values after an act that drew documents of a run: how many have been drawn since the first draw."""
WIDTHS: Final = (0.05, 0.03, 0.02, 0.01)
"""People may want to know a level to ± so much."""
_NARROWER: Final = 0.9  # than with this batch, to be worth a sentence


class WidthPlan(NamedTuple):
    """To know a level to ± `width` takes about so many `judgments` from now on."""

    width: float
    judgments: int


@dataclass(frozen=True, slots=True)
class SampleBatch:
    """What a random sample of the documents on a run's pages says of it, and the pairs that are drawn next: those that the list lacks.

    `level` rests on so many `draws`; None before enough are judged. Of the `documents` on the pages, `certain` ones were in the list
    before the first draw. Of these and of all that were drawn, `waiting` ones wait for raters or were taken out again, and
    `unknown` ones have no grade though raters are done with them, which counts as no gain.

    There are `draws_after` this batch, and the level is known to about ± `width` then.
    """

    run: Run
    formula: Formula
    level: Level | None
    draws: int
    documents: int
    certain: int
    waiting: int
    unknown: int
    draws_after: int
    width: float
    plan: list[WidthPlan]
    queries: int
    pair_count: int
    fresh: Fresh

    @property
    def measure(self) -> str:
        return f"NDCG-max@{self.formula.cutoff}"

    @property
    def is_exact(self) -> bool:
        """Whether all pages are judged, as far as raters can."""
        return self.level is not None and self.certain + self.draws == self.documents


def read_sample_batch(
    *, judgment_list: JudgmentList, run: Run, formula: Formula, judgments: int
) -> SampleBatch:
    """So many `judgments` at most, and at least a pair. Six statements, whatever the number of queries and documents.

    The order of the draw depends on the list, the run and its queries alone. So a further batch goes on where the last one ended,
    and a document that somebody else added meanwhile counts when it is its turn. Raises UndecidableError.
    """
    pages = pages_to_judge(judgment_list, [run], formula)
    listed, waiting = listed_and_waiting(judgment_list)
    sample = _sample(judgment_list, run, pages, listed, waiting)
    order, overlap, end = sample.order, judgment_list.overlap, sample.end
    fresh = np.flatnonzero(~sample.in_list)[: max(1, judgments // overlap)]
    draws_after = max(end, *(fresh[-1:] + 1), 0) - order.certain
    draws, gains = sample.finished_draws(), sample.gains()
    width = order.expected_width(draws_after, gains)
    plan = [(one, order.certain + order.draws_for(one, gains)) for one in WIDTHS if one < _NARROWER * width]
    return SampleBatch(
        run=run,
        formula=formula,
        level=None if draws is None else order.level(draws),
        draws=draws or 0,
        documents=len(sample.names),
        certain=order.certain,
        waiting=int(np.count_nonzero(~sample.is_finished[:end])),
        unknown=int(np.count_nonzero(sample.is_finished[:end] & ~sample.has_grade[:end])),
        draws_after=int(draws_after),
        width=width,
        plan=[
            WidthPlan(one, int(np.count_nonzero(~sample.is_finished[:last])) * overlap) for one, last in plan
        ],
        queries=len(pages.queries),
        pair_count=sum(map(len, listed.values())),
        fresh=[sample.names[place] for place in fresh],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """The documents of the pages in the order of the draw, as all arrays here. After each act that drew some, there were so many `draws`."""

    order: DrawOrder
    names: list[tuple[int, str]]
    in_list: Mask
    has_grade: Mask
    is_finished: Mask  # it has a grade, or is in the list and raters are done with it
    draws: list[int]

    @property
    def end(self) -> int:
        """The first documents, so many, are certain or were drawn."""
        return self.order.certain + max(self.draws, default=0)

    def finished_draws(self) -> int | None:
        """How many there were after the last act up to which raters have finished all documents, the certain ones among them; None before
        that."""
        finished = int(np.argmin([*self.is_finished, False])) - self.order.certain
        return max((draws for draws in [0, *self.draws] if draws <= finished), default=None)

    def gains(self) -> Floats:
        """Of documents that were drawn, or where these are few, of all that have a grade: as those to come may be."""
        draws = slice(self.order.certain, self.end)
        of_draws = self.order.gain[draws][self.has_grade[draws]]
        return of_draws if len(of_draws) >= FEWEST_DRAWS else self.order.gain[self.has_grade]


def _sample(
    judgment_list: JudgmentList,
    run: Run,
    pages: AllPages,
    listed: Mapping[int, Mapping[str, int]],
    waiting: Set[tuple[int, str]],
) -> _Sample:
    names = [
        (query, name) for query, page in zip(pages.queries, pages.pages[0], strict=True) for name in page
    ]
    acts = _acts(judgment_list, run, pages.formula)
    pair = np.array([listed[query].get(name, 0) for query, name in names], dtype=np.int64)
    first_draw = min((after[PAIR_KEYS][0] for after in acts), default=np.inf)
    shown = pages.document[0] >= 0
    gain = pages.gain[0][shown]
    has_grade, in_list = ~np.isnan(gain), pair > 0
    is_finished = has_grade | (in_list & ~np.array([name in waiting for name in names], dtype=np.bool_))
    order = DrawOrder.of(
        weight=_weights(pages)[shown],
        number=_random_numbers(f"{judgment_list.pk} {run.pk}", pages)[shown],
        is_certain=in_list & (pair < first_draw),
        gain=np.where(has_grade, gain, 0.0),
        top=pages.top,
    )
    at = order.document
    most = len(names) - order.certain  # fewer than there were if queries were held out since
    draws = [min(after[DRAWS], most) for after in acts]
    return _Sample(order, [names[one] for one in at], in_list[at], has_grade[at], is_finished[at], draws)


def _acts(judgment_list: JudgmentList, run: Run, formula: Formula) -> list[dict[str, Any]]:
    """Those that drew documents of this run with the same weights, whatever the gain. One statement."""
    return [
        after
        for after in acts_that_drew(judgment_list)
        if DRAWS in after
        and [one["id"] for one in after["runs"]] == [run.pk]
        and replace(Formula.from_key(after[FORMULA]), gain=formula.gain) == formula
    ]


def _weights(pages: AllPages) -> Floats:
    """(Q, N)"""
    discounts = pages.formula.discounts()
    weight = discounts / (pages.top * discounts.sum() * max(1, len(pages.queries)))
    return np.broadcast_to(weight, pages.document[0].shape)


def _random_numbers(seed: str, pages: AllPages) -> Floats:
    """(Q, N) above 0 and at most 1, the same each time: Python keeps what it draws from a seed, also in later versions."""
    ranks = range(pages.document.shape[2])
    of_queries = (Random(f"{seed} {query}") for query in pages.queries)  # noqa: S311 -- no secret
    numbers = [[random.random() for _ in ranks] for random in of_queries]
    return 1 - np.array(numbers).reshape(pages.document[0].shape)
