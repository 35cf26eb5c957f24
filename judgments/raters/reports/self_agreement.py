"""How often raters give the same grade again: what hidden repeats say. For admins to look at; nothing follows from it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from judgments.judging.reports.known_answers import known_answer
from judgments.models import JudgmentList, RepeatAnswer, Scale
from touchstone_core.grades import accuracy


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """Repeats that a rater graded: how many, how many the `same` as the first time, and how far apart on average.

    `interval` is where the true share of same grades lies, by Wilson's 95 % interval. Distances count grades of the
    scale, on a continuous one its units. Repeats that the rater could not judge this time count apart.
    """

    graded: int
    same: int
    interval: accuracy.Interval
    distance: float
    cannot_judge: int

    @property
    def enough(self) -> bool:
        """Whether there are as many as a share takes."""
        return self.graded >= accuracy.ENOUGH


def self_agreement(judgment_list: JudgmentList) -> dict[int, SelfAgreement]:
    """By rater, those who answered repeats. One statement."""
    answers = RepeatAnswer.objects.counted().filter(draw__judgment_list=judgment_list)
    rows = answers.order_by().values_list("draw__rater", "first_value", "value").annotate(count=Count("pk"))
    counts: dict[int, dict[tuple[float, float | None], int]] = defaultdict(dict)
    for rater_id, first, again, count in rows:
        counts[rater_id][first, again] = count
    return {rater_id: compare_answers(judgment_list.scale, found) for rater_id, found in counts.items()}


def compare_answers(scale: Scale, counts: Mapping[tuple[float, float | None], int]) -> SelfAgreement:
    """What the counts of (first grade, grade of the repeat) say; None is “cannot judge”.

    As with known answers, a tenth of the range of a continuous scale counts as the same.
    """
    steps = [grade.value for grade in scale.grades.all()]
    graded = same = cannot_judge = 0
    apart = 0.0
    for (first, again), count in counts.items():
        if again is None:
            cannot_judge += count
            continue
        compared = known_answer(scale, steps, again, (first,))
        graded += count
        same += count * compared.right
        apart += count * abs(compared.distance)
    distance = apart / graded if graded else 0.0
    return SelfAgreement(graded, same, accuracy.wilson(same, graded), distance, cannot_judge)
