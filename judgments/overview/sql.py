"""What the first page of a list asks: each rater's judgments on the last days, and the queries to review."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from judgments.base.sql import copy
from judgments.lists.sql.received_judgments import RECEIVED

MOST = 2_000

# Reads at most the latest `most` judgments of each rater. Imported ones say nothing about the pace of judging. Answers to gold
# pairs, extra judgments and those of excluded raters fill no slot that is required.
DAILY = """
SELECT queue.rater_id, (latest.created_at AT TIME ZONE %(zone)s)::date AS day, count(*),
       count(*) FILTER (WHERE exclusion.id IS NULL AND latest.gold = '' AND NOT latest.extra)
FROM judgments_raterqueue queue
LEFT JOIN judgments_exclusion exclusion ON exclusion.judgment_list_id = queue.judgment_list_id
  AND exclusion.rater_id = queue.rater_id AND exclusion.lifted_at IS NULL
CROSS JOIN LATERAL (
    SELECT judgment.created_at, judgment.method, judgment.gold, judgment.extra FROM judgments_judgment judgment
    WHERE judgment.judgment_list_id = queue.judgment_list_id AND judgment.rater_id = queue.rater_id
    ORDER BY judgment.id DESC LIMIT %(most)s
) latest
WHERE queue.judgment_list_id = %(list)s AND latest.created_at >= %(since)s AND latest.method <> 'import'
GROUP BY queue.rater_id, day
ORDER BY day, queue.rater_id
"""


@dataclass(frozen=True, slots=True)
class Daily:
    """A rater's judgments on one day of the zone in the query. `required_judgments` are those that the list required."""

    rater_id: int
    day: date
    judgments: int
    required_judgments: int


def daily(list_id: int, *, since: datetime, zone: str) -> list[Daily]:
    """By day, the oldest first; without days that have no judgment."""
    return [Daily(*row) for row in copy.rows(DAILY, list=list_id, since=since, zone=zone, most=MOST)]


FEW, DIFFER, CANNOT = "few", "differ", "cannot"

# Queries that lack the most judgments for each of their pairs are found by stored counts, and only these are counted exactly.
# Gold pairs require none.
# Of a long list only every nth query is read, to limit the cost of the second and third kind. Pairs that an admin decided
# aren't disagreements any more.
STATEMENT = f"""
WITH gold AS (
    SELECT pair.query_id, count(*) AS pairs FROM judgments_goldpair gold JOIN judgments_pair pair ON pair.id = gold.pair_id
    WHERE gold.judgment_list_id = %(list)s AND gold.retired_at IS NULL GROUP BY pair.query_id
), few AS (
    SELECT list_query.* FROM judgments_listquery list_query LEFT JOIN gold USING (query_id)
    WHERE judgment_list_id = %(list)s AND open_count > 0
    ORDER BY open_count::float8 / greatest(pair_count - coalesce(gold.pairs, 0), 1) DESC, open_count DESC, position
    LIMIT %(most)s
), sampled AS (
    SELECT query_id FROM judgments_listquery WHERE judgment_list_id = %(list)s AND position %% %(every)s = 0
), of_query AS MATERIALIZED (
    SELECT grade.query_id, count(*) AS pairs, sum(grade.answers - grade.judgments) AS cannot, sum(grade.answers) AS answers,
           count(*) FILTER (WHERE grade.spread > 0 AND NOT EXISTS (
               SELECT FROM judgments_adjudication decided
               WHERE decided.pair_id = grade.pair_id AND decided.withdrawn_at IS NULL
           )) AS differ
    FROM judgments_consensusgrade grade
    WHERE grade.judgment_list_id = %(list)s AND grade.answers > 0
      AND (%(every)s = 1 OR grade.query_id IN (SELECT query_id FROM sampled))
    GROUP BY grade.query_id
), worst AS (
    (
        SELECT 1 AS kind, query_id, received_count AS part, received_count + open_count AS whole,
               row_number() OVER (
                   ORDER BY received_count::float8 / (received_count + open_count), open_count DESC, position
               ) AS nth
        FROM few judgments_listquery CROSS JOIN LATERAL ({RECEIVED}) counted
    ) UNION ALL (
        SELECT 2, query_id, differ, pairs,
               row_number() OVER (ORDER BY differ::float8 / (pairs + %(steady)s) DESC, query_id)
        FROM of_query WHERE differ > 0 ORDER BY 5 LIMIT %(most)s
    ) UNION ALL (
        SELECT 3, query_id, cannot, answers,
               row_number() OVER (ORDER BY cannot::float8 / (answers + %(steady)s) DESC, query_id)
        FROM of_query WHERE cannot > 1 AND cannot * 10 >= answers ORDER BY 5 LIMIT %(most)s
    )
)
SELECT kind, query.id, query.external_id, query.text, part, whole
FROM worst JOIN judgments_query query ON query.id = worst.query_id
ORDER BY kind, nth
"""  # noqa: S608 -- nothing but the constant
KINDS = {1: FEW, 2: DIFFER, 3: CANNOT}
STEADY = 5
"""Each query counts as if it had this many more pairs without problems. Otherwise a query's only pair could make it worst."""


class QueryToReview(NamedTuple):
    """A query with `part` of `whole`: judgments received of those required, pairs that differ, or “cannot judge” answers."""

    kind: str
    query_key: int
    query_id: str
    query: str
    part: int
    whole: int


def queries_to_review(list_id: int, *, every: int, most: int) -> list[QueryToReview]:
    """At most `most` of each kind, the worst first: few grades, wide disagreement, many “cannot judge”."""
    return [
        QueryToReview(KINDS[kind], *rest)
        for kind, *rest in copy.rows(STATEMENT, list=list_id, every=every, most=most, steady=STEADY)
    ]
