"""What the rating screen reads: a list with all that its cards need, and the cards' contents."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from judgments.base.cleaning import ADDRESS, CARD_BODY, TITLE
from judgments.base.sql.rows import Columns, answers
from judgments.judging.sql.visits import LIST, OPEN_TO, SET, key
from judgments.models import Grade, JudgmentList, Query, Scale

SCALE, GRADE, QUERY = (
    Columns(Scale, "scale"),
    Columns(Grade, "grade"),
    Columns(Query, "query"),
)

OPENED = f"""
SELECT {LIST.sql}, {SET.sql}, {SCALE.sql}
FROM judgments_judgmentlist list
JOIN judgments_queryset query_set ON query_set.id = list.query_set_id
JOIN judgments_scale scale ON scale.id = list.scale_id
WHERE list.id = %(list)s AND {OPEN_TO};
SELECT {GRADE.sql} FROM judgments_grade grade
WHERE grade.scale_id = (SELECT list.scale_id FROM judgments_judgmentlist list WHERE list.id = %(list)s)
ORDER BY grade.value
"""  # noqa: S608 -- nothing but the columns above

CONTENTS = f"""
WITH me AS (
    SELECT rater.id FROM judgments_rater rater JOIN judgments_judgmentlist list USING (query_set_id)
    WHERE list.id = %(list)s AND rater.user_id = %(user)s
), wanted AS MATERIALIZED (
    SELECT pair.id, pair.query_id, pair.document_id FROM judgments_pair pair
    WHERE pair.judgment_list_id = %(list)s AND pair.id = ANY(%(pairs)s::bigint[])
), asked AS MATERIALIZED (
    SELECT list_query.query_id, list_query.position, list_query.pair_count, (
        SELECT count(*) FROM judgments_pair pair JOIN judgments_judgment judgment ON judgment.pair_id = pair.id
        WHERE pair.judgment_list_id = %(list)s AND pair.query_id = list_query.query_id
          AND judgment.rater_id = (SELECT id FROM me)
    ) AS judged
    FROM judgments_listquery list_query
    WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id IN (SELECT query_id FROM wanted)
)
SELECT wanted.id, document.external_id, left(document.title, {TITLE}), left(document.body, {CARD_BODY}),
       octet_length(document.body), left(document.url, {ADDRESS}), left(document.image, {ADDRESS}), document.fields,
       asked.position, asked.pair_count, asked.judged,
       (SELECT max(position) FROM judgments_listquery WHERE judgment_list_id = %(list)s),
       coalesce((SELECT queue.guidelines_seen FROM judgments_raterqueue queue
                 WHERE queue.judgment_list_id = %(list)s AND queue.rater_id = (SELECT id FROM me)), 0),
       (SELECT skip.at FROM judgments_skip skip
        WHERE skip.pair_id = wanted.id AND skip.rater_id = (SELECT id FROM me)),
       mine.id IS NOT NULL, mine.value, mine.reason, mine.comment, mine.evidence, mine.confidence, mine.updated_at,
       before.id IS NOT NULL, before.value, before.reason, before.comment, before.evidence, before.confidence,
       before.answered_at,
       {QUERY.sql}
FROM wanted
JOIN asked ON asked.query_id = wanted.query_id
JOIN judgments_query query ON query.id = wanted.query_id
JOIN judgments_document document ON document.id = wanted.document_id
LEFT JOIN judgments_judgment mine ON mine.pair_id = wanted.id AND mine.rater_id = (SELECT id FROM me)
LEFT JOIN LATERAL (
    SELECT history.* FROM judgments_judgmenthistory history
    WHERE history.pair_id = wanted.id AND history.rater_id = (SELECT id FROM me) AND history.action = 'withdrawn'
    ORDER BY history.id DESC LIMIT 1
) before ON mine.id IS NULL
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Said:
    """An answer of the rater: the present one, or the last that was withdrawn."""

    value: float | None
    reason: str
    comment: str
    evidence: list[dict[str, Any]]
    confidence: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Content:
    """What a card is made of. `body` and other long texts are cut; `body_bytes` is the size of the whole body.

    `judged` is how many documents of the query the rater has judged. Of `mine` and `withdrawn` one at most is there.
    """

    pair_id: int
    external_id: str
    title: str
    body: str
    body_bytes: int
    url: str
    image: str
    fields: dict[str, Any]
    position: int
    documents: int
    judged: int
    queries: int
    guidelines_seen: int
    put_off: datetime | None
    mine: Said | None
    withdrawn: Said | None
    query: Query


def opened(*, list_id: int, user_id: int, everywhere: bool) -> JudgmentList | None:
    """The list with its query set, its scale and the grades, where it is open to the account."""
    values = {"list": key(list_id), "user": user_id, "everywhere": everywhere}
    lists, grades = answers(OPENED, values)
    if not lists:
        return None
    row = iter(lists[0])
    judgment_list = LIST.read(row)
    judgment_list.query_set, judgment_list.scale = SET.read(row), SCALE.read(row)
    _keep(judgment_list.scale, [GRADE.read(iter(one)) for one in grades])
    return judgment_list


def _keep(scale: Scale, grades: list[Grade]) -> None:
    """As `prefetch_related` does, which would ask for them in a statement of its own."""
    kept = scale.grades.all()
    kept._result_cache = grades
    vars(scale)["_prefetched_objects_cache"] = {"grades": kept}


def contents(*, list_id: int, user_id: int, pair_ids: Sequence[int]) -> dict[int, Content]:
    """By pair; pairs that are not in the list are left out."""
    with connection.cursor() as cursor:
        cursor.execute(CONTENTS, {"list": list_id, "user": user_id, "pairs": list(pair_ids)})
        return {row[0]: _content(row) for row in cursor.fetchall()}


def _content(row: Sequence[Any]) -> Content:
    own = _said(row[14:21]), _said(row[21:28]), QUERY.read(iter(row[28:]))
    values: list[Any] = [*row[:7], json.loads(row[7]), *row[8:14], *own]
    return Content(*values)


def _said(row: Sequence[Any]) -> Said | None:
    there, value, reason, comment, evidence, confidence, at = row
    return Said(value, reason, comment, json.loads(evidence), confidence, at) if there else None
