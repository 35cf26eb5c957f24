"""Three invented raters who grade the pooled pairs, each with a character, and who have not finished.

A rater starts from the true grade (`truth.csv`). With the chances below she is one grade lower or higher; with a
small chance her finger slips and any grade comes out. Chance is a hash of seed, rater, query and product: a judgment
stays the same whatever happens to the others, on every machine and in every version of Python.
"""

import hashlib
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from examples.shop.files import Remark, Truth

SEED = 2
TOP = 3
SLIP = 0.012
ZERO_FACTOR = 0.35  # a product that has nothing to do with the query is seldom taken for related
QUERIES_A_DAY = 5

Pair = tuple[str, str]
Row = tuple[str, str, str, str, str, str, str, str]


@dataclass(frozen=True)
class Rater:
    """Chances of one grade less and one grade more, where the case is clear and where it is borderline."""

    name: str
    clear: tuple[float, float]
    borderline: tuple[float, float]
    seconds: float  # the median time per pair
    starts: datetime
    untouched: frozenset[str] = field(default=frozenset())  # queries that wait for this rater
    halfway: str = ""  # the query at which this rater stopped


RATERS = (
    Rater(
        "rater",
        clear=(0.03, 0.03),
        borderline=(0.15, 0.15),
        seconds=24.0,
        starts=datetime(2026, 3, 2, 8, 30, tzinfo=UTC),
        untouched=frozenset({"q09", "q12", "q13", "q18", "q21", "q25"}),
        halfway="q24",
    ),
    Rater(
        "noor",
        clear=(0.14, 0.02),
        borderline=(0.42, 0.04),
        seconds=18.0,
        starts=datetime(2026, 3, 2, 13, 10, tzinfo=UTC),
        untouched=frozenset({"q25"}),
    ),
    Rater(
        "emil",
        clear=(0.03, 0.16),
        borderline=(0.05, 0.40),
        seconds=14.0,
        starts=datetime(2026, 3, 4, 17, 45, tzinfo=UTC),
        untouched=frozenset({"q17", "q22", "q25"}),
        halfway="q23",
    ),
)


def judgments(
    pairs: Iterable[Pair], truth: Mapping[Pair, Truth], remarks: Mapping[tuple[str, str, str], Remark]
) -> list[Row]:
    """The rows of `judgments.csv`, rater by rater in the order of their work."""
    pool = list(pairs)
    return [row for rater in RATERS for row in work(rater, pool, truth, remarks)]


def work(
    rater: Rater,
    pool: Sequence[Pair],
    truth: Mapping[Pair, Truth],
    remarks: Mapping[tuple[str, str, str], Remark],
) -> Iterator[Row]:
    """Query after query, a day for every five; within a query in the rater's own shuffled order."""
    by_query: dict[str, list[str]] = {}
    for query, document in pool:
        if query not in rater.untouched:
            by_query.setdefault(query, []).append(document)
    order = sorted(by_query, key=lambda query: (query == rater.halfway, chance(rater.name, query)))
    for number, query in enumerate(order):
        day, place = divmod(number, QUERIES_A_DAY)
        clock = rater.starts + timedelta(
            days=day, minutes=20 * place + 7 * chance(rater.name, query, "start")
        )
        documents = sorted(by_query[query], key=lambda document: chance(rater.name, query, document, "order"))
        if query == rater.halfway:
            documents = documents[: len(documents) // 2]
        for document in documents:
            seconds = time_taken(rater, query, document)
            clock += timedelta(seconds=seconds + 1)
            remark = remarks.get((rater.name, query, document), Remark("", ""))
            grade = "" if remark.reason else str(grade_given(rater, (query, document), truth))
            when = clock.isoformat(timespec="seconds")
            yield query, document, rater.name, grade, remark.reason, remark.comment, when, f"{seconds:.1f}"


def grade_given(rater: Rater, pair: Pair, truth: Mapping[Pair, Truth]) -> int:
    true = truth.get(pair, Truth(0, borderline=False))
    if chance(rater.name, *pair, "slip") < SLIP:
        return int(chance(rater.name, *pair, "any") * (TOP + 1))
    down, up = rater.borderline if true.borderline else rater.clear
    if true.grade == 0:
        down, up = 0.0, up * ZERO_FACTOR
    draw = chance(rater.name, *pair, "grade")
    if draw < down:
        return true.grade - 1
    return min(TOP, true.grade + 1) if draw > 1 - up else true.grade


def time_taken(rater: Rater, query: str, document: str) -> float:
    """Log-normal around the rater's median; one in a hundred looked something up."""
    spread: float = statistics.NormalDist().inv_cdf(
        0.005 + 0.99 * chance(rater.name, query, document, "time")
    )
    pause = 30.0 if chance(rater.name, query, document, "pause") < 0.01 else 0.0
    return round(rater.seconds * math.pow(1.6, spread) + pause, 1)


def chance(*key: str) -> float:
    """A number in [0, 1) that depends on nothing but the seed and the key."""
    digest = hashlib.sha256("|".join([str(SEED), *key]).encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48
