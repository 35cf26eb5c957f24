"""Many measures of one run, with what they have in common computed once: orders, gains, DCG and ideals.

`Sweep(run).values(measure)` is `measure.values(run)`; a test holds every formula that reconcile tries to that.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from evaluation.metrics.arrays import JudgedRun
from evaluation.metrics.discount import discounts
from evaluation.metrics.discounted import at_least, positions, sum_discounted
from evaluation.metrics.gain import gains, top_gain
from evaluation.metrics.measure import Measure
from evaluation.metrics.parameters import SKIP
from evaluation.metrics.types import Floats, Ints, Mask

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Graded documents (N,) by their place in their query's list, so that every cutoff is a part from the start."""

    query: Ints
    position: Ints  # from 0, never falling
    grade: Floats

    def until(self, cutoff: int) -> slice:
        return slice(0, int(np.searchsorted(self.position, cutoff)))


class Sweep:
    """Sorts the hits and the judgments once; a further NDCG costs a sum over what lies within its cutoff."""

    def __init__(self, run: JudgedRun) -> None:
        self._run = run
        self._kept: dict[Hashable, Any] = {}
        best = np.lexsort((-run.hit_grade, run.hit_query))
        self._best = run.hit_query[best], run.hit_rank[best], run.hit_grade[best]
        self._shown = _entries(run.hit_query, run.hit_rank - 1, run.hit_grade)
        self._retrieved = _best_first(run.hit_query[best], run.hit_grade[best], run.queries)
        best = np.lexsort((-run.judged_grade, run.judged_query))
        self._judged = _best_first(run.judged_query[best], run.judged_grade[best], run.queries)

    def values(self, measure: Measure) -> Floats:
        """The value of every query (Q,); raises MetricsError as the measure does."""
        choices = measure.definition.filled(dict(measure.parameters))
        if measure.name != "nDCG" or measure.cutoff is None or not self._shares(choices):
            return measure.values(self._run)
        gain, discount, base = choices["gain"], choices["discount"], choices["base"]
        key = (gain, discount, base, measure.cutoff)
        dcg = self._once(("dcg", *key), lambda: self._dcg(*key))
        ideal = choices["ideal"]
        best = self._once((ideal, *key), lambda: at_least(dcg, self._ideal(str(ideal), *key)))
        values = self._under(choices["zero"], dcg, best, gain)
        return np.where(self._run.answered, values, np.nan) if choices["missing"] == SKIP else values

    def _shares(self, choices: Mapping[str, Any]) -> bool:
        """Whether the best documents by grade are the best by gain, and nothing else is asked for."""
        table = self._run.scale.gains or {}
        rising = [table[grade] for grade in sorted(table)]
        orders_alike = choices["gain"] != "table" or rising == sorted(rising)
        return orders_alike and (choices["unjudged"], choices["depth"], choices["max"]) == (
            "zero",
            None,
            None,
        )

    def _under(self, zero: Any, dcg: Floats, best: Floats, gain: Any) -> Floats:
        """DCG / ideal DCG, and what the policies say where the ideal is 0 or the query is not answered."""
        undefined = np.nan if zero == SKIP else float(zero)
        values: Floats = np.divide(dcg, best, out=np.full(self._run.queries, undefined), where=best > 0)
        missing = ~self._run.answered
        if zero == SKIP:
            missing = missing & self._once(("some gain", gain), lambda: self._has_gain(gain))
        values[missing] = 0.0
        return values

    def _has_gain(self, gain: Any) -> Mask:
        first = self._judged.until(1)
        worth = self._gains("judged", self._judged, gain)[first] > 0
        some: Mask = np.bincount(self._judged.query[first], worth, self._run.queries) > 0
        return some

    def _dcg(self, gain: Any, discount: Any, base: Any, cutoff: int) -> Floats:
        weights = discounts(discount, cutoff, base)
        return self._sum("shown", self._shown, gain, weights)

    def _ideal(self, ideal: str, gain: Any, discount: Any, base: Any, cutoff: int) -> Floats:
        weights = discounts(discount, cutoff, base)
        if ideal == "max":
            return np.full(self._run.queries, np.cumsum(top_gain(gain, self._run.scale) * weights)[-1])
        if ideal == "local":
            return self._local(gain, weights)
        if ideal == "recall":
            return self._sum("retrieved", self._retrieved, gain, weights)
        if ideal == "global-uncut":
            length = int(max(self._judged.position.max(initial=0) + 1, self._run.retrieved.max(initial=0)))
            return self._sum("judged", self._judged, gain, discounts(discount, length, base))
        return self._sum("judged", self._judged, gain, weights, limited=ideal == "global-hits")

    def _local(self, gain: Any, weights: Floats) -> Floats:
        query, rank, grade = self._best
        inside = rank <= len(weights)
        query, grade = query[inside], grade[inside]
        place = positions(query, self._run.queries)
        return sum_discounted(query, gains(grade, gain, self._run.scale), place, weights, self._run.queries)

    def _sum(
        self, name: str, entries: Entries, gain: Any, weights: Floats, *, limited: bool = False
    ) -> Floats:
        """DCG of the entries; `limited` to as many as the query's ranking shows."""
        part = entries.until(len(weights))
        query, place = entries.query[part], entries.position[part]
        worth = self._gains(name, entries, gain)[part]
        if limited:
            inside = place < self._run.retrieved[query]
            query, place, worth = query[inside], place[inside], worth[inside]
        return sum_discounted(query, worth, place, weights, self._run.queries)

    def _gains(self, name: str, entries: Entries, gain: Any) -> Floats:
        return self._once((name, gain), lambda: gains(entries.grade, gain, self._run.scale))

    def _once(self, key: Hashable, compute: Callable[[], Kept]) -> Kept:
        if key not in self._kept:
            self._kept[key] = compute()
        kept: Kept = self._kept[key]
        return kept


def _best_first(query: Ints, grade: Floats, queries: int) -> Entries:
    return _entries(query, positions(query, queries), grade)


def _entries(query: Ints, position: Ints, grade: Floats) -> Entries:
    order = np.argsort(position, kind="stable")
    return Entries(query[order], position[order], grade[order])
