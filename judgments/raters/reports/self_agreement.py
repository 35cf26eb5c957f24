"""How often raters give the same grade again to hidden repeats. Only for admins to review; nothing happens automatically."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from judgments.models import JudgmentList, RepeatAnswer, Scale
from judgments.raters.reports.accuracy import known_answer
from touchstone_core.grades import accuracy


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """A rater's repeats with a grade: their number, how many have the `same` grade, and the mean distance.

    `interval` is Wilson's 95 % interval of the share of same grades. Distances count grades of the scale, or units of a
    continuous scale. Repeats that the rater couldn't judge this time are counted separately.
    """

    grades: int
    same: int
    interval: accuracy.Interval
    distance: float
    cannot_judge: int

    @property
    def enough(self) -> bool:
        """Whether there are enough for a share."""
        return self.grades >= accuracy.ENOUGH


def self_agreement(judgment_list: JudgmentList) -> dict[int, SelfAgreement]:
    """By rater. One statement."""
    answers = RepeatAnswer.objects.counted().filter(draw__judgment_list=judgment_list)
    rows = answers.order_by().values_list("draw__rater", "first_value", "value").annotate(count=Count("pk"))
    counts: dict[int, dict[tuple[float, float | None], int]] = defaultdict(dict)
    for rater_id, first, again, count in rows:
        counts[rater_id][first, again] = count
    return {rater_id: compare_answers(judgment_list.scale, own) for rater_id, own in counts.items()}


def compare_answers(scale: Scale, counts: Mapping[tuple[float, float | None], int]) -> SelfAgreement:
    """From the counts of (first grade, grade of the repeat); None is “cannot judge”.

    As with gold pairs, two grades of a continuous scale are the same if they are within a tenth of its range.
    """
    steps = [grade.value for grade in scale.grades.all()]
    grades = same = cannot_judge = 0
    apart = 0.0
    for (first, again), count in counts.items():
        if again is None:
            cannot_judge += count
            continue
        answer = known_answer(scale, steps, again, (first,))
        grades += count
        same += count * answer.right
        apart += count * abs(answer.distance)
    distance = apart / grades if grades else 0.0
    return SelfAgreement(grades, same, accuracy.wilson(same, grades), distance, cannot_judge)
