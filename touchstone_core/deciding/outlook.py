"""What the judgments so far say of two runs, and how many more decide, as it is stored and shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import ceil, inf
from typing import Any, Self

import numpy as np
from scipy.special import stdtrit

from touchstone_core.deciding.difference import ENOUGH, Difference, difference
from touchstone_core.deciding.documents import Documents
from touchstone_core.deciding.stopping import EARLIEST, Check, is_decided
from touchstone_core.metrics.query_sums import sums
from touchstone_core.significance.permutation import FEWEST
from touchstone_core.significance.planning import SIGNIFICANCE
from touchstone_core.words import in_two_digits


@dataclass(frozen=True, slots=True)
class Outlook:
    """The second run minus the first, in mean NDCG-max, if all pages of these queries were judged.

    `expected` is `z` standard errors from 0 as far as grades are missing; None if no missing grade can turn it. `low` and `high`
    are a 95 % band that allows for other queries, too, None where too few changed. `pool` documents are on the pages, of which
    `judged` are; `open` ones can still decide, and about `judgments_left` of them do.
    """

    expected: float
    low: float | None
    high: float | None
    z: float | None
    judgments_left: int
    judged: int
    open: int
    pool: int

    @classmethod
    def of(cls, documents: Documents, runs: int = 1, found: Difference | None = None) -> Self:
        """`runs` are compared with the same baseline, and their bands hold together. `found` is their difference where it is known."""
        found = found or difference(documents)
        low, high = _band(documents, found, 1 - SIGNIFICANCE / runs)
        is_settled = not found.value.any() or abs(found.z) == inf
        judged, pool = int((~documents.unjudged).sum()), len(documents.query)
        least_left = ceil(EARLIEST * pool) - judged
        return cls(
            expected=found.expected,
            low=low,
            high=high,
            z=None if is_settled else float(found.z),
            judgments_left=0 if is_settled else max(found.judgments_left, least_left),
            judged=judged,
            open=int(documents.open.sum()),
            pool=pool,
        )

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The reverse of `asdict`. Those of earlier versions of a site have a `chance`, too, which promised too much (ADR 83)."""
        return cls(**{one.name: values[one.name] for one in fields(cls)})

    @property
    def is_early(self) -> bool:
        """Whether so little is judged that the difference and its errors say nothing yet."""
        return self.z is not None and self.judged < EARLIEST * self.pool

    @property
    def is_ahead(self) -> bool:
        """Whether one run is better beyond doubt of these queries, if it stays so."""
        return self.z is None or (abs(self.z) >= ENOUGH and not self.is_early)

    def about_left(self, raters: int) -> int:
        """`judgments_left` by so many raters each, as it is known: to two digits."""
        return in_two_digits(self.judgments_left * raters)

    def is_decided(self, earlier: Sequence[Check]) -> bool:
        """`earlier` are the checks at which documents were chosen, in order of time."""
        return self.z is None or is_decided([*earlier, Check(self.judged, self.z)], self.pool)


def _band(documents: Documents, found: Difference, level: float) -> tuple[float | None, float | None]:
    """Student's, from the spread of the expected differences of the queries and of what is not known of them."""
    weight, queries = documents.weight, documents.queries
    changed = np.unique(documents.query[weight != 0])
    if len(changed) < FEWEST:
        return None, None
    by_query = sums(documents.query, weight * found.gain, queries)
    unknown = float((found.value**2).sum()) * queries  # the mean over the queries of their own variance
    sampling = (float(by_query.var(ddof=1)) + unknown) / queries
    width = float(stdtrit(queries - 1, (1 + level) / 2)) * np.sqrt(sampling + found.variance)
    return max(-1.0, found.expected - width), min(1.0, found.expected + width)
