"""Consensus: one grade from several raters' grades of a pair, with a sentence that explains it.

"Cannot judge" is no grade. An admin's decision comes before the model's grade, and that before the rule's:
`settle` is the only place with this order. The rules are in `rules`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from touchstone_core.grades.rules import LEAST_TRIMMED, ConsensusRule, Rule, Tie, cut, exact_mean
from touchstone_core.words import counted

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

NOT_IN_MODEL: Final = "not in the model"
LONGEST_EXPLANATION: Final = 300
BY_RULE, BY_MODEL, BY_DECISION = range(3)


class Consensus(NamedTuple):
    """`value` is None without grades, and if a tie waits for an admin; only then it is `undecided`."""

    value: float | None
    undecided: bool = False


class ModelGrade(NamedTuple):
    """A model's grade of a pair, and its certainty (0 to 1) about the likeliest grade of the scale.

    `labels` is the number of the pair's grades that the model knew.
    """

    value: float
    likeliest: float
    certainty: float
    labels: int


class Facts(NamedTuple):
    """The facts behind a pair's grade. `answers` are those that count, None for “cannot judge”.

    `left_out` is the number of judgments by excluded raters, `decided` the grade that an admin decided, with a `cause`.
    """

    answers: Sequence[float | None] = ()
    left_out: int = 0
    decided: float | None = None
    cause: str = ""
    model: ModelGrade | None = None

    @property
    def grades(self) -> list[float]:
        return grades_among(self.answers)


@dataclass(frozen=True, slots=True, eq=False)
class ConsensusGrades:
    """The grades of N pairs, NaN for none; whether a tie waits for an admin; and the source of each grade (BY_…)."""

    values: Floats
    undecided: NDArray[np.bool_]
    source: Ints


def grades_among(answers: Sequence[float | None]) -> list[float]:
    """Returns the grades without “cannot judge”."""
    return [answer for answer in answers if answer is not None]


def consensus(grades: Sequence[float], rule: ConsensusRule) -> Consensus:
    """Applies the rule without its model to finite grades in any order."""
    if not grades:
        return Consensus(None)
    candidates = rule.rule.candidates(sorted(map(float, grades)))
    if len(candidates) > 1 and rule.tie == Tie.ADJUDICATE:
        return Consensus(None, undecided=True)
    if rule.tie == Tie.MEAN:
        return Consensus(exact_mean(candidates))
    return Consensus(candidates[-1 if rule.tie == Tie.HIGHER else 0])


def settle(
    groups: Sequence[Sequence[float | None]],
    sizes: Sequence[int] | Ints,
    rule: ConsensusRule,
    *,
    model: Floats,
    decided: Floats,
) -> ConsensusGrades:
    """The grades of N pairs in groups with the same answers; `sizes` are the numbers of pairs in each group.

    `model` and `decided` (N,) are the grades by the rule's model and by an admin, NaN for none. A model's grade replaces the
    rule's if the pair has grades, a decision replaces either. Equal grades are settled once, because most of a million pairs
    with four grades are alike.
    """
    grades = [tuple(grades_among(answers)) for answers in groups]
    by_grades = {each: consensus(each, rule) for each in set(grades)}
    values = np.repeat(np.array([by_grades[each].value for each in grades], dtype=np.float64), sizes)
    undecided = np.repeat(np.array([by_grades[each].undecided for each in grades], dtype=np.bool_), sizes)
    has_grades = np.repeat(np.array([bool(each) for each in grades], dtype=np.bool_), sizes)
    source = np.where(has_grades & ~np.isnan(model), BY_MODEL, BY_RULE)
    source[~np.isnan(decided)] = BY_DECISION
    return ConsensusGrades(
        np.choose(source, [values, model, decided]), undecided & (source == BY_RULE), source
    )


def spread(answers: Sequence[float | None], *, kinds: bool) -> float | None:
    """How much the answers to a pair differ; None if they do not.

    The distance of the lowest and the highest grade. For nominal grades (`kinds`), the share of grades that are not the most
    frequent one. 0 if only “cannot judge” differs from equal grades.
    """
    grades = grades_among(answers)
    if len(set(grades)) > 1:
        return 1 - max(Counter(grades).values()) / len(grades) if kinds else max(grades) - min(grades)
    return 0.0 if grades and len(grades) < len(answers) else None


def explain(facts: Facts, rule: ConsensusRule) -> tuple[float | None, str]:
    """Returns the grade that follows from the facts, and a sentence that explains it: “2, 3, 3: median 3”."""
    model, decided = facts.model, facts.decided
    columns = {"model": np.array([model and model.value], float), "decided": np.array([decided], float)}
    consensus_grades = settle([facts.answers], [1], rule, **columns)
    value, source = float(consensus_grades.values[0]), consensus_grades.source[0]
    if source == BY_DECISION:
        how = f"{_list_before(facts.grades)}adjudicated {_text(value)} ({facts.cause})"
    elif not facts.grades:
        how = _without_grades(facts)
    else:
        if model is not None and source == BY_MODEL:
            how = _by_model(facts.grades, model)
        else:
            how = _by_rule(facts.grades, rule) + (f"; {NOT_IN_MODEL}" if rule.has_model else "")
        if facts.left_out:
            how += f"; without {counted(facts.left_out, 'judgment')} of excluded raters"
    if len(how) > LONGEST_EXPLANATION:
        how = f"…{how[1 - LONGEST_EXPLANATION :]}"
    return (None if np.isnan(value) else value), how


def _without_grades(facts: Facts) -> str:
    if facts.answers:
        return "only “cannot judge”"
    return "no grade: only excluded raters judged it" if facts.left_out else "not judged yet"


def _by_model(grades: Sequence[float], model: ModelGrade) -> str:
    of = "" if model.value == model.likeliest else f" of {_text(model.likeliest)}"
    how = f"{_list_before(grades)}Dawid–Skene {_text(model.value)}, {_sure(model.certainty)} sure{of}"
    fresh = len(grades) - model.labels
    return f"{how}; {counted(fresh, 'grade')} {NOT_IN_MODEL}" if fresh > 0 else how


def _sure(certainty: float) -> str:
    """Never 100 %: a model is not certain."""
    percent = round(100 * certainty)
    return f"{percent} %" if percent < 100 else "over 99 %"


def _by_rule(grades: Sequence[float], rule: ConsensusRule) -> str:
    if len(grades) == 1:
        return f"{_text(grades[0])}: the only grade"
    value, undecided = consensus(grades, rule)
    plain, in_order = rule.rule.plain, sorted(grades)
    sentence, name = _list_before(grades), plain.label.lower()
    if len(candidates := plain.candidates(in_order)) > 1:
        *others, last = map(_text, candidates)
        sentence += f"{name} between {', '.join(others)} and {last}"
        if undecided:
            return f"{sentence}, waits for an admin to decide"
        sentence += f", tie goes to {rule.tie.words}: {_text(value or 0)}"
    else:
        sentence += f"{name} {_text(value or 0)}"
    if plain != Rule.TRIMMED:
        return sentence
    if out := cut(in_order):
        return f"{sentence} (without {_texts([*in_order[:out], *in_order[-out:]])})"
    return f"{sentence} (nothing left out of fewer than {LEAST_TRIMMED})"


def _text(grade: float) -> str:
    """At most four decimals, for reading: 3, 2.5, 1.6667."""
    return f"{round(grade, 4) + 0:.10g}"


def _texts(grades: Sequence[float]) -> str:
    return ", ".join(map(_text, grades))


def _list_before(grades: Sequence[float]) -> str:
    return f"{_texts(sorted(grades))}: " if grades else ""
