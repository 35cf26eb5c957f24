"""The grades of a list without each of its raters, looked ahead in one pass. Writes nothing."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db import connection

from judgments.consensus import Modelled, Rule, Tie
from judgments.ingest.consensus import Basis, Settler

# Decided pairs keep their grade whoever is left out; what excluded raters gave counts for nothing as it is. Only pairs that
# one of the raters judged are read.
JUDGED = """
WITH left_out AS (
    SELECT rater_id FROM judgments_exclusion WHERE judgment_list_id = %(list)s AND lifted_at IS NULL
)
SELECT pair.query_id, pair.document_id, judged.raters, judged.grades, (
           SELECT scale.level = 'nominal' FROM judgments_judgmentlist list JOIN judgments_scale scale ON scale.id = list.scale_id
           WHERE list.id = %(list)s
       ), model.value, model.likeliest, model.certainty, model.labels, known.value
FROM (
    SELECT pair_id, array_agg(rater_id ORDER BY value, rater_id) AS raters, array_agg(value ORDER BY value, rater_id) AS grades
    FROM judgments_judgment judgment
    WHERE judgment_list_id = %(list)s AND gold <> 'practice' AND rater_id NOT IN (SELECT rater_id FROM left_out)
    GROUP BY pair_id HAVING array_agg(rater_id) && %(raters)s::bigint[]
) judged
JOIN judgments_pair pair ON pair.id = judged.pair_id
LEFT JOIN judgments_modelgrade model ON model.pair_id = pair.id AND model.fit_id = (
    SELECT id FROM judgments_modelfit WHERE judgment_list_id = %(list)s AND rule = %(rule)s
)
LEFT JOIN judgments_consensusgrade known ON known.pair_id = pair.id
WHERE NOT EXISTS (
    SELECT FROM judgments_adjudication decided WHERE decided.pair_id = pair.id AND decided.withdrawn_at IS NULL
)
"""


class Without(NamedTuple):
    """How many grades change and are gone without a rater; `changes` has the new ones by query and document, None where gone."""

    changed: int
    removed: int
    changes: dict[int, dict[int, float | None]]


def grades_without_each(
    list_id: int, rater_ids: Collection[int], *, rule: Rule, tie: Tie
) -> dict[int, Without]:
    """One statement; by rater. Where the rule reads a model, its grades stay: it is not fitted anew without the rater."""
    settle = Settler(rule, tie)
    wanted = set(rater_ids)
    changes: dict[int, dict[int, dict[int, float | None]]] = {one: defaultdict(dict) for one in wanted}
    with connection.cursor() as cursor:
        cursor.execute(JUDGED, {"list": list_id, "raters": list(wanted), "rule": rule})
        for query, document, raters, grades, kinds, *rest in cursor.fetchall():
            *model, was = rest
            told = Modelled(*model) if model[-1] else None
            for place, rater in enumerate(raters):
                if rater not in wanted:
                    continue
                value = _value(settle, grades, place, kinds=kinds, model=told)
                if value != was:
                    changes[rater][query][document] = value
    return {rater: _counted(own) for rater, own in changes.items()}


def _value(
    settle: Settler, grades: Sequence[float | None], place: int, *, kinds: bool, model: Modelled | None
) -> float | None:
    """The grade of a pair without the judgment at `place`."""
    left = tuple(grade for at, grade in enumerate(grades) if at != place and grade is not None)
    found = settle(Basis(len(grades) - 1, 1, left, None, "", kinds, model))
    return found.value if found else None


def _counted(changes: dict[int, dict[int, float | None]]) -> Without:
    values = [value for own in changes.values() for value in own.values()]
    removed = sum(value is None for value in values)
    return Without(len(values) - removed, removed, {query: dict(own) for query, own in changes.items()})
