"""Hidden repeats: pairs that a rater judged before, shown to the same rater again."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from judgments.base.digits import written
from judgments.models.access import AdminQuerySet
from judgments.models.assignment import Draw, DrawQuerySet
from judgments.models.judgment import CONFIDENCE_IN_RANGE, ONE_ANSWER, Answer


class RepeatDrawQuerySet(DrawQuerySet["RepeatDraw"]):
    """For admins."""

    def waiting(self) -> RepeatDrawQuerySet:
        return self.filter(answered=False, put_off_at=None)


class RepeatDraw(Draw):
    """A pair that a rater judged and sees once more, before the answer of this `number`.

    The browser sends `card` back with the answer. Only that tells an answer to the repeat from a change of the
    judgment, since both name the same pair. A repeat that was put off doesn't come again.
    """

    number = models.PositiveIntegerField()
    card = models.UUIDField(default=uuid.uuid4, unique=True)
    put_off_at = models.DateTimeField(null=True)

    objects = RepeatDrawQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pair", "rater"], name="repeat_draw_once"),
            models.UniqueConstraint(
                fields=["judgment_list", "rater", "number"], name="repeat_draw_number_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["rater", "judgment_list", "id"],
                condition=Q(answered=False, put_off_at=None),
                name="repeat_draw_waiting",
            )
        ]


class RepeatAnswerQuerySet(AdminQuerySet["RepeatAnswer"]):
    path = "draw__judgment_list__query_set"

    def counted(self) -> RepeatAnswerQuerySet:
        """The last answer to each repeat that wasn't taken back.

        Without those to pairs whose judgment changed while the repeat waited: the rater had just looked at them.
        """
        later = self.model.objects.filter(
            draw=models.OuterRef("draw"), withdrawn_at=None, pk__gt=models.OuterRef("pk")
        )
        standing = self.filter(~models.Exists(later), withdrawn_at=None)
        return standing.filter(first_at__lte=models.F("draw__drawn_at"))


class RepeatAnswer(Answer):
    """A rater's answer to a repeat. It isn't a judgment: no grade, count or score depends on it.

    `first_value` and `first_at` are the grade of the rater's judgment at that time, and when it was given. A changed
    answer is another row. `undo_id` is the request that took this one back.
    """

    draw = models.ForeignKey(RepeatDraw, on_delete=models.CASCADE, related_name="answers")
    first_value = models.FloatField(null=True)
    first_at = models.DateTimeField()
    request_id = models.UUIDField(unique=True)
    given_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)
    undo_id = models.UUIDField(null=True, unique=True)

    objects = RepeatAnswerQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=ONE_ANSWER, name="repeat_answer_one_answer"),
            models.CheckConstraint(condition=CONFIDENCE_IN_RANGE, name="repeat_answer_confidence_in_range"),
            models.CheckConstraint(
                condition=Q(undo_id=None) | Q(withdrawn_at__isnull=False),
                name="repeat_answer_undone_is_withdrawn",
            ),
        ]

    def __str__(self) -> str:
        return self.reason if self.value is None else written(self.value)
