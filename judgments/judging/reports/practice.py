"""The summary that a rater sees when practice in a list is over."""

from datetime import datetime

from judgments.judging.sql import draws, slots
from judgments.models import Gold, Judgment, JudgmentList, RaterQueue, Scale, User

MOST_EXAMPLES = 5


def practice_summary(*, judgment_list: JudgmentList, user: User, at: datetime) -> str:
    """How many practice answers were right, and which were wrong; empty while practice goes on."""
    queue = RaterQueue.objects.get(judgment_list=judgment_list, rater__user=user)
    if not _is_over(judgment_list, queue, at):
        return ""
    practice = Judgment.objects.filter(judgment_list=judgment_list, rater=queue.rater_id, gold=Gold.PRACTICE)
    answers = list(practice.select_related("pair__gold", "pair__document").order_by("pk"))
    scale = judgment_list.scale
    wrong = [answer for answer in answers if not scale.is_right(answer.value, answer.pair.gold.right_values)]
    summary = f"Practice is over: {len(answers) - len(wrong)} of {len(answers)} right."
    if not wrong:
        return summary
    examples = "; ".join(_in_words(scale, answer) for answer in wrong[:MOST_EXAMPLES])
    more = f"; and {len(wrong) - MOST_EXAMPLES} more" if len(wrong) > MOST_EXAMPLES else ""
    return f"{summary} Missed: {examples}{more}."


def _is_over(judgment_list: JudgmentList, queue: RaterQueue, at: datetime) -> bool:
    """Whether enough practice pairs were answered, or no gold pair is left to practice on."""
    if queue.practice_count >= judgment_list.onboarding:
        return True
    place = slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at)
    waiting = any(pair.practice for pair in draws.gold_waiting(place))
    return not waiting and not draws.gold_pool(place, position=slots.START, limit=1)


def _in_words(scale: Scale, answer: Judgment) -> str:
    right = scale.name_of(answer.pair.gold.value)
    return f"“{str(answer.pair.document)[:60]}”, you said {scale.in_words(answer)}, right is {right}"
