"""Values of single queries from another tool, beside those of every formula: which formula fits, and where it first differs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

import numpy as np

from evaluation.guide.reports.reconcile import SLACK, Candidate, Reconciliation
from judgments.models import Query
from touchstone_core.comparison.values import fixed
from touchstone_core.metrics.types import Floats, Mask
from touchstone_core.words import counted

SHOWN: Final = 10
MOST_LINES: Final = 100_000
SUMMARIES: Final = frozenset({"all", "mean", "average", "amean"})
_SPLIT: Final = re.compile(r"[\t,;]|\s+")


class PastedError(ValueError):
    """A line that can't be read; the message says which and why."""


@dataclass(frozen=True, slots=True)
class PastedValues:
    """The number of each query, as a text, so that its digits count."""

    numbers: Mapping[str, Decimal]

    @classmethod
    def read(cls, text: str) -> "PastedValues":
        """Lines of query ID and value, or of trec_eval's measure, query ID and value. Raises PastedError."""
        numbers: dict[str, Decimal] = {}
        lines = [(at, line.strip()) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) > MOST_LINES:
            raise PastedError(f"These are {len(lines):,} lines; paste at most {MOST_LINES:,}.")
        for at, line in lines:
            name, number = _read_line(line, at, is_first=not numbers)
            if not name or name.lower() in SUMMARIES or number is None:
                continue
            if name in numbers:
                raise PastedError(
                    f"Line {at}: query “{name}” has a value already. Paste one measure at a time."
                )
            numbers[name] = number
        if not numbers:
            raise PastedError(
                "No values found. Paste a query ID and a value on each line, such as “q1 0.645”."
            )
        return cls(numbers)


@dataclass(frozen=True, slots=True)
class DifferingQuery:
    query: Query
    theirs: str
    ours: str


@dataclass(frozen=True, slots=True)
class PerQuery:
    """The formula that fits most queries, those on which it differs, the earliest of the paste first, and what can't be compared."""

    candidate: Candidate
    agreeing: int
    compared: int
    differing: list[DifferingQuery]
    without_value: list[Query]
    unknown: list[str]
    unanswered: int

    @property
    def differences(self) -> int:
        return self.compared - self.agreeing

    @property
    def sentences(self) -> Iterator[str]:
        """What the paste leaves out, in words."""
        if self.without_value:
            count, left_out = len(self.without_value), self.unanswered
            lacks = f"Your numbers leave out {_queries(count)} of this list"
            if left_out == count:
                yield f"{lacks} that the run doesn’t answer."
            elif left_out:
                yield f"{lacks}. The run doesn’t answer {left_out:,} of them."
            else:
                yield f"{lacks}."
        if self.unknown:
            names = ", ".join(f"“{name}”" for name in self.unknown[:3])
            more = f" and {len(self.unknown) - 3:,} more" if len(self.unknown) > 3 else ""
            have = "has" if len(self.unknown) == 1 else "have"
            yield f"{_queries(len(self.unknown)).capitalize()} of yours {have} no judgments in this list: {names}{more}."


def compare_queries(
    pasted: PastedValues, reconciliation: Reconciliation, queries: Sequence[Query], cutoff: int
) -> PerQuery | None:
    """`queries` are those of the reconciliation, in its order. None where no query is in both."""
    place_of = {query.external_id: place for place, query in enumerate(queries)}
    known = {name: place_of[name] for name in pasted.numbers if name in place_of}
    if not known:
        return None
    places = np.fromiter(known.values(), dtype=np.int64)
    theirs = [pasted.numbers[name] for name in known]
    numbers = np.array([float(number) for number in theirs])
    half = np.array([float(_half(number)) for number in theirs]) + float(SLACK)
    fits: list[tuple[int, Candidate, Floats, Mask]] = []
    for candidate, values in reconciliation.values_of_queries(cutoff):
        agrees = np.abs(values[places] - numbers) <= half
        fits.append((int(agrees.sum()), candidate, values[places], agrees))
    agreeing, candidate, values, agrees = max(fits, key=lambda fit: (fit[0], bool(fit[1].presets)))
    missed = [query for query in queries if query.external_id not in pasted.numbers]
    return PerQuery(
        candidate=candidate,
        agreeing=agreeing,
        compared=len(known),
        differing=[
            DifferingQuery(queries[places[at]], str(theirs[at]), _shown(values[at]))
            for at in np.flatnonzero(~agrees)[:SHOWN].tolist()
        ],
        without_value=missed,
        unknown=[name for name in pasted.numbers if name not in place_of],
        unanswered=sum(not reconciliation.answers(place_of[query.external_id]) for query in missed),
    )


def _read_line(line: str, at: int, *, is_first: bool) -> tuple[str, Decimal | None]:
    """A query ID and its value. A first line without a number is a header; a comma may be the decimal sign after a tab."""
    cells = [
        cell.strip("\"' ")
        for cell in (line.split("\t") if "\t" in line else _SPLIT.split(line))
        if cell.strip()
    ]
    if len(cells) not in (2, 3):
        raise PastedError(
            f"Line {at}: “{line[:60]}” has {counted(len(cells), 'part')}; expected a query ID and a value."
        )
    name, text = cells[-2], cells[-1].replace(",", ".")
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if number.is_finite():
        return name, number
    if text.lower() in ("nan", "null", "none", "-"):
        return name, None
    if is_first:
        return "", None
    raise PastedError(f"Line {at}: “{cells[-1][:40]}” isn’t a number.")


def _half(number: Decimal) -> Decimal:
    """Half of the last digit."""
    exponent = number.as_tuple().exponent
    return Decimal(5).scaleb((exponent if isinstance(exponent, int) else 0) - 1)


def _shown(number: float) -> str:
    return "left out" if np.isnan(number) else fixed(float(number))


def _queries(count: int) -> str:
    return "one query" if count == 1 else f"{count:,} queries"
