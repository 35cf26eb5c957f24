"""From several raters' grades of one pair to one grade, and the sentence that says how.

| rule | odd count, or one most frequent grade | even count, or several most frequent grades |
| --- | --- | --- |
| median | the middle grade | tie between the two middle grades, if they differ |
| majority | the most frequent grade | tie between the most frequent grades |
| mean | the arithmetic mean, exact before it is rounded to a float | the same |

A tie goes to the lower or the higher of the grades concerned, to their mean, or stays undecided for an admin to
adjudicate. "Cannot judge" is no grade and never gets in here.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Rule = Literal["median", "mean", "majority"]
Tie = Literal["lower", "higher", "mean", "adjudicate"]


@dataclass(frozen=True, slots=True)
class Consensus:
    """`value` is None where there are no grades (then not `undecided`) and where a tie waits for an admin (then so)."""

    value: float | None
    how: str
    undecided: bool = False


def consensus(grades: Sequence[float], *, rule: Rule = "median", tie: Tie = "lower") -> Consensus:
    """The one grade of a pair. The order of `grades` does not matter; they must be finite."""
    if not grades:
        return Consensus(None, "no grades yet")
    if len(grades) == 1:
        return Consensus(float(grades[0]), f"{_text(grades[0])}: the only grade")
    ordered = sorted(float(grade) for grade in grades)
    if rule == "mean":
        value = _mean(ordered)
        return Consensus(value, f"{_texts(ordered)}: mean {_text(value)}")
    return _settle(ordered, _CANDIDATES[rule](ordered), rule=rule, tie=tie)


def _settle(ordered: Sequence[float], candidates: Sequence[float], *, rule: Rule, tie: Tie) -> Consensus:
    listed = _texts(ordered)
    if len(candidates) == 1:
        return Consensus(candidates[0], f"{listed}: {rule} {_text(candidates[0])}")
    between = f"{listed}: {rule} between {' and '.join(map(_text, candidates))}"
    if tie == "adjudicate":
        return Consensus(None, f"{between}, waits for an admin to decide", undecided=True)
    value = {"lower": candidates[0], "higher": candidates[-1], "mean": _mean(candidates)}[tie]
    target = "their mean" if tie == "mean" else f"the {tie}"
    return Consensus(value, f"{between}, tie goes to {target}: {_text(value)}")


def _middle(ordered: Sequence[float]) -> list[float]:
    half = len(ordered) // 2
    return sorted({ordered[half], ordered[~half]})


def _most_frequent(ordered: Sequence[float]) -> list[float]:
    counts = Counter(ordered)
    most = max(counts.values())
    return sorted(grade for grade, count in counts.items() if count == most)


_CANDIDATES: dict[Rule, Callable[[Sequence[float]], list[float]]] = {
    "median": _middle,
    "majority": _most_frequent,
}


def _mean(grades: Sequence[float]) -> float:
    """Summed exactly: .1 three times has the mean .1, and a mean never leaves the range of its grades."""
    return float(sum(map(Fraction, grades)) / len(grades))


def _text(grade: float) -> str:
    """At most four decimals, for reading: 3, 2.5, 1.6667."""
    return f"{round(grade, 4) + 0:.10g}"


def _texts(grades: Sequence[float]) -> str:
    return ", ".join(map(_text, grades))
