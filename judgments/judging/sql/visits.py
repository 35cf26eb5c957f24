"""A rater's place in a list and a pair of it, locked: what every act of the rating screen begins with."""

from typing import Any
from uuid import UUID

from judgments.base.sql.locks import LOCK_SHARED_AT_MOST, WAIT_AT_MOST, at_most
from judgments.base.sql.rows import Columns, answers
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
)

QUEUE, RATER, LIST = (
    Columns(RaterQueue, "queue"),
    Columns(Rater, "rater"),
    Columns(JudgmentList, "list"),
)
SET = Columns(QuerySet, "query_set")
PAIR, GOLD = Columns(Pair, "pair"), Columns(GoldPair, "gold")
JUDGMENT, HISTORY = Columns(Judgment, "judgment"), Columns(JudgmentHistory, "history")
REPEAT = Columns(RepeatDraw, "draw")

# Whom a list is open to, as JudgmentList.objects.judgeable_by says it (a test compares the two).
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

# What a rater sees and answers: pairs that were handed out to this account or that it has judged, now or before.
HANDED = """
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
    SELECT FROM judgments_pair pair WHERE pair.judgment_list_id = %(list)s AND pair.id = %(pair)s AND {HANDED}
)
"""  # noqa: S608 -- nothing but the condition above
HANDED_OF_QUERY = f"""
SELECT EXISTS (
    SELECT FROM judgments_pair pair WHERE pair.judgment_list_id = %(list)s AND pair.query_id = %(query)s AND {HANDED}
)
"""  # noqa: S608

LOCK_PAIR = f"""
SELECT {PAIR.sql}, gold.id IS NOT NULL, {GOLD.sql}
FROM judgments_pair pair LEFT JOIN judgments_goldpair gold ON gold.pair_id = pair.id
WHERE pair.judgment_list_id = %(list)s AND pair.id = %(pair)s
"""  # noqa: S608
LOCKED_PAIR = f"{LOCK_PAIR} FOR NO KEY UPDATE OF pair"
LOCKED_HANDED_PAIR = f"{LOCK_PAIR} AND {HANDED} FOR NO KEY UPDATE OF pair"

GIVEN = f"""
SELECT {JUDGMENT.sql} FROM judgments_judgment judgment
WHERE judgment.request_id = %(request)s OR (judgment.pair_id = %(pair)s AND judgment.rater_id = (
    SELECT rater.id FROM judgments_rater rater JOIN judgments_judgmentlist list USING (query_set_id)
    WHERE list.id = %(list)s AND rater.user_id = %(user)s
))
"""  # noqa: S608

GIVEN_BEFORE = f"""
SELECT {HISTORY.sql} FROM judgments_judgmenthistory history
WHERE history.request_id = %(request)s ORDER BY history.id DESC LIMIT 1
"""  # noqa: S608

# The repeat on whose card the answer was given, or to which this request gave an answer before.
REPEATED = f"""
SELECT {REPEAT.sql} FROM judgments_repeatdraw draw
WHERE draw.card = %(card)s
   OR draw.id = (SELECT answer.draw_id FROM judgments_repeatanswer answer WHERE answer.request_id = %(request)s)
ORDER BY draw.card = %(card)s LIMIT 1
"""  # noqa: S608

ENTER_ALONE = f"SELECT {WAIT_AT_MOST};{ENTER}"
ENTER_WITH_LIST = f"{LOCK_SHARED_AT_MOST};{ENTER}"
ENTER_WITH_PAIR = f"{ENTER_WITH_LIST};{LOCKED_HANDED_PAIR}"
ENTER_TO_ANSWER = f"{ENTER_WITH_PAIR};{GIVEN};{GIVEN_BEFORE};{REPEATED}"


class Visit:
    """Who acts in which list. Each method locks in the order of this package, and gives None for what is not there.

    Pairs that the account was never handed and has not judged are not there.
    """

    def __init__(self, *, list_id: int, user_id: int, everywhere: bool) -> None:
        self._values: dict[str, Any] = {
            "list": list_id,
            "user": user_id,
            "everywhere": everywhere,
            "at_most": at_most(),
        }

    def enter(self) -> RaterQueue | None:
        """The rater's place with the rater, and with list and query set as they are now, which are not locked."""
        _, places = answers(ENTER_ALONE, self._values)
        return _queue(places)

    def enter_with_list(self) -> RaterQueue | None:
        _, places = answers(ENTER_WITH_LIST, self._values)
        return _queue(places)

    def enter_with_pair(self, pair_id: int) -> tuple[RaterQueue | None, Pair | None]:
        _, places, pairs = answers(ENTER_WITH_PAIR, self._values | {"pair": key(pair_id)})
        return _queue(places), _pair(pairs)

    def enter_to_answer(
        self, pair_id: int, request_id: UUID, card: UUID | None
    ) -> tuple[RaterQueue | None, Pair | None, list[Judgment], JudgmentHistory | None, RepeatDraw | None]:
        """With the judgments that this request has made or that stand for the pair, and the last one before that it made.

        At the end the repeat that the card shows or that the request has answered, if any.
        """
        values = self._values | {"pair": key(pair_id), "request": request_id, "card": card}
        _, places, pairs, given, before, repeats = answers(ENTER_TO_ANSWER, values)
        judgments = [JUDGMENT.read(iter(row)) for row in given]
        earlier = HISTORY.read(iter(before[0])) if before else None
        repeat = REPEAT.read(iter(repeats[0])) if repeats else None
        return _queue(places), _pair(pairs), judgments, earlier, repeat


def key(given: int) -> int:
    """A key that somebody sent; what is too big for one is that of nothing."""
    return given if given < 2**63 else 0


def was_handed(*, list_id: int, user_id: int, pair_id: int) -> bool:
    """Whether a rater sees and answers the pair: it was handed to this account, or judged by it."""
    return bool(_one(HANDED_PAIR, {"list": list_id, "user": user_id, "pair": key(pair_id)}))


def was_handed_of_query(*, list_id: int, user_id: int, query_id: int) -> bool:
    """Whether any pair of the query was."""
    return bool(_one(HANDED_OF_QUERY, {"list": list_id, "user": user_id, "query": key(query_id)}))


def locked_pair(*, list_id: int, pair_id: int) -> Pair | None:
    """The pair with the gold pair that it is or was; None where the list has no such pair."""
    (pairs,) = answers(LOCKED_PAIR, {"list": list_id, "pair": key(pair_id)})
    return _pair(pairs)


def _one(statement: str, values: dict[str, Any]) -> Any:
    (rows,) = answers(statement, values)
    return rows[0][0]


def _queue(rows: Any) -> RaterQueue | None:
    if not rows:
        return None
    values = iter(rows[0])
    queue = QUEUE.read(values)
    queue.rater, queue.judgment_list = RATER.read(values), LIST.read(values)
    queue.judgment_list.query_set = SET.read(values)
    return queue


def _pair(rows: Any) -> Pair | None:
    if not rows:
        return None
    values = iter(rows[0])
    pair = PAIR.read(values)
    gold = GOLD.read(values) if next(values) else None
    Pair.gold.related.set_cached_value(pair, gold)
    return pair
