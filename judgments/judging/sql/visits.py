"""A rater's place in a list and one of its pairs, locked. Every act of the rating screen begins with this."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from judgments.base.sql.copy import Columns, answers, rows
from judgments.base.sql.locks import LOCK_SHARED_AT_MOST, WAIT_AT_MOST, at_most
from judgments.models import (
    GoldPair,
    Judgment,
    JudgmentHistory,
    JudgmentList,
    Pair,
    QuerySet,
    Rater,
    RaterQueue,
    RepeatDraw,
    User,
)

QUEUE, RATER, LIST = (Columns(RaterQueue, "queue"), Columns(Rater, "rater"), Columns(JudgmentList, "list"))
SET = Columns(QuerySet, "query_set")
PAIR, GOLD = Columns(Pair, "pair"), Columns(GoldPair, "gold")
JUDGMENT, HISTORY = Columns(Judgment, "judgment"), Columns(JudgmentHistory, "history")
REPEAT = Columns(RepeatDraw, "draw")

# Who may judge a list: the same as JudgmentList.objects.judgeable_by (a test compares the two).
OPEN_TO = """
(%(everywhere)s OR EXISTS (
    SELECT FROM judgments_membership membership
    WHERE membership.query_set_id = list.query_set_id AND membership.user_id = %(user)s
))
"""

ENTER = f"""
SELECT {QUEUE.sql}, {RATER.sql}, {LIST.sql}, {SET.sql}
FROM judgments_raterqueue queue
JOIN judgments_rater rater ON rater.id = queue.rater_id
JOIN judgments_judgmentlist list ON list.id = queue.judgment_list_id
JOIN judgments_queryset query_set ON query_set.id = list.query_set_id
WHERE queue.judgment_list_id = %(list)s AND rater.user_id = %(user)s AND {OPEN_TO}
FOR NO KEY UPDATE OF queue
"""  # noqa: S608 -- nothing but the columns above

# Pairs that a rater may see and answer: those that were handed to this account, or that it has judged now or before.
WAS_HANDED = """
EXISTS (
    SELECT FROM judgments_rater me
    WHERE me.query_set_id = pair.query_set_id AND me.user_id = %(user)s AND (
        EXISTS (SELECT FROM judgments_handout one WHERE one.pair_id = pair.id AND one.rater_id = me.id)
        OR EXISTS (SELECT FROM judgments_judgment one WHERE one.pair_id = pair.id AND one.rater_id = me.id)
        OR EXISTS (SELECT FROM judgments_judgmenthistory one WHERE one.pair_id = pair.id AND one.rater_id = me.id)
    )
)
"""
HANDED_PAIR = f"""
SELECT EXISTS (
    SELECT FROM judgments_pair pair WHERE pair.judgment_list_id = %(list)s AND pair.id = %(pair)s AND {WAS_HANDED}
)
"""  # noqa: S608 -- nothing but the condition above
HANDED_OF_QUERY = f"""
SELECT EXISTS (
    SELECT FROM judgments_pair pair WHERE pair.judgment_list_id = %(list)s AND pair.query_id = %(query)s AND {WAS_HANDED}
)
"""  # noqa: S608

LOCK_PAIR = f"""
SELECT {PAIR.sql}, gold.id IS NOT NULL, {GOLD.sql}
FROM judgments_pair pair LEFT JOIN judgments_goldpair gold ON gold.pair_id = pair.id
WHERE pair.judgment_list_id = %(list)s AND pair.id = %(pair)s
"""  # noqa: S608
LOCKED_PAIR = f"{LOCK_PAIR} FOR NO KEY UPDATE OF pair"
LOCKED_HANDED_PAIR = f"{LOCK_PAIR} AND {WAS_HANDED} FOR NO KEY UPDATE OF pair"

JUDGMENTS = f"""
SELECT {JUDGMENT.sql} FROM judgments_judgment judgment
WHERE judgment.request_id = %(request)s OR (judgment.pair_id = %(pair)s AND judgment.rater_id = (
    SELECT rater.id FROM judgments_rater rater JOIN judgments_judgmentlist list USING (query_set_id)
    WHERE list.id = %(list)s AND rater.user_id = %(user)s
))
"""  # noqa: S608

EARLIER_JUDGMENT = f"""
SELECT {HISTORY.sql} FROM judgments_judgmenthistory history
WHERE history.request_id = %(request)s ORDER BY history.id DESC LIMIT 1
"""  # noqa: S608

# The repeat with this card, or the one that this request has already answered.
REPEAT_DRAW = f"""
SELECT {REPEAT.sql} FROM judgments_repeatdraw draw
WHERE draw.card = %(card)s
   OR draw.id = (SELECT answer.draw_id FROM judgments_repeatanswer answer WHERE answer.request_id = %(request)s)
