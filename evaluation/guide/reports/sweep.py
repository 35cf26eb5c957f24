"""Many measures of one run. Computes what they share only once: orders, gains, DCG and ideals.

`Sweep(run).values(measure)` is `measure.values(run)`; a test holds every formula that reconcile tries to that.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.gain import gains, top_gain
from touchstone_core.metrics.grammar import Value
from touchstone_core.metrics.measure import Measure
from touchstone_core.metrics.parameters import SKIP
from touchstone_core.metrics.query_sums import at_least, divide_by_ideal, positions, sum_discounted
from touchstone_core.metrics.types import Floats, Ints, Mask

SHORT: Final = 2**16
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Graded documents (N,) by their place in their query's list, so that every cutoff is a part from the start."""

    query: Ints
    position: Ints  # from 0, never falling
    grade: Floats

    def until(self, cutoff: int) -> int:
        return int(np.searchsorted(self.position, cutoff))


@dataclass(frozen=True, slots=True)
class Means:
    """The parts of an NDCG's mean under any policies: the sum over queries with a value, and counts of queries.

    `hopeless` queries are missing from the run and have no gain in the judgments either.
    """

    total: float
    with_ideal: int
    without: int
    missing: int
    hopeless: int

    def under(self, zero: Value, missing: Value) -> float | None:
        """The mean under two policies; None over no query. `zero` doesn't affect missing queries."""
        absent = 0 if missing == SKIP else self.missing
        if isinstance(zero, str):  # 'skip'
            counted = self.with_ideal + max(absent - self.hopeless, 0)
            return self.total / counted if counted else None
        counted = self.with_ideal + self.without + absent
        return (self.total + zero * self.without) / counted if counted else None


