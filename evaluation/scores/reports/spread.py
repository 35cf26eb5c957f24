"""How the queries of a run spread between 0 and 1: ten bars of NDCG-global, and a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Q

from touchstone_core.comparison.values import fixed
from touchstone_core.words import counted

BARS: Final = 10
SLACK: Final = 1e-9
"""A value that is short of the next bar by rounding alone has reached it, as its tint has."""
LEAST_HEIGHT: Final = 2.0
"""In percent: a bar of one query among thousands can still be seen."""


def _from(place: int) -> Q:
    return Q(ndcg_global__gte=place / BARS - SLACK)


def _below(place: int) -> Q:
    return Q(ndcg_global__lt=place / BARS - SLACK)


def _key(place: int) -> str:
    return f"{place / BARS:.1f}-{(place + 1) / BARS:.1f}"


def _words(place: int) -> str:
    end = "1" if place == BARS - 1 else f"below {(place + 1) / BARS:.1f}"
    return f"{place / BARS:.1f} to {end}"


_OF_BARS: Final = {
    _key(place): _from(place) if place == BARS - 1 else _from(place) & _below(place + 1)
    for place in range(BARS)
}
RANGES: Final[Mapping[str, Q]] = {"0": Q(ndcg_global=0), **_OF_BARS, "1": _from(BARS)}
"""Which queries an address names: those of a bar, or those that score exactly 0 or 1."""
CHOICES: Final = (
    "NDCG-global",
    [
        ("0", "scoring exactly 0"),
        *((_key(place), f"scoring {_words(place)}") for place in range(BARS)),
        ("1", "scoring exactly 1"),
    ],
)
_UNKNOWN: Final = RANGES["0"] & Q(judged=0, shown__gt=0)
COUNTS: Final = {
    "zero": Count("pk", filter=RANGES["0"]),
    "one": Count("pk", filter=RANGES["1"]),
    "unknown": Count("pk", filter=_UNKNOWN),
    **{f"bar_{place}": Count("pk", filter=one) for place, one in enumerate(_OF_BARS.values())},
}
"""Of scores, for a statement that reads them anyway."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The queries from `start` to the next bar. `height` is in percent of the highest one, and `key` names the range in addresses."""

    queries: int
    height: float
    start: str
    key: str
    words: str

    @property
    def top(self) -> float:
        return 100 - self.height


@dataclass(frozen=True, slots=True)
class Spread:
    """Of the `queries` with a value, `zero` score 0, `unknown` of them because nothing on their page is judged, and `one` score 1."""

    bars: list[Bar]
    zero: int
    one: int
    unknown: int
    median: float | None

    @classmethod
    def of(cls, counts: Mapping[str, Any], median: float | None) -> "Spread | None":
        """From COUNTS; None for fewer than two queries, which have no spread."""
        numbers = [counts[f"bar_{place}"] for place in range(BARS)]
        if sum(numbers) < 2:
            return None
        most = max(numbers)
        bars = [
            Bar(
                number,
                max(100 * number / most, LEAST_HEIGHT) if number else 0,
                f"{place / BARS:.1f}",
                _key(place),
                _words(place),
            )
            for place, number in enumerate(numbers)
        ]
        return cls(bars, counts["zero"], counts["one"], counts["unknown"], median)

    def as_json(self) -> dict[str, Any]:
        """The queries of each bar by its range, and those that score exactly 0 or 1."""
        return {
            "bars": {bar.key: bar.queries for bar in self.bars},
            "zero": self.zero,
            "one": self.one,
            "unknown": self.unknown,
        }

    @property
    def queries(self) -> int:
        return sum(bar.queries for bar in self.bars)

    @property
    def words(self) -> str:
        """“3 of 24 queries score 0, and 2 score 1. Half of the queries score at least 0.7567.”"""
        sentence = "No query scores 0"
        if self.zero:
            sentence = f"{self.zero:,} of {counted(self.queries, 'query', 'queries')} {_score(self.zero)} 0"
        if self.unknown:
            page = "its page" if self.unknown == 1 else "their pages"
            which = "" if self.unknown == self.zero else f"{self.unknown:,} of them "
            sentence += f", {which}because no result on {page} is judged"
        if self.one:
            sentence += f", and {self.one:,} {_score(self.one)} 1"
        half = f" Half of the queries score at least {fixed(self.median)}." if self.median else ""
        return f"{sentence}.{half}"


def _score(queries: int) -> str:
    return "scores" if queries == 1 else "score"
