"""The grades of a list without each of its raters, looked ahead in one pass. Writes nothing."""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from django.db import connection

from judgments.consensus import Rule, Tie
from judgments.ingest.foresight import Changes, floats, ints, model_of, settled

# Decided pairs keep their grade whoever is left out; what excluded raters gave counts for nothing as it is. Only pairs that
# one of the raters judged are read. Pairs to which the same raters gave the same grades come together, as in `foresight`.
GROUPED: Final = """
WITH judged AS MATERIALIZED (
    SELECT pair_id, array_agg(rater_id ORDER BY value, rater_id) AS raters,
           array_agg(value ORDER BY value, rater_id) AS grades
    FROM judgments_countingjudgment
    WHERE judgment_list_id = %(list)s
    GROUP BY pair_id HAVING array_agg(rater_id) && %(raters)s::bigint[]
)
SELECT judged.raters, judged.grades, string_agg(int8send(pair.id), ''), string_agg(int8send(pair.query_id), ''),
       string_agg(int8send(pair.document_id), ''), string_agg(float8send(coalesce(known.value, 'NaN')), ''),
       string_agg(float8send({model}), '')
FROM judged
JOIN judgments_pair pair ON pair.id = judged.pair_id
LEFT JOIN judgments_consensusgrade known ON known.pair_id = pair.id
{models}
WHERE NOT EXISTS (
    SELECT FROM judgments_adjudication decided WHERE decided.pair_id = pair.id AND decided.withdrawn_at IS NULL
)
GROUP BY judged.raters, judged.grades
"""


def grades_without_each(
    list_id: int, rater_ids: Collection[int], *, rule: Rule, tie: Tie
) -> dict[int, Changes]:
    """One statement; by rater. Where the rule reads a model, its grades stay: it is not fitted anew without the rater."""
    with connection.cursor() as cursor:
        cursor.execute(
            GROUPED.format(**model_of(rule)), {"list": list_id, "raters": list(rater_ids), "rule": rule}
        )
        rows = cursor.fetchall()
    groups = _Groups(rows)
    return {rater: groups.changes(found) for rater, found in _settled(rows, rater_ids, rule, tie).items()}


class _Groups:
    """Columns of pairs, those of a group together."""

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self._pairs, self._queries, self._documents = (
            ints(row[place] for row in rows) for place in (2, 3, 4)
        )
        self._was, self._model = (floats(row[place] for row in rows) for place in (5, 6))
        self._sizes = np.array([len(row[2]) // 8 for row in rows], dtype=np.int64)
        self._begins = np.cumsum(self._sizes) - self._sizes

    def changes(self, settled: Sequence["_Settled"]) -> Changes:
        """Where these groups have these grades, and a model's where their pairs are graded still."""
        groups = np.array([one.group for one in settled], dtype=np.int64)
        sizes = self._sizes[groups]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows = np.repeat(self._begins[groups], sizes) + within
        values = np.repeat(np.array([one.value for one in settled], dtype=np.float64), sizes)
        graded = np.repeat(np.array([one.graded for one in settled], dtype=np.bool_), sizes)
        values = np.where(graded & ~np.isnan(self._model[rows]), self._model[rows], values)
        pairs, queries, documents = self._pairs[rows], self._queries[rows], self._documents[rows]
        return Changes(pairs, queries, documents, self._was[rows], values, np.repeat(groups, sizes)).real()


class _Settled(NamedTuple):
    """The grade of a group's pairs without one of their raters (NaN: none), and whether grades are left."""

    group: int
    value: float
    graded: bool


def _settled(
    rows: Sequence[Sequence[Any]], wanted: Collection[int], rule: Rule, tie: Tie
) -> dict[int, list[_Settled]]:
    """By rater, for the groups that the rater is of."""
    known: dict[tuple[float, ...], float] = {}
    found: dict[int, list[_Settled]] = {rater: [] for rater in wanted}
    for group, (raters, grades, *_) in enumerate(rows):
        for place, rater in enumerate(raters):
            if rater in found:
                left = tuple(grade for at, grade in enumerate(grades) if at != place and grade is not None)
                if left not in known:
                    known[left] = settled(left, rule, tie)
                found[rater].append(_Settled(group, known[left], bool(left)))
    return found
