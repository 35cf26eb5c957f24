"""What documents that were drawn at random say of a run, and which are drawn next."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

import numpy as np

from evaluation.comparisons.reports.deciding import FORMULA, AllPages, read_all_pages
from evaluation.models import Comparing, Run
from evaluation.pools.reports.deciding import UndecidableError
from evaluation.pools.reports.listed import Fresh, documents_with_open_slots, listed_documents
from judgments.lists.reports.selections import acts_that_drew
from judgments.models import PAIR_KEYS, JudgmentList
from touchstone_core.deciding.level import FEWEST_DRAWN, Draw, Level
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.types import Floats, Mask

DRAWN: Final = "documents drawn"
"""Among the values after an act that drew documents of a run: how many have been drawn since the first draw."""
WIDTHS: Final = (0.05, 0.03, 0.02, 0.01)
"""People may want to know a level to ± so much."""
_NARROWER: Final = 0.9  # than with this batch, to be worth a sentence


@dataclass(frozen=True, slots=True)
class SampleBatch:
    """What a random sample of the documents on a run's pages says of it, and the pairs that are drawn next: those that the list lacks.

    `level` rests on `drawn` documents; None before enough are judged. Of the `documents` on the pages, `before` were in the list
    before the first draw. Of these and of all that were drawn, `waiting` ones wait for raters or were taken out again, and
    `unknown` ones have no grade though raters are done with them, which counts as no gain.

    With this batch so many `draws` are made, and the level is known to about ± `width`. `wanted` has further widths, each with
    about how many judgments it takes from now on.
    """

    run: Run
    formula: Formula
    level: Level | None
    drawn: int
    documents: int
    before: int
    waiting: int
    unknown: int
    draws: int
    width: float
    wanted: list[tuple[float, int]]
    queries: int
    pair_count: int
    fresh: Fresh

    @property
    def measure(self) -> str:
        return f"NDCG-max@{self.formula.cutoff}"

    @property
    def is_exact(self) -> bool:
        """Whether all pages are judged, as far as raters can."""
        return self.level is not None and self.before + self.drawn == self.documents


def read_sample_batch(
    *, judgment_list: JudgmentList, run: Run, formula: Formula, judgments: int
) -> SampleBatch:
    """So many `judgments` at most, and at least a pair. Eight statements, whatever the number of queries and documents.

    The order of the draw depends on the list, the run and its queries alone. So a further batch goes on where the last one ended,
    and a document that somebody else added meanwhile counts when it is its turn. Raises UndecidableError.
    """
    tags = Comparing.objects.filter(query_set=judgment_list.query_set_id).values_list("held_out", flat=True)
    try:
        pages = read_all_pages(judgment_list, [run], formula, held_out=tags.first() or "")
    except MetricsError as error:
        raise UndecidableError(str(error)) from error
    listed = listed_documents(judgment_list)
    sample = _sample(judgment_list, run, pages, listed)
    draw, overlap, asked = sample.draw, judgment_list.overlap, sample.asked
    fresh = np.flatnonzero(~sample.listed)[: max(1, judgments // overlap)]
    draws = max([asked - draw.known, *(int(place) + 1 - draw.known for place in fresh[-1:])])
    drawn, gains = sample.judged_draws(), sample.gains()
    level = None if drawn is None else draw.level(drawn)
    width = draw.expected_width(draws, gains)
    needed = [(one, draw.draws_for(one, gains)) for one in WIDTHS if one < _NARROWER * width]
    return SampleBatch(
        run=run,
        formula=formula,
        level=level,
        drawn=drawn or 0,
        documents=len(sample.names),
        before=draw.known,
        waiting=int(np.count_nonzero(~sample.done[:asked])),
        unknown=int(np.count_nonzero(sample.done[:asked] & ~sample.graded[:asked])),
        draws=draws,
        width=width,
        wanted=[(one, int((~sample.done[: draw.known + count]).sum()) * overlap) for one, count in needed],
        queries=len(pages.queries),
        pair_count=sum(map(len, listed.values())),
        fresh=[sample.names[place] for place in fresh],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """The documents of the pages in the order of the draw, as all arrays here. Each act that drew some has its total."""

    draw: Draw
    names: list[tuple[int, str]]
    listed: Mask
    graded: Mask
    done: Mask  # graded, or in the list and raters are done with it
    totals: list[int]

    @property
    def asked(self) -> int:
        """So many of the first documents are known, or were drawn."""
        return self.draw.known + max(self.totals, default=0)

    def judged_draws(self) -> int | None:
        """How many were drawn by the last act whose documents raters are done with, as with those of all before; None if they aren't
        with the known documents."""
        judged = int(np.argmin([*self.done, False])) - self.draw.known
        return max((total for total in [0, *self.totals] if total <= judged), default=None)

    def gains(self) -> Floats:
        """Of documents that were drawn, or where these are few, of all that have a grade: as those to come may be."""
        drawn = np.zeros(len(self.names), dtype=np.bool_)
        drawn[self.draw.known : self.asked] = True
        some = self.graded & drawn
        return self.draw.gain[some if np.count_nonzero(some) >= FEWEST_DRAWN else self.graded]


def _sample(
    judgment_list: JudgmentList, run: Run, pages: AllPages, listed: Mapping[int, Mapping[str, int]]
) -> _Sample:
    names = [
        (query, name) for query, page in zip(pages.queries, pages.pages[0], strict=True) for name in page
    ]
    slots = documents_with_open_slots(judgment_list)
    acts = _acts(judgment_list, run, pages.formula)
    pair = np.array([listed[query].get(name, 0) for query, name in names], dtype=np.int64)
    first_drawn = min((after[PAIR_KEYS][0] for after in acts), default=np.inf)
    shown = pages.document[0] >= 0
    gain = pages.gain[0][shown]
    graded = ~np.isnan(gain)
    done = graded | ((pair > 0) & ~np.array([name in slots for name in names], dtype=np.bool_))
    draw = Draw.of(
        weight=_weights(pages)[shown],
        number=_random_numbers(f"{judgment_list.pk} {run.pk}", pages)[shown],
        before=(pair > 0) & (pair < first_drawn),
        gain=np.where(graded, gain, 0.0),
        top=pages.top,
    )
    order = draw.document
    most = len(names) - draw.known  # fewer than were drawn if queries were held out since
    totals = [min(after[DRAWN], most) for after in acts]
    return _Sample(draw, [names[at] for at in order], pair[order] > 0, graded[order], done[order], totals)


def _acts(judgment_list: JudgmentList, run: Run, formula: Formula) -> list[dict[str, Any]]:
    """Those that drew documents of this run with the same weights, whatever the gain. One statement."""
    return [
        after
        for after in acts_that_drew(judgment_list)
        if DRAWN in after
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
    found = [[random.random() for _ in ranks] for random in of_queries]
    return 1 - np.array(found).reshape(pages.document[0].shape)
