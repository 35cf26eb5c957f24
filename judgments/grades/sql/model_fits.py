"""Reads the judgments that a model is fitted to as arrays, and writes its grades by COPY."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from judgments.base.sql import copy

# PostgreSQL's binary format of COPY: a header of 19 bytes, then for each row the number of its fields, and each field's
# length before its eight bytes, all big-endian; two bytes at the end.
HEADER: Final = 19
ROW: Final = np.dtype(
    {
        "names": ["pair", "rater", "value", "mark"],
        "formats": [">i8", ">i8", ">f8", ">i8"],
        "offsets": [6, 18, 30, 42],
        "itemsize": 50,
    }
)

COUNTING: Final = """
FROM judgments_countingjudgment judgment
WHERE judgment.judgment_list_id = %(list)s AND judgment.value IS NOT NULL
"""
# One number for each judgment; their sum doesn't depend on the order of reading.
MARK: Final = "(hash_record_extended(ROW(judgment.pair_id, judgment.rater_id, judgment.value), 0) >> 24)"
LABELS: Final = f"SELECT judgment.pair_id, judgment.rater_id, judgment.value, {MARK} {COUNTING}"
STATE: Final = f"""
WITH few AS (SELECT judgment.rater_id {COUNTING} GROUP BY judgment.rater_id HAVING count(*) < %(each)s),
pairs AS (SELECT FROM (
    SELECT judgment.pair_id {COUNTING} AND judgment.rater_id NOT IN (SELECT rater_id FROM few)
    GROUP BY judgment.pair_id HAVING count(*) > 1 LIMIT %(enough)s
) judged),
jobs AS (
    SELECT job.args ->> 'rule' AS rule, job.status = 'doing' AS running,
           coalesce(CASE WHEN job.status = 'todo' THEN job.scheduled_at END, max(event.at)) AS at
    FROM procrastinate_jobs job JOIN procrastinate_events event ON event.job_id = job.id
    WHERE job.task_name = 'fit_model' AND job.status IN ('todo', 'doing')
      AND job.args -> 'list_id' = to_jsonb(%(list)s::bigint)
    GROUP BY job.id
),
named AS (
    SELECT rater.id, coalesce(nullif(trim(concat_ws(' ', first_name, last_name)), ''), username, rater.name) AS name
    FROM judgments_rater rater LEFT JOIN judgments_user account ON account.id = rater.user_id
    WHERE rater.query_set_id = (SELECT query_set_id FROM judgments_judgmentlist WHERE id = %(list)s)
)
SELECT CASE WHEN %(with_checksum)s THEN (SELECT coalesce(sum({MARK}), 0)::bigint {COUNTING}) END,
       (SELECT count(*) FROM pairs),
       (SELECT count(*) FROM few),
       (SELECT coalesce(array_agg(rule ORDER BY running DESC, at), '{{}}') FROM jobs),
       (SELECT coalesce(array_agg(running ORDER BY running DESC, at), '{{}}') FROM jobs),
       (SELECT coalesce(array_agg(at ORDER BY running DESC, at), '{{}}') FROM jobs),
       (SELECT coalesce(array_agg(id ORDER BY id), '{{}}') FROM named),
       (SELECT coalesce(array_agg(name ORDER BY id), '{{}}') FROM named)
"""  # noqa: S608 -- joined from constants

STAGE_COLUMNS: Final = {
    "pair_id": "bigint",
    "value": "float8",
    "likeliest": "float8",
    "certainty": "float8",
    "labels": "int",
}
REMOVE: Final = """
DELETE FROM judgments_modelgrade stored
WHERE stored.fit_id = %(fit)s AND NOT EXISTS (SELECT FROM model_staged staged WHERE staged.pair_id = stored.pair_id)
"""
MERGE: Final = """
INSERT INTO judgments_modelgrade AS stored (query_set_id, fit_id, pair_id, value, likeliest, certainty, labels)
SELECT pair.query_set_id, %(fit)s, staged.pair_id, staged.value, staged.likeliest, staged.certainty, staged.labels
FROM model_staged staged JOIN judgments_pair pair ON pair.id = staged.pair_id
ON CONFLICT (fit_id, pair_id) DO UPDATE SET value = EXCLUDED.value, likeliest = EXCLUDED.likeliest,
    certainty = EXCLUDED.certainty, labels = EXCLUDED.labels
WHERE (stored.value, stored.likeliest, stored.certainty, stored.labels)
    IS DISTINCT FROM (EXCLUDED.value, EXCLUDED.likeliest, EXCLUDED.certainty, EXCLUDED.labels)
"""


@dataclass(frozen=True, slots=True)
class CountingJudgments:
    """All judgments that count, one entry for each, with the IDs of the database."""

    pair_ids: NDArray[np.int64]
    rater_ids: NDArray[np.int64]
    values: NDArray[np.float64]
    checksum: int


@dataclass(frozen=True, slots=True)
class Job:
    """A requested fit: `running` since `at`, or scheduled for then."""

    rule: str
    running: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class State:
    """Whether there is enough to fit: `few_raters` have too few judgments; `pairs` have two or more by the others.

    `pairs` is counted up to a limit. `checksum` is None unless requested, because it reads every judgment. `jobs` are the
    requested fits, running ones first, then by time. `names` are those of all raters of the query set, by ID.
    """

    checksum: int | None
    pairs: int
    few_raters: int
    jobs: list[Job]
    names: dict[int, str]


def read_judgments(list_id: int) -> CountingJudgments:
    """Reads by a binary COPY, with 50 bytes for each row of four numbers and no Python objects."""
    data = bytearray()
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY ({LABELS}) TO STDOUT (FORMAT binary)", {"list": list_id}) as stream,
    ):
        for row in stream:
            data += row
    rows = np.frombuffer(data, dtype=ROW, offset=HEADER, count=(len(data) - HEADER) // ROW.itemsize)
    pair_ids, rater_ids, marks = (rows[name].astype(np.int64) for name in ("pair", "rater", "mark"))
    return CountingJudgments(pair_ids, rater_ids, rows["value"].astype(np.float64), int(marks.sum()))


def read_state(list_id: int, *, enough: int, each: int, with_checksum: bool) -> State:
    """Counts pairs up to `enough`, and raters with fewer than `each` judgments. One statement."""
    (row,) = copy.rows(STATE, list=list_id, enough=enough, each=each, with_checksum=with_checksum)
    checksum, pairs, few_raters, rules, running, at, ids, names = row
    jobs = [Job(*job) for job in zip(rules, running, at, strict=True)]
    return State(checksum, pairs, few_raters, jobs, dict(zip(ids, names, strict=True)))


def replace_grades(fit_id: int, rows: Iterable[tuple[Any, ...]]) -> int:
    """Replaces the grades of the fit by these rows (pair, value, likeliest, certainty, labels). Returns how many differ.

    Rows of deleted pairs are skipped.
    """
    copy.stage("model_staged", STAGE_COLUMNS, rows)
    return copy.run(REMOVE, fit=fit_id) + copy.run(MERGE, fit=fit_id)