class Sweep:
    """Sorts hits and judgments once. Each further NDCG then costs a sum within its cutoff."""

    def __init__(self, run: JudgedRun) -> None:
        self._run = run
        self._results: dict[Hashable, Any] = {}
        best = np.lexsort((-run.hit_grade, run.hit_query))
        self._best = run.hit_query[best], run.hit_rank[best], run.hit_grade[best]
        self._shown = _entries(run.hit_query, run.hit_rank - 1, run.hit_grade)
        self._retrieved = _best_first(run.hit_query[best], run.hit_grade[best])
        best = np.lexsort((-run.judged_grade, run.judged_query))
        self._judged = _best_first(run.judged_query[best], run.judged_grade[best])

    def values(self, measure: Measure) -> Floats:
        """The value of every query (Q,); raises MetricsError as the measure does."""
        choices: Mapping[str, Any] = measure.definition.with_defaults(dict(measure.parameters))
        if measure.name != "nDCG" or measure.cutoff is None or not self._shares(choices):
            return measure.values(self._run)
        dcg, best = self._pair(choices, measure.cutoff)
        gain = choices["gain"]
        values = divide_by_ideal(
            dcg,
            best,
            zero=choices["zero"],
            answered=self._run.answered,
            some_gain=lambda: self._once(("some gain", gain), lambda: self._has_gain(gain)),
        )
        return np.where(self._run.answered, values, np.nan) if choices["missing"] == SKIP else values

    def means(self, measure: Measure) -> Means | None:
        """The parts of its mean under any policies; None for a measure that shares no sums with others.

        Raises MetricsError as the measure does.
        """
        choices = measure.definition.with_defaults(dict(measure.parameters))
        if measure.name != "nDCG" or measure.cutoff is None or not self._shares(choices):
            return None
        dcg, best = self._pair(choices, measure.cutoff)
        answered, some = self._run.answered, best > 0
        there = answered & some
        with_ideal = int(there.sum())
        gain = choices["gain"]
        hopeless = ~(answered | some | self._once(("some gain", gain), lambda: self._has_gain(gain)))
        return Means(
            total=float((dcg[there] / best[there]).sum()),
            with_ideal=with_ideal,
            without=int(answered.sum()) - with_ideal,
            missing=int((~answered).sum()),
            hopeless=int(hopeless.sum()),
        )

    def _pair(self, choices: Mapping[str, Any], cutoff: int) -> tuple[Floats, Floats]:
        """DCG and ideal DCG of every query."""
        gain, discount, base = choices["gain"], choices["discount"], choices["base"]
        key, ideal = (gain, discount, base, cutoff), str(choices["ideal"])
        dcg = self._once(("dcg", *key), lambda: self._sum("shown", self._shown, *key))
        return dcg, self._once((ideal, *key), lambda: at_least(dcg, self._ideal(ideal, *key)))

    def _shares(self, choices: Mapping[str, Any]) -> bool:
        """Whether the order by grade is the order by gain, and no parameter changes the sums."""
        table = self._run.scale.gains or {}
        rising = [table[grade] for grade in sorted(table)]
        orders_alike = choices["gain"] != "table" or rising == sorted(rising)
        plain = choices["unjudged"] == "zero" and choices["depth"] is None and choices["max"] is None
        return orders_alike and plain

    def _has_gain(self, gain: Any) -> Mask:
        first = slice(0, self._judged.until(1))
        worth = self._gains("judged", self._judged, gain)[first] > 0
        some: Mask = np.bincount(self._judged.query[first], worth, self._run.queries) > 0
        return some

    def _ideal(self, ideal: str, gain: Any, discount: Any, base: Any, cutoff: int) -> Floats:
        if ideal == "max":
            weights = discounts(discount, cutoff, base)
            return np.full(self._run.queries, np.cumsum(top_gain(gain, self._run.scale) * weights)[-1])
        if ideal == "local":
            return self._local(gain, discounts(discount, cutoff, base))
        if ideal == "recall":
            return self._sum("retrieved", self._retrieved, gain, discount, base, cutoff)
        if ideal == "global-uncut":
            cutoff = int(max(self._judged.position.max(initial=0) + 1, self._run.retrieved.max(initial=0)))
            return self._once(
                ("uncut", gain, discount, base),
                lambda: self._sum("judged", self._judged, gain, discount, base, cutoff),
            )
        return self._sum(
            "judged", self._judged, gain, discount, base, cutoff, hits_only=ideal == "global-hits"
        )

    def _local(self, gain: Any, weights: Floats) -> Floats:
        inside, query, place = self._once(("page", len(weights)), lambda: self._page(len(weights)))
        worth = self._once(("best", gain), lambda: gains(self._best[2], gain, self._run.scale))[inside]
        return sum_discounted(query, worth, place, weights, self._run.queries)

    def _page(self, cutoff: int) -> tuple[Mask, Ints, Ints]:
        """Which of the hits lie within the cutoff, their queries, and their places in the best order of the page."""
        query, rank, _ = self._best
        inside = rank <= cutoff
        return inside, query[inside], positions(query[inside])

    def _sum(
        self,
        name: str,
        entries: Entries,
        gain: Any,
        discount: Any,
        base: Any,
        cutoff: int,
        *,
        hits_only: bool = False,
    ) -> Floats:
        """DCG of the entries, from that at the greatest lower cutoff; `hits_only`: at most as many as were retrieved."""
        key = ("sums", name, gain, discount, base, hits_only)
        sums: dict[int, Floats] = self._once(key, lambda: {0: np.zeros(self._run.queries)})
        start = max(each for each in sums if each <= cutoff)
        if start < cutoff:
            part = slice(entries.until(start), entries.until(cutoff))
            query, place = entries.query[part], entries.position[part]
            worth = self._gains(name, entries, gain)[part]
            if hits_only:
                inside = place < self._run.retrieved[query]
                query, place, worth = query[inside], place[inside], worth[inside]
            weights = discounts(discount, cutoff, base)
            sums[cutoff] = sums[start] + sum_discounted(query, worth, place, weights, self._run.queries)
        return sums[cutoff]

    def _gains(self, name: str, entries: Entries, gain: Any) -> Floats:
        return self._once((name, gain), lambda: gains(entries.grade, gain, self._run.scale))

    def _once(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        if key not in self._results:
            self._results[key] = compute()
        result: Result = self._results[key]
        return result


def _best_first(query: Ints, grade: Floats) -> Entries:
    return _entries(query, positions(query), grade)


def _entries(query: Ints, position: Ints, grade: Floats) -> Entries:
    # numpy sorts small integers by radix, many times faster.
    small = position.max(initial=0) < SHORT
    order = np.argsort(position.astype(np.uint16) if small else position, kind="stable")
    return Entries(query[order], position[order], grade[order])
