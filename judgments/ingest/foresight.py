"""What another rule, or another set of raters, would make of a list's grades. Writes nothing.

The database puts pairs with the same grades together and packs their columns into byte strings, so that each combination
of grades is settled once, and no pair becomes an object: of a million pairs with four grades most are alike.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from judgments.consensus import Rule, Tie, consensus
from judgments.ingest.consensus import NO_TRIAL, Trial
from judgments.models import MODEL_RULES

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

# All aggregates of a group see its pairs in one order, so that the columns belong together. What the judgments of a pair
# are worth is gathered first, whole: joined row by row, it is gathered again by every process that helps.
GROUPED: Final = """
WITH judged AS MATERIALIZED (
    SELECT judgment.pair_id, array_agg(judgment.value ORDER BY judgment.value) AS grades
    FROM judgments_judgment judgment
    WHERE judgment.judgment_list_id = %(list)s AND judgment.gold <> 'practice' AND judgment.value IS NOT NULL
      AND judgment.rater_id <> ALL (ARRAY(
          SELECT rater_id FROM judgments_exclusion WHERE judgment_list_id = %(list)s AND lifted_at IS NULL
            AND rater_id IS DISTINCT FROM %(included)s::bigint
          UNION ALL SELECT %(excluded)s::bigint WHERE %(excluded)s::bigint IS NOT NULL
      )) AND {judgments}
    GROUP BY judgment.pair_id
)
SELECT coalesce(judged.grades, '{{}}'), string_agg(int8send(pair.id), ''), string_agg(int8send(pair.query_id), ''),
       string_agg(int8send(pair.document_id), ''), string_agg(float8send(coalesce(known.value, 'NaN')), ''),
       string_agg(float8send(coalesce(decided.value, 'NaN')), ''), string_agg(float8send({model}), '')
FROM judgments_pair pair
LEFT JOIN judged ON judged.pair_id = pair.id
LEFT JOIN judgments_adjudication decided ON decided.pair_id = pair.id AND decided.withdrawn_at IS NULL
LEFT JOIN judgments_consensusgrade known ON known.pair_id = pair.id
{models}
WHERE pair.judgment_list_id = %(list)s AND {pairs}
GROUP BY judged.grades
"""
_BY_RATER: Final = "{} IN (SELECT pair_id FROM judgments_judgment WHERE judgment_list_id = %(list)s AND rater_id = %(rater)s)"
OF_RATER: Final = {"judgments": _BY_RATER.format("judgment.pair_id"), "pairs": _BY_RATER.format("pair.id")}
EVERY: Final = {"judgments": "true", "pairs": "true"}
MODELS: Final = """
LEFT JOIN judgments_modelgrade model ON model.pair_id = pair.id AND model.fit_id = (
    SELECT id FROM judgments_modelfit WHERE judgment_list_id = %(list)s AND rule = %(rule)s
)
"""


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Grades that would be other ones, each (N,), in the order of the pairs; NaN where there is none, before or after."""

    pairs: Ints
    queries: Ints
    documents: Ints
    was: Floats
    values: Floats
    alike: Ints
    """Pairs with the same grades have the same number."""

    def real(self) -> "Changes":
        """Without those that are none, by pair."""
        same = (self.values == self.was) | (np.isnan(self.values) & np.isnan(self.was))
        rows = np.flatnonzero(~same)
        rows = rows[np.argsort(self.pairs[rows])]
        return Changes(
            self.pairs[rows],
            self.queries[rows],
            self.documents[rows],
            self.was[rows],
            self.values[rows],
            self.alike[rows],
        )

    @property
    def added(self) -> int:
        return int(np.isnan(self.was).sum())

    @property
    def removed(self) -> int:
        return int(np.isnan(self.values).sum())

    @property
    def changed(self) -> int:
        return len(self.pairs) - self.added - self.removed

    @property
    def query_count(self) -> int:
        return len(np.unique(self.queries))

    def examples(self, most: int) -> list[int]:
        """The first pairs, no two of which have the same grades."""
        _, first = np.unique(self.alike, return_index=True)
        return [int(pair) for pair in self.pairs[np.sort(first)[:most]]]


def foresee(
    *, list_id: int, rule: Rule, tie: Tie, rater_id: int | None = None, trial: Trial = NO_TRIAL
) -> Changes:
    """The grades that bringing the list up to date would change; only of pairs that the rater judged, if one is given.

    One statement, which reads every judgment of these pairs once.
    """
    given: dict[str, Any] = {"list": list_id, "rule": rule, "rater": rater_id}
    which = EVERY if rater_id is None else OF_RATER
    with connection.cursor() as cursor:
        cursor.execute(
            GROUPED.format(**which, **model_of(rule)),
            given | {"excluded": trial.excluded, "included": trial.included},
        )
        rows = cursor.fetchall()
    pairs, queries, documents = (ints(row[place] for row in rows) for place in (1, 2, 3))
    was, decided, model = (floats(row[place] for row in rows) for place in (4, 5, 6))
    sizes = np.array([len(row[1]) // 8 for row in rows], dtype=np.int64)
    values = np.repeat(np.array([settled(row[0], rule, tie) for row in rows], dtype=np.float64), sizes)
    graded = np.repeat(np.array([bool(row[0]) for row in rows], dtype=np.bool_), sizes)
    values = np.where(graded & ~np.isnan(model), model, values)
    values = np.where(np.isnan(decided), values, decided)
    alike = np.repeat(np.arange(len(rows)), sizes)
    return Changes(pairs, queries, documents, was, values, alike).real()


def settled(grades: Sequence[float], rule: Rule, tie: Tie) -> float:
    """The grade that the rule makes of these, leaving its model aside; NaN where it makes none."""
    value = consensus(grades, rule=rule, tie=tie).value
    return np.nan if value is None else value


def model_of(rule: Rule) -> dict[str, str]:
    """What a statement needs to read what the rule's model says of a pair, NaN where it says nothing."""
    if rule in MODEL_RULES:
        return {"models": MODELS, "model": "coalesce(model.value, 'NaN')"}
    return {"models": "", "model": "'NaN'::float8"}


def ints(parts: Iterable[bytes]) -> Ints:
    """Numbers that int8send has packed."""
    return np.frombuffer(b"".join(parts), dtype=">i8").astype(np.int64)


def floats(parts: Iterable[bytes]) -> Floats:
    """Numbers that float8send has packed."""
    return np.frombuffer(b"".join(parts), dtype=">f8").astype(np.float64)
