"""What a rater learns once practice in a list is over."""

from datetime import datetime

from judgments.judging.reports.known_answers import tolerance_of
from judgments.judging.sql import draws, slots
from judgments.models import Gold, Judgment, JudgmentList, RaterQueue, User
from judgments.models.answer_words import answer_in_words, name_of
from touchstone_core.grades.accuracy import is_right

MOST_NAMED = 5


def practice_summary(*, judgment_list: JudgmentList, user: User, at: datetime) -> str:
    """How many practice answers were right, and which were not; empty while practice goes on."""
    queue = RaterQueue.objects.get(judgment_list=judgment_list, rater__user=user)
    if not _is_over(judgment_list, queue, at):
        return ""
    given = Judgment.objects.filter(judgment_list=judgment_list, rater=queue.rater_id, gold=Gold.PRACTICE)
    answers = list(given.select_related("pair__gold", "pair__document").order_by("pk"))
    tolerance = tolerance_of(judgment_list.scale)
    missed = [one for one in answers if not _right(one, tolerance)]
    told = f"Practice is over: {len(answers) - len(missed)} of {len(answers)} right."
    if not missed:
        return told
    named = "; ".join(_in_words(judgment_list, one) for one in missed[:MOST_NAMED])
    more = f"; and {len(missed) - MOST_NAMED} more" if len(missed) > MOST_NAMED else ""
    return f"{told} Missed: {named}{more}."


def _is_over(judgment_list: JudgmentList, queue: RaterQueue, at: datetime) -> bool:
    """Enough were answered, or there is no further gold pair to practice on."""
    if queue.practice_count >= judgment_list.onboarding:
        return True
    place = slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at)
    held = any(one.practice for one in draws.drawn(place))
    return not held and not draws.pool(place, position=slots.START, limit=1)


def _right(answer: Judgment, tolerance: float) -> bool:
    gold = answer.pair.gold
    return answer.value is not None and is_right(answer.value, (gold.value, *gold.also), tolerance)


def _in_words(judgment_list: JudgmentList, answer: Judgment) -> str:
    right = name_of(judgment_list.scale, answer.pair.gold.value, "")
    title = str(answer.pair.document)[:60]
    return f"“{title}”, you said {answer_in_words(judgment_list.scale, answer)}, right is {right}"
