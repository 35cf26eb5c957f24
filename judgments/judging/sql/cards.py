"""The statements that the rating screen reads by: a list with its scale, and the contents of cards."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from judgments.base.cleaning import ADDRESS, CARD_BODY, TITLE
from judgments.base.digits import written
from judgments.base.sql.copy import Columns, answers, rows
from judgments.judging.sql.visits import LIST, OPEN_TO, SET, key
from judgments.models import Grade, JudgmentList, Query, Scale, User

SCALE, GRADE, QUERY = Columns(Scale, "scale"), Columns(Grade, "grade"), Columns(Query, "query")

LIST_TO_JUDGE = f"""
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
), requested AS MATERIALIZED (
    SELECT pair.id, pair.query_id, pair.document_id FROM judgments_pair pair
    WHERE pair.judgment_list_id = %(list)s AND pair.id = ANY(%(pairs)s::bigint[])
), of_query AS MATERIALIZED (
    SELECT list_query.query_id, list_query.position, list_query.pair_count, (
        SELECT count(*) FROM judgments_pair pair JOIN judgments_judgment judgment ON judgment.pair_id = pair.id
        WHERE pair.judgment_list_id = %(list)s AND pair.query_id = list_query.query_id
          AND judgment.rater_id = (SELECT id FROM me)
    ) AS judged
    FROM judgments_listquery list_query
    WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id IN (SELECT query_id FROM requested)
)
SELECT requested.id, document.external_id, left(document.title, {TITLE}), left(document.body, {CARD_BODY}),
       octet_length(document.body), left(document.url, {ADDRESS}), left(document.image, {ADDRESS}), document.fields,
       of_query.position, of_query.pair_count, of_query.judged,
       (SELECT max(position) FROM judgments_listquery WHERE judgment_list_id = %(list)s),
       coalesce((SELECT queue.guidelines_seen FROM judgments_raterqueue queue
                 WHERE queue.judgment_list_id = %(list)s AND queue.rater_id = (SELECT id FROM me)), 0),
       (SELECT skip.at FROM judgments_skip skip
        WHERE skip.pair_id = requested.id AND skip.rater_id = (SELECT id FROM me)),
       mine.id IS NOT NULL, mine.value, mine.reason, mine.comment, mine.evidence, mine.confidence, mine.updated_at,
       before.id IS NOT NULL, before.value, before.reason, before.comment, before.evidence, before.confidence,
       before.answered_at,
       {QUERY.sql}
FROM requested
JOIN of_query ON of_query.query_id = requested.query_id
JOIN judgments_query query ON query.id = requested.query_id
JOIN judgments_document document ON document.id = requested.document_id
LEFT JOIN judgments_judgment mine ON mine.pair_id = requested.id AND mine.rater_id = (SELECT id FROM me)
LEFT JOIN LATERAL (
    SELECT history.* FROM judgments_judgmenthistory history
    WHERE history.pair_id = requested.id AND history.rater_id = (SELECT id FROM me) AND history.action = 'withdrawn'
      AND history.replaced_by_id IS NULL  -- what an import said, and took back, the rater never did
    ORDER BY history.id DESC LIMIT 1
) before ON mine.id IS NULL
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """The rater's own answer to a pair: the current one, or the last one if it was withdrawn."""

    value: float | None
    reason: str
    comment: str
    evidence: list[dict[str, Any]]
    confidence: int | None
    at: datetime
    withdrawn: bool = False

    @property
    def grade_text(self) -> str:
        return "" if self.value is None else written(self.value)


@dataclass(frozen=True, slots=True)
class Content:
    """The contents of a card. `body` and other long texts are cut; `body_bytes` is the size of the whole body.

    `judged` is how many documents of the query the rater has judged.
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
    answer: OwnAnswer | None
    query: Query


def list_to_judge(user: User, list_id: int) -> JudgmentList | None:
    """The list with its query set, its scale and the grades, if the account may judge it."""
    values = {"list": key(list_id), "user": user.pk, "everywhere": user.is_superuser}
    lists, grades = answers(LIST_TO_JUDGE, values)
    if not lists:
        return None
    row = iter(lists[0])
    judgment_list = LIST.read(row)
    judgment_list.query_set, judgment_list.scale = SET.read(row), SCALE.read(row)
    # As prefetch_related does, which would take a statement of its own.
    prefetch = judgment_list.scale.grades.all()
    prefetch._result_cache = [GRADE.read(iter(grade)) for grade in grades]
    vars(judgment_list.scale)["_prefetched_objects_cache"] = {"grades": prefetch}
    return judgment_list


def contents(*, list_id: int, user_id: int, pair_ids: Sequence[int]) -> dict[int, Content]:
    """By pair; pairs that are not in the list are left out."""
    contents = rows(CONTENTS, list=list_id, user=user_id, pairs=list(pair_ids))
    return {row[0]: _content(row) for row in contents}


def _content(row: Sequence[Any]) -> Content:
    answer = _own_answer(row[14:21]) or _own_answer(row[21:28], withdrawn=True)
    values: list[Any] = [*row[:7], json.loads(row[7]), *row[8:14], answer, QUERY.read(iter(row[28:]))]
    return Content(*values)


def _own_answer(row: Sequence[Any], *, withdrawn: bool = False) -> OwnAnswer | None:
    exists, value, reason, comment, evidence, confidence, at = row
    if not exists:
        return None
    return OwnAnswer(value, reason, comment, json.loads(evidence), confidence, at, withdrawn)
