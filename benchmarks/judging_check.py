"""What must hold after any amount of judging, asked in SQL, and compared with what the raters were told."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

from benchmarks.judging_raters import Given

FINISHED = """
WITH counted AS (
    SELECT pair.id,
           (SELECT count(*) FROM judgments_judgment judgment WHERE judgment.pair_id = pair.id) AS judgments,
           (SELECT count(DISTINCT rater_id) FROM judgments_judgment judgment WHERE judgment.pair_id = pair.id) AS raters,
           (SELECT count(*) FROM judgments_slot slot WHERE slot.pair_id = pair.id AND slot.state = 'open') AS open,
           (SELECT count(*) FROM judgments_slot slot WHERE slot.pair_id = pair.id AND slot.state = 'done') AS done
    FROM judgments_pair pair WHERE pair.judgment_list_id = %(list)s
)
SELECT count(*) FILTER (WHERE judgments >= %(overlap)s OR open = 0),
       count(*) FILTER (WHERE open = 0 AND judgments <> %(overlap)s),
       count(*) FILTER (WHERE judgments > %(overlap)s),
       count(*) FILTER (WHERE raters <> judgments),
       count(*) FILTER (WHERE done <> judgments OR open <> %(overlap)s - judgments)
FROM counted
"""
EXTRA = "SELECT count(*) FROM judgments_judgment WHERE judgment_list_id = %(list)s AND extra"
WRONG_COUNTS = """
SELECT count(*) FROM judgments_listquery list_query CROSS JOIN LATERAL (
    SELECT (SELECT count(*) FROM judgments_judgment judgment WHERE judgment.pair_id = ANY(array_agg(pair.id))) AS judgments,
           (SELECT count(*) FROM judgments_slot slot WHERE slot.pair_id = ANY(array_agg(pair.id)) AND state = 'open') AS open
    FROM judgments_pair pair
    WHERE pair.judgment_list_id = list_query.judgment_list_id AND pair.query_id = list_query.query_id
) counted
WHERE list_query.judgment_list_id = %(list)s
  AND (list_query.judgment_count, list_query.open_count) IS DISTINCT FROM (counted.judgments, counted.open)
"""
WRONG_OWN_COUNTS = """
SELECT count(*) FROM judgments_raterqueue queue WHERE judgment_list_id = %(list)s AND judgment_count <> (
    SELECT count(*) FROM judgments_judgment judgment
    WHERE judgment.judgment_list_id = queue.judgment_list_id AND judgment.rater_id = queue.rater_id
)
"""
STORED = """
SELECT rater.user_id, judgment.pair_id, judgment.request_id::text, judgment.value, judgment.reason
FROM judgments_judgment judgment JOIN judgments_rater rater ON rater.id = judgment.rater_id
WHERE judgment.judgment_list_id = %(list)s AND rater.user_id = ANY(%(users)s)
"""


@dataclass(frozen=True, slots=True)
class Check:
    """`wrong`: what must be zero, by what it counts."""

    judgments: int
    finished: int
    wrong: dict[str, int]


def check(list_id: int, overlap: int, ledger: Mapping[int, Mapping[int, Given]]) -> Check:
    """`ledger`: by account and pair, what the site acknowledged last."""
    values: dict[str, Any] = {"list": list_id, "overlap": overlap, "users": list(ledger)}
    with connection.cursor() as cursor:
        cursor.execute(FINISHED, values)
        finished, inexact, too_many, twice, slots = cursor.fetchone() or (0, 0, 0, 0, 0)
        wrong = {
            f"finished pairs without exactly {overlap} judgments": inexact,
            f"pairs with more than {overlap}": too_many,
            "pairs that one rater judged twice": twice,
            "pairs whose slots do not match their judgments": slots,
        }
        for what, statement in (
            ("judgments beyond the overlap", EXTRA),
            ("queries whose counts are wrong", WRONG_COUNTS),
            ("raters whose progress is wrong", WRONG_OWN_COUNTS),
        ):
            cursor.execute(statement, values)
            wrong[what] = (cursor.fetchone() or (0,))[0]
        cursor.execute(STORED, values)
        stored = {(user, pair): tuple(given) for user, pair, *given in cursor.fetchall()}
    told = {(user, pair): given for user, answers in ledger.items() for pair, given in answers.items()}
    wrong["acknowledged answers that are not stored so"] = len(set(told.items()) - set(stored.items()))
    wrong["stored judgments that no rater gave so"] = len(set(stored.items()) - set(told.items()))
    return Check(len(stored), finished, wrong)