ORDER BY draw.card = %(card)s LIMIT 1
"""  # noqa: S608

ENTER_ALONE = f"SELECT {WAIT_AT_MOST};{ENTER}"
ENTER_WITH_LIST = f"{LOCK_SHARED_AT_MOST};{ENTER}"
ENTER_WITH_PAIR = f"{ENTER_WITH_LIST};{LOCKED_HANDED_PAIR}"
ENTER_TO_ANSWER = f"{ENTER_WITH_PAIR};{JUDGMENTS};{EARLIER_JUDGMENT};{REPEAT_DRAW}"


class Visit:
    """An account that acts in a list. Each method locks in the order of `judgments.base.sql`.

    None stands for a place or pair that doesn't exist, and for a pair that the account was never handed and has not
    judged.
    """

    def __init__(self, user: User, judgment_list: JudgmentList) -> None:
        self._values: dict[str, Any] = {"list": judgment_list.pk, "user": user.pk}
        self._values |= {"everywhere": user.is_superuser, "at_most": at_most()}

    def enter(self) -> RaterQueue | None:
        """The rater's place, with the current list and query set, which are not locked."""
        _, queues = answers(ENTER_ALONE, self._values)
        return _queue(queues)

    def enter_with_list(self) -> RaterQueue | None:
        _, queues = answers(ENTER_WITH_LIST, self._values)
        return _queue(queues)

    def enter_with_pair(self, pair_id: int) -> tuple[RaterQueue | None, Pair | None]:
        _, queues, pairs = answers(ENTER_WITH_PAIR, self._values | {"pair": key(pair_id)})
        return _queue(queues), _pair(pairs)

    def enter_to_answer(
        self, pair_id: int, request_id: UUID, card: UUID | None
    ) -> tuple[RaterQueue | None, Pair | None, list[Judgment], JudgmentHistory | None, RepeatDraw | None]:
        """Adds what an answer has to be compared with.

        The judgments that this request has made or that the rater gave to the pair; the last earlier answer of the same
        request; the repeat that the card shows or that the request has answered.
        """
        values = self._values | {"pair": key(pair_id), "request": request_id, "card": card}
        _, queues, pairs, judgments, history, repeats = answers(ENTER_TO_ANSWER, values)
        return (
            _queue(queues),
            _pair(pairs),
            [JUDGMENT.read(iter(row)) for row in judgments],
            HISTORY.read(iter(history[0])) if history else None,
            REPEAT.read(iter(repeats[0])) if repeats else None,
        )


def key(number: int) -> int:
    """A key that somebody sent. Numbers too big for a key become 0, which is the key of nothing."""
    return number if number < 2**63 else 0


def was_handed(*, list_id: int, user_id: int, pair_id: int) -> bool:
    """Whether this account may see and answer the pair: it was handed the pair, or has judged it."""
    return _is_true(HANDED_PAIR, list=list_id, user=user_id, pair=key(pair_id))


def was_handed_of_query(*, list_id: int, user_id: int, query_id: int) -> bool:
    """The same for any pair of the query."""
    return _is_true(HANDED_OF_QUERY, list=list_id, user=user_id, query=key(query_id))


def locked_pair(*, list_id: int, pair_id: int) -> Pair | None:
    """The pair with its gold pair, even a retired one; None if the list has no such pair."""
    (pairs,) = answers(LOCKED_PAIR, {"list": list_id, "pair": key(pair_id)})
    return _pair(pairs)


def _is_true(statement: str, **values: Any) -> bool:
    ((answer,),) = rows(statement, **values)
    return bool(answer)


def _queue(queues: Sequence[Any]) -> RaterQueue | None:
    if not queues:
        return None
    values = iter(queues[0])
    queue = QUEUE.read(values)
    queue.rater, queue.judgment_list = RATER.read(values), LIST.read(values)
    queue.judgment_list.query_set = SET.read(values)
    return queue


def _pair(pairs: Sequence[Any]) -> Pair | None:
    if not pairs:
        return None
    values = iter(pairs[0])
    pair = PAIR.read(values)
    gold = GOLD.read(values) if next(values) else None
    Pair.gold.related.set_cached_value(pair, gold)
    return pair
