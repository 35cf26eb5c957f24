"""A rater who has judged enough to get hidden repeats, for tests of them."""

from datetime import timedelta
from uuid import uuid4

from django.db import transaction

from judgments.judging.actions import judging, queue
from judgments.models import (
    ConsensusGrade,
    Handout,
    Judgment,
    JudgmentHistory,
    Rater,
    RaterQueue,
    RepeatAnswer,
)
from tests.judgments.judging.actions.scene import NOW, Scene

MONDAY, TUESDAY = NOW - timedelta(days=1), NOW


class RepeatScene(Scene):
    """A list that asks for repeats, and a rater who judged its first `judged` pairs as 2, at `judged_at`."""

    def __init__(self, judged=60, queries=8, documents=10, repeat_rate=20, judged_at=MONDAY, **fields):
        super().__init__(queries, documents, repeat_rate=repeat_rate, **fields)
        self.user = self.rater()
        queue.enter(self.user, self.list)
        self.me = Rater.objects.get(user=self.user)
        self.was_judged(self.list.pairs.order_by("pk")[:judged], at=judged_at)

    def was_judged(self, pairs, at=MONDAY, value=2.0, **fields):
        pairs = list(pairs)
        common = {"query_set": self.query_set, "judgment_list": self.list, "rater": self.me, "value": value}
        common |= {"created_at": at, "updated_at": at} | fields
        Judgment.objects.bulk_create(Judgment(**common, pair=pair) for pair in pairs)
        Handout.objects.bulk_create(Handout(pair=pair, rater=self.me) for pair in pairs)
        RaterQueue.objects.filter(rater=self.me).update(judgment_count=self.me.judgments.count())

    def handed(self, at=TUESDAY, **more):
        return queue.claim(user=self.user, judgment_list=self.list, at=at, **more)

    def held_repeat(self, at=TUESDAY, count=6):
        """A repeat among the first that the rater is handed: with a seed under which chance draws one."""
        for seed in range(25):  # without a repeat among 150 cards at 20 %: once in 10^14
            RaterQueue.objects.filter(rater=self.me).update(seed=seed)
            with transaction.atomic():
                repeats = [one for one in self.handed(at, count=count) if one.repeat]
                if repeats:
                    return repeats[0]
                transaction.set_rollback(True)
        raise AssertionError("No seed draws a repeat.")

    def answer(self, one, value=1.0, at=TUESDAY, request_id=None, known=False, **more):
        """Answers on the card of this repeat."""
        return judging.record_judgment(
            user=self.user,
            judgment_list=self.list,
            pair_id=one.pair_id,
            request_id=request_id or uuid4(),
            value=None if "reason" in more else value,
            at=at,
            card=one.repeat,
            may_replace=known,
            **more,
        )

    def everything_else(self):
        """All that a repeat must leave as it is."""
        lists = self.list.list_queries.order_by("pk").values_list(
            "revision", "judgments_revision", "judgment_count", "open_count", "graded_count"
        )
        return (
            list(Judgment.objects.order_by("pk").values()),
            list(lists),
            list(self.list.slots.filter(state="done").order_by("pk").values()),
            list(RaterQueue.objects.values_list("judgment_count", "practice_count")),
            list(ConsensusGrade.objects.order_by("pk").values()),
            list(JudgmentHistory.objects.order_by("pk").values()),
        )


def counted():
    rows = RepeatAnswer.objects.counted().order_by("pk")
    return list(rows.values_list("first_value", "value", "reason"))
