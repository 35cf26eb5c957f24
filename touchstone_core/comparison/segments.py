"""The differences of runs in parts of the queries: by tag, and by head, torso and tail. R runs, Q queries."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Final

import numpy as np

from touchstone_core.comparison.coverage import UNEQUAL
from touchstone_core.comparison.page_evidence import Evidence
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.significance.differences import differences
from touchstone_core.significance.intervals import level_of_each, mean_difference

THIRDS: Final = ("head", "torso", "tail")
MOST_TAGS: Final = 30

Figures = dict[str, object]


def segments(
    queries: Ints,
    weights: Floats,
    values: Floats,
    evidence: Sequence[Evidence] | None,
    span: float | None,
    tags: Iterable[tuple[int, Sequence[str]]],
    shares: Floats,
) -> list[Figures]:
    """Each part with its number of queries, and of each run but the first the mean difference with its interval, the
    impact on its pages (None where nobody looked), and whether by `judged_shares` (R, Q) it is judged `unequal` to the first. `values` (R, Q) is what is compared, and ±`span` what their differences
    stay within. The intervals of all parts and runs hold together. `tags` are those of queries by key.

    Tags in the order of the alphabet, those of the most queries where there are too many; then the thirds of the
    traffic, where queries differ in weight.
    """
    every = list(parts(queries, weights, tags))
    level = level_of_each(len(every) * (len(values) - 1))
    return [
        {
            "kind": kind,
            "name": name,
            "queries": int(mask.sum()),
            "runs": [
                {
                    **_difference(differences(values[0, mask], values[place, mask]), level, span),
                    "unequal": bool(abs((shares[place] - shares[0])[mask].mean()) > UNEQUAL),
                    "impact": evidence[place - 1].of(mask).counts() if evidence else None,
                }
                for place in range(1, len(values))
            ],
        }
        for kind, name, mask in every
    ]


def parts(
    queries: Ints, weights: Floats, tags: Iterable[tuple[int, Sequence[str]]]
) -> Iterator[tuple[str, str, Mask]]:
    """Kind, name and queries (Q,) of each part, in the order of `segments`; `tags` are those of queries by ID."""
    yield from _tags(queries, tags)
    yield from _thirds(weights)


def traffic_thirds(weights: Floats) -> Floats:
    """(Q,) 0 for the head, 1 for the torso, 2 for the tail: thirds of the traffic, not of the queries.

    The most frequent queries that make up a third of the traffic are the head; the query that crosses a border
    belongs to the part that it begins in. Queries of the same weight stand in the order that they came in.
    """
    order = np.argsort(-weights, kind="stable")
    before = np.cumsum(weights[order]) - weights[order]
    parts = np.empty(len(weights))
    parts[order] = np.minimum(np.floor(3 * before / weights.sum() + 1e-9), 2)
    return parts


def _thirds(weights: Floats) -> Iterator[tuple[str, str, Mask]]:
    if not np.ptp(weights):
        return
    parts = traffic_thirds(weights)
    for place, name in enumerate(THIRDS):
        if (parts == place).any():
            yield "traffic", name, parts == place


def _tags(queries: Ints, tags: Iterable[tuple[int, Sequence[str]]]) -> Iterator[tuple[str, str, Mask]]:
    queries_by_tag: dict[str, set[int]] = defaultdict(set)
    for key, names in tags:
        for tag in names:
            queries_by_tag[tag].add(key)
    largest = sorted(queries_by_tag, key=lambda tag: (-len(queries_by_tag[tag]), tag))[:MOST_TAGS]
    for tag in sorted(largest):
        yield "tag", tag, np.isin(queries, list(queries_by_tag[tag]))


def _difference(difference: Floats, level: float, span: float | None) -> Figures:
    estimate = mean_difference(difference, level=level, span=span)
    return {"mean": estimate.mean, "interval": estimate.interval and asdict(estimate.interval)}
