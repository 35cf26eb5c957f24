"""Answers to pairs as pages show them, and how far they lie apart."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from judgments.base.digits import written
from judgments.judging.reports.judging import choices
from judgments.models import Judgment, JudgmentList, Level, Reason


@dataclass(frozen=True, slots=True)
class Chip:
    """An answer for a page; `heat` in tenths of the scale, as on the rating screen. `cannot`: no grade but a reason."""

    text: str
    label: str = ""
    heat: int = 0
    cannot: bool = False


class Chips:
    """Makes chips for one scale, whose grades are prefetched."""

    def __init__(self, judgment_list: JudgmentList) -> None:
        scale = judgment_list.scale
        self._known = {choice.grade.value: choice for choice in choices(scale, None)}
        self._low, self._span = scale.minimum, (scale.maximum - scale.minimum) or 1.0
        self._ordered = scale.level != Level.NOMINAL

    def of_grade(self, value: float | None) -> Chip | None:
        """None where there is no grade."""
        return None if value is None else self.of(value)

    def of(self, value: float | None, reason: str = "") -> Chip:
        if value is None:
            return Chip("cannot judge", str(Reason(reason).label), cannot=True)
        known = self._known.get(value)
        if known:
            return Chip(written(value), known.grade.label, known.heat)
        heat = round(10 * (value - self._low) / self._span) if self._ordered else 0
        return Chip(written(round(value, 4)), heat=min(10, max(0, heat)))


def answers_to(pair_ids: Iterable[int], without: Sequence[int] = ()) -> Mapping[int, list[Judgment]]:
    """The answers that may count, by pair, the highest grade last and “cannot judge” behind it."""
    found = Judgment.objects.real().filter(pair__in=list(pair_ids))
    by_pair: defaultdict[int, list[Judgment]] = defaultdict(list)
    for one in found.exclude(rater__in=list(without)).order_by("value", "pk"):
        by_pair[one.pair_id].append(one)
    return by_pair


def apart_in_words(judgment_list: JudgmentList, spread: float | None) -> str:
    """“3 apart”, “40 % differ”, “no grade”, or that there is no difference."""
    if spread is None:
        return "the same"
    if not spread:
        return "no grade"
    if judgment_list.scale.level == Level.NOMINAL:
        return f"{100 * spread:.0f} % differ"
    return f"{written(round(spread, 4))} apart"
