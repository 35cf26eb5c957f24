"""The summary that a rater sees when practice in a list is over."""

from datetime import datetime

from judgments.judging.reports.known_answers import tolerance_of
from judgments.judging.sql import draws, slots
from judgments.models import Gold, Judgment, JudgmentList, RaterQueue, User
from judgments.models.answer_words import answer_in_words, name_of
from touchstone_core.grades.accuracy import is_right

MOST_EXAMPLES = 5


def practice_summary(*, judgment_list: JudgmentList, user: User, at: datetime) -> str:
    """How many practice answers were right, and which were wrong; empty while practice goes on."""
    queue = RaterQueue.objects.get(judgment_list=judgment_list, rater__user=user)
    if not _is_over(judgment_list, queue, at):
        return ""
    practice = Judgment.objects.filter(judgment_list=judgment_list, rater=queue.rater_id, gold=Gold.PRACTICE)
    answers = list(practice.select_related("pair__gold", "pair__document").order_by("pk"))
    tolerance = tolerance_of(judgment_list.scale)
    wrong = [answer for answer in answers if not _is_right(answer, tolerance)]
    summary = f"Practice is over: {len(answers) - len(wrong)} of {len(answers)} right."
    if not wrong:
        return summary
    examples = "; ".join(_in_words(judgment_list, answer) for answer in wrong[:MOST_EXAMPLES])
    more = f"; and {len(wrong) - MOST_EXAMPLES} more" if len(wrong) > MOST_EXAMPLES else ""
    return f"{summary} Missed: {examples}{more}."


def _is_over(judgment_list: JudgmentList, queue: RaterQueue, at: datetime) -> bool:
    """Whether enough practice pairs were answered, or no gold pair is left to practice on."""
    if queue.practice_count >= judgment_list.onboarding:
        return True
    place = slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at)
    waiting = any(pair.practice for pair in draws.waiting(place))
    return not waiting and not draws.pool(place, position=slots.START, limit=1)


def _is_right(answer: Judgment, tolerance: float) -> bool:
    gold = answer.pair.gold
    return answer.value is not None and is_right(answer.value, (gold.value, *gold.also), tolerance)


def _in_words(judgment_list: JudgmentList, answer: Judgment) -> str:
    right = name_of(judgment_list.scale, answer.pair.gold.value, "")
    title = str(answer.pair.document)[:60]
    return f"“{title}”, you said {answer_in_words(judgment_list.scale, answer)}, right is {right}"
