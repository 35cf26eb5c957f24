"""The content loss in its two parts: ranks that no ranking can fill, because too few documents are judged, and low grades."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gain import top_gain
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.words import counted


@dataclass(frozen=True, slots=True)
class ContentLoss:
    """DCG points: `too_few` + `low_grades` is the content loss of a query, or of many.

    With n judged documents, even the best page has nothing at the ranks from n + 1 to the cutoff k: they lose the top gain times
    D(k) − D(min(k, n)), whatever the grades are. `queries` have fewer judged documents than the cutoff.
    """

    cutoff: int
    too_few: float
    low_grades: float
    queries: int

    @classmethod
    def of(cls, formula: Formula, scale: ScaleInfo, judged: Mapping[int, int], content: float) -> Self:
        """`judged`: how many queries have so many judged documents. `content`: the content losses of these queries together."""
        discounts = formula.discounts()
        worth = top_gain(formula.gain, scale)
        few = {documents: queries for documents, queries in judged.items() if documents < formula.cutoff}
        too_few = float(
            sum(queries * worth * np.sum(discounts[documents:]) for documents, queries in few.items())
        )
        # The two are sums of the same numbers in another order.
        return cls(formula.cutoff, too_few, max(content - too_few, 0.0), sum(few.values()))

    def as_json(self) -> dict[str, Any]:
        return {"too_few": self.too_few, "low_grades": self.low_grades, "queries": self.queries}

    @property
    def what_would_fix_it(self) -> str:
        """About `too_few`."""
        documents = counted(self.cutoff, "judged document")
        if not self.queries:
            return f"nothing: every query has at least {documents}"
        has = "has" if self.queries == 1 else "have"
        return f"judge more: {counted(self.queries, 'query', 'queries')} {has} fewer than {documents}"
