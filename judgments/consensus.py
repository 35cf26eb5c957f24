"""From several raters' grades of one pair to one grade, and the sentence that says how.

| rule | odd count, or one most frequent grade | even count, or several most frequent grades |
| --- | --- | --- |
| median | the middle grade | tie between the two middle grades, if they differ |
| majority | the most frequent grade | tie between the most frequent grades |
| mean | the arithmetic mean, exact before it is rounded to a float | the same |
| trimmed mean | of four or more: the mean without the lowest and highest fifth, at least one of each | the same |

| Dawid–Skene, nominal | what the model says is likeliest (see `dawid_skene`); the majority where it says nothing yet | a tie of that majority |
| Dawid–Skene, ordinal | the mean under the model's chances; the median where it says nothing yet | a tie of that median |

A tie goes to the lower or the higher of the grades concerned, to their mean, or stays undecided for an admin to
adjudicate. Means have no ties. "Cannot judge" is no grade and never gets in here. Where an admin has decided, that
grade stands beside the judgments (`adjudicated`).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

Rule = Literal["median", "mean", "trimmed", "majority", "ds-nominal", "ds-ordinal"]
Tie = Literal["lower", "higher", "mean", "adjudicate"]

LEAST_TRIMMED: Final = 4
TRIMMED_PART: Final = 5  # a fifth at each end
NOT_IN_MODEL: Final = "not in the model"


@dataclass(frozen=True, slots=True)
class Consensus:
    """`value` is None where there are no grades (then not `undecided`) and where a tie waits for an admin (then so)."""

    value: float | None
    how: str
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class Modelled:
    """What a model says of a pair: its grade, and how sure it is (0 to 1) of the likeliest grade of the scale.

    `labels` is the number of the pair's grades that it knew.
    """

    value: float
    likeliest: float
    certainty: float
    labels: int


def consensus(
    grades: Sequence[float], *, rule: Rule = "median", tie: Tie = "lower", model: Modelled | None = None
) -> Consensus:
    """The one grade of a pair. The order of `grades` does not matter; they must be finite.

    `model` is what the rule's model says of the pair, None where it says nothing or where the rule has no model.
    """
    if not grades:
        return Consensus(None, "no grades yet")
    if rule in _WITHOUT_MODEL:
        return _modelled(grades, model, rule=_WITHOUT_MODEL[rule], tie=tie)
    if len(grades) == 1:
        return Consensus(float(grades[0]), f"{_text(grades[0])}: the only grade")
    ordered = sorted(float(grade) for grade in grades)
    if rule == "mean":
        value = _mean(ordered)
        return Consensus(value, f"{_texts(ordered)}: mean {_text(value)}")
    if rule == "trimmed":
        return _trimmed(ordered)
    return _settle(ordered, _CANDIDATES[rule](ordered), rule=rule, tie=tie)


def adjudicated(grades: Sequence[float], value: float, cause: str) -> Consensus:
    """What an admin decided, whatever the grades; these are told all the same. `cause` in words."""
    listed = f"{_texts(sorted(grades))}: " if grades else ""
    return Consensus(float(value), f"{listed}adjudicated {_text(value)} ({cause})")


def spread(grades: Sequence[float], *, cannot: int, kinds: bool) -> float | None:
    """How far the answers to a pair lie apart; None where they do not differ.

    Between the lowest and the highest grade; of grades that are `kinds` without an order the share that is not the
    most frequent one; 0 where only “cannot judge”, said `cannot` times, stands against grades.
    """
    if len(set(grades)) > 1:
        return 1 - max(Counter(grades).values()) / len(grades) if kinds else max(grades) - min(grades)
    return 0.0 if grades and cannot else None


def _modelled(grades: Sequence[float], model: Modelled | None, *, rule: Rule, tie: Tie) -> Consensus:
    if model is None:
        found = consensus(grades, rule=rule, tie=tie)
        return Consensus(found.value, f"{found.how}; {NOT_IN_MODEL}", found.undecided)
    of = "" if model.value == model.likeliest else f" of {_text(model.likeliest)}"
    how = f"{_texts(sorted(grades))}: Dawid–Skene {_text(model.value)}, {_sure(model.certainty)} sure{of}"
    fresh = len(grades) - model.labels
    if fresh > 0:
        how += f"; {fresh} {'grade' if fresh == 1 else 'grades'} {NOT_IN_MODEL}"
    return Consensus(model.value, how)


def _sure(certainty: float) -> str:
    """Never 100 %: a model is not certain."""
    percent = round(100 * certainty)
    return f"{percent} %" if percent < 100 else "over 99 %"


def _trimmed(ordered: Sequence[float]) -> Consensus:
    cut = max(1, len(ordered) // TRIMMED_PART) if len(ordered) >= LEAST_TRIMMED else 0
    value = _mean(ordered[cut : len(ordered) - cut])
    said = f"{_texts(ordered)}: trimmed mean {_text(value)}"
    if not cut:
        return Consensus(value, f"{said} (nothing left out of fewer than {LEAST_TRIMMED})")
    return Consensus(value, f"{said} (without {_texts([*ordered[:cut], *ordered[-cut:]])})")


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
_WITHOUT_MODEL: dict[Rule, Rule] = {"ds-nominal": "majority", "ds-ordinal": "median"}


def _mean(grades: Sequence[float]) -> float:
    """Summed exactly: .1 three times has the mean .1, and a mean never leaves the range of its grades."""
    return float(sum(map(Fraction, grades)) / len(grades))


def _text(grade: float) -> str:
    """At most four decimals, for reading: 3, 2.5, 1.6667."""
    return f"{round(grade, 4) + 0:.10g}"


def _texts(grades: Sequence[float]) -> str:
    return ", ".join(map(_text, grades))
