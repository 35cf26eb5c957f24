"""Answers to pairs as pages show them, and how far apart they are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from judgments.base.digits import written
from judgments.judging.reports.judging import choices
from judgments.models import Judgment, JudgmentList, Reason


@dataclass(frozen=True, slots=True)
class Chip:
    """An answer on a page; `heat` in tenths of the scale, as on the rating screen. `cannot`: a reason instead of a grade."""

    text: str
    label: str = ""
    heat: int = 0
    cannot: bool = False


class Chips:
    """The chips of one scale, whose grades are prefetched."""

    def __init__(self, judgment_list: JudgmentList) -> None:
        scale = judgment_list.scale
        self._choices = {choice.grade.value: choice for choice in choices(scale, None)}
        self._low, self._span = scale.minimum, (scale.maximum - scale.minimum) or 1.0
        self._ordered = scale.has_order

    def of_grade(self, value: float | None) -> Chip | None:
        """None if there is no grade."""
        return None if value is None else self.of(value)

    def of(self, value: float | None, reason: str = "") -> Chip:
        if value is None:
            return Chip("cannot judge", str(Reason(reason).label), cannot=True)
        if choice := self._choices.get(value):
            return Chip(written(value), choice.grade.label, choice.heat)
        heat = round(10 * (value - self._low) / self._span) if self._ordered else 0
        return Chip(written(round(value, 4)), heat=min(10, max(0, heat)))


def answers_to(pair_ids: Iterable[int], without: Sequence[int] = ()) -> Mapping[int, list[Judgment]]:
    """The answers to each pair without practice, by rising grade, then “cannot judge”; without raters in `without`."""
    answers = Judgment.objects.real().filter(pair__in=list(pair_ids)).exclude(rater__in=list(without))
    by_pair: defaultdict[int, list[Judgment]] = defaultdict(list)
    for answer in answers.order_by("value", "pk"):
        by_pair[answer.pair_id].append(answer)
    return by_pair


def apart_in_words(judgment_list: JudgmentList, spread: float | None) -> str:
    """“3 apart”, “40 % differ”, “no grade” or “the same”."""
    if spread is None:
        return "the same"
    if not spread:
        return "no grade"
    if not judgment_list.scale.has_order:
        return f"{100 * spread:.0f} % differ"
    return f"{written(round(spread, 4))} apart"
