"""The least and the greatest possible value of each of the four NDCGs. Q queries, and N ranks of a page; all arrays (Q,) unless
said otherwise."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from touchstone_core.bounds.greatest import greatest_ratio
from touchstone_core.bounds.least import least_ratio
from touchstone_core.bounds.tops import Tops, falling, with_zero_ideal
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.coverage import covered_share
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gain import gains, top_gain
from touchstone_core.metrics.types import Floats, Ints, Mask

GREATEST_CUTOFF: Final = 100
"""The time grows with the square of the cutoff, and nobody looks at longer pages."""


def has_bounds(formula: Formula) -> bool:
    """Not where the formula takes unjudged documents out of the ranking, nor of pages that nobody looks at."""
    return formula.cutoff <= GREATEST_CUTOFF and not formula.condenses


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Intervals of the four NDCGs by ideal, and the discounted coverage, query by query.

    A query that the formula's policies leave out is NaN. `low` and `high` are equal where everything is judged.
    """

    coverage: Floats
    low: Mapping[str, Floats]
    high: Mapping[str, Floats]

    def of(self, mask: Mask) -> Self:
        """Returns the bounds of the queries in the mask (Q,)."""
        low, high = ({name: end[mask] for name, end in ends.items()} for ends in (self.low, self.high))
        return type(self)(self.coverage[mask], low, high)


@dataclass(frozen=True, slots=True, eq=False)
class _Pages:
    """What the run shows on the first N ranks of every query, rank by rank, and what is judged of it."""

    discount: Floats  # (N,)
    gain: Floats  # (Q, N), 0 where nothing is shown and where nothing is judged
    unjudged: Mask  # (Q, N) a document without a grade
    deeper: Ints  # (Q,) unjudged documents beyond the cutoff and within the recall depth
    top: float  # the greatest gain that the scale allows

    @property
    def dcg(self) -> Floats:
        """(Q,) the DCG if unjudged documents gain nothing."""
        return np.asarray(self.gain @ self.discount, dtype=np.float64)


def bounds(run: JudgedRun, formula: Formula, unjudged: Ints) -> Bounds:
    """Whatever grades the unjudged documents get, the values lie within these bounds, and some grades reach them.

    `unjudged` (Q,) is the number of unjudged documents in the universe, including those that this run retrieved: see
    `touchstone_core.bounds.universe`. A document below the page can't raise DCG, but can raise the ideal of global, and that
    of recall if the run retrieved it. If there are unknown documents, the lower bound of global is that of max, and the upper
    bound stays. A gain may have any value from 0 to the top gain.

    If all unjudged documents count 0, or the top, the values of local, recall and global are not their bounds, because the
    ideals change, too. Raises MetricsError for a cutoff above GREATEST_CUTOFF, and if the formula removes unjudged documents.
    """
    if formula.cutoff > GREATEST_CUTOFF:
        raise MetricsError(f"The cutoff is {formula.cutoff}; bounds are computed up to {GREATEST_CUTOFF}.")
    if formula.condenses:
        raise MetricsError(
            "Bounds need the unjudged documents at their ranks, but this formula removes them."
        )
    page_view = _pages(run, formula)
    hit_gain = gains(run.hit_grade, formula.gain, run.scale)
    page = run.hit_rank <= formula.cutoff
    deep = slice(None) if formula.depth is None else run.hit_rank <= formula.depth
    on_page = page_view.unjudged.sum(axis=1)
    parts = {
        "local": (run.hit_query[page], hit_gain[page], np.zeros_like(on_page)),
        "recall": (run.hit_query[deep], hit_gain[deep], page_view.deeper),
        "global": (
            run.judged_query,
            gains(run.judged_grade, formula.gain, run.scale),
            np.maximum(unjudged - on_page, page_view.deeper),
        ),
    }
    low, high = {}, {}
    for ideal, (query, gain, further) in parts.items():
        tops = Tops.of(query, gain, run.queries, formula.cutoff)
        low[ideal], high[ideal] = _interval(page_view, tops, further, formula)
    low["max"] = page_view.dcg / (page_view.top * page_view.discount.sum())
    coverage = covered_share(run, page_view.discount, formula.cutoff)
    high["max"] = low["max"] + (1.0 - coverage)
    _apply_policies(run, formula, low, high)
    return Bounds(coverage=coverage, low=low, high=high)


def _pages(run: JudgedRun, formula: Formula) -> _Pages:
    """Unjudged documents keep their ranks, whatever the formula's policy."""
    shape = (run.queries, formula.cutoff)
    page = run.hit_rank <= formula.cutoff
    at = (run.hit_query[page], run.hit_rank[page] - 1)
    gain = np.zeros(shape)
    gain[at] = gains(run.hit_grade[page], formula.gain, run.scale)
    unjudged = np.arange(formula.cutoff) < run.retrieved[:, None]
    unjudged[at] = False
    return _Pages(
        discount=formula.discounts(),
        gain=gain,
        unjudged=unjudged,
        deeper=_deeper(run, formula),
        top=top_gain(formula.gain, run.scale),
    )


def _deeper(run: JudgedRun, formula: Formula) -> Ints:
    depth = run.retrieved if formula.depth is None else np.minimum(run.retrieved, formula.depth)
    beyond = (run.hit_rank > formula.cutoff) & (run.hit_rank <= depth[run.hit_query])
    judged = np.bincount(run.hit_query[beyond], minlength=run.queries)
    return np.asarray(np.maximum(depth - formula.cutoff, 0) - judged, dtype=np.int64)


def _interval(page_view: _Pages, tops: Tops, further: Ints, formula: Formula) -> tuple[Floats, Floats]:
    """The bounds of the ratio. If the ideal can be 0, they include the value that the policy gives such a query."""
    weight = falling(page_view.unjudged * page_view.discount)
    least = least_ratio(page_view.dcg, weight, further, tops, page_view.discount, page_view.top)
    greatest = greatest_ratio(page_view.dcg, weight, tops, page_view.discount, page_view.top)
    low, high = np.fmin(least, greatest), np.fmax(least, greatest)
    return with_zero_ideal(low, high, tops, formula.zero_ndcg)


def _apply_policies(
    run: JudgedRun, formula: Formula, low: dict[str, Floats], high: dict[str, Floats]
) -> None:
    """Sets queries without an answer to 0 or NaN."""
    missing = np.nan if formula.skips_missing else 0.0
    for interval in (low, high):
        for values in interval.values():
            values[~run.answered] = missing
