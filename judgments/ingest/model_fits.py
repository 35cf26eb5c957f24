"""The judgments that a model is fitted to, read as arrays, and the grades that come of it, written by COPY."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from judgments.ingest import copy

CHUNK: Final = 50_000

COUNTING: Final = """
FROM judgments_judgment judgment
WHERE judgment.judgment_list_id = %(list)s AND judgment.value IS NOT NULL AND judgment.gold <> 'practice'
  AND judgment.rater_id <> ALL (ARRAY(
      SELECT rater_id FROM judgments_exclusion WHERE judgment_list_id = %(list)s AND lifted_at IS NULL
  ))
"""
# One number for each judgment; their sum does not depend on the order of reading.
MARK: Final = "(hash_record_extended(ROW(judgment.pair_id, judgment.rater_id, judgment.value), 0) >> 24)"
LABELS: Final = f"SELECT judgment.pair_id, judgment.rater_id, judgment.value, {MARK} {COUNTING}"
STATE: Final = (
    f"SELECT coalesce(sum({MARK}), 0)::bigint, count(*), count(DISTINCT judgment.pair_id) {COUNTING}"
)
BY_RATER: Final = f"SELECT judgment.rater_id, count(*) {COUNTING} GROUP BY judgment.rater_id"
MOST_FOR_A_PAIR: Final = f"SELECT EXISTS (SELECT {COUNTING} GROUP BY judgment.pair_id HAVING count(*) > 1)"

STAGED: Final = {
    "pair_id": "bigint",
    "value": "float8",
    "likeliest": "float8",
    "certainty": "float8",
    "labels": "int",
}
REMOVE: Final = "DELETE FROM judgments_modelgrade WHERE fit_id = %(fit)s"
ADD: Final = """
INSERT INTO judgments_modelgrade (query_set_id, fit_id, pair_id, value, likeliest, certainty, labels)
SELECT pair.query_set_id, %(fit)s, staged.pair_id, staged.value, staged.likeliest, staged.certainty, staged.labels
FROM model_staged staged JOIN judgments_pair pair ON pair.id = staged.pair_id
"""


@dataclass(frozen=True, slots=True)
class Read:
    """All judgments that count, one entry for each; ids as they are in the database."""

    pair_ids: NDArray[np.int64]
    rater_ids: NDArray[np.int64]
    values: NDArray[np.float64]
    checksum: int


@dataclass(frozen=True, slots=True)
class State:
    """What there is to fit, without reading it all: `by_rater` counts judgments; `repeated`: some pair has two or more."""

    checksum: int
    labels: int
    pairs: int
    by_rater: dict[int, int]
    repeated: bool


def read_labels(list_id: int) -> Read:
    """By a cursor of the server, so that never more than a chunk of rows is held as Python objects."""
    ids: list[NDArray[np.int64]] = [np.empty((0, 3), dtype=np.int64)]
    values: list[NDArray[np.float64]] = [np.empty(0)]
    with connection.chunked_cursor() as cursor:
        cursor.execute(LABELS, {"list": list_id})
        while rows := cursor.fetchmany(CHUNK):
            pairs, raters, given, marks = zip(*rows, strict=True)
            ids.append(np.array((pairs, raters, marks), dtype=np.int64).T)
            values.append(np.array(given, dtype=np.float64))
    joined = np.concatenate(ids)
    return Read(joined[:, 0], joined[:, 1], np.concatenate(values), int(joined[:, 2].sum()))


def read_state(list_id: int) -> State:
    ((checksum, labels, pairs),) = copy.rows(STATE, list=list_id)
    by_rater = dict(copy.rows(BY_RATER, list=list_id))
    ((repeated,),) = copy.rows(MOST_FOR_A_PAIR, list=list_id)
    return State(checksum, labels, pairs, by_rater, repeated)


def replace_grades(fit_id: int, rows: Iterable[tuple[Any, ...]]) -> int:
    """The grades of the fit are these from now on (pair, value, likeliest, certainty, labels); how many there are.

    Pairs that are gone by now are passed over.
    """
    copy.run(REMOVE, fit=fit_id)
    copy.stage("model_staged", STAGED, rows)
    return copy.run(ADD, fit=fit_id)
