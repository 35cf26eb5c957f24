"""Grades of machines beside people's, counted in the database."""

from collections.abc import Sequence
from typing import Any

from judgments.agreement.units import Ints
from judgments.base.sql import copy
from judgments.lists.sql.required_slots import MACHINES_LEFT_OUT

LEFT_OUT = f"SELECT {MACHINES_LEFT_OUT}"

# A grade in which a machine counts isn't people's alone. OFFSET 0 has each grade looked up by the key of its pair: of tables that
# were filled a moment ago, the planner may otherwise compare all grades of a list with all others.
OF_PEOPLE = """
LATERAL (
    SELECT grade.query_id, grade.value FROM judgments_consensusgrade grade
    WHERE grade.pair_id = judged.pair_id AND grade.value IS NOT NULL AND NOT EXISTS (
        SELECT FROM (
            SELECT rater_id FROM judgments_countingjudgment WHERE pair_id = judged.pair_id OFFSET 0
        ) counting
        WHERE counting.rater_id = ANY(ARRAY(
            SELECT rater.id FROM judgments_rater rater JOIN judgments_judgmentlist list USING (query_set_id)
            WHERE list.id = %(list)s AND rater.kind = 'machine'
        ))
    )
    OFFSET 0
) grade
"""
COMPARED = f"""
SELECT judged.rater_id, grade.query_id, grade.value, judged.value, count(*)
FROM judgments_realjudgment judged CROSS JOIN {OF_PEOPLE}
WHERE judged.judgment_list_id = %(list)s AND judged.rater_id = ANY(%(machines)s::bigint[]) AND judged.value IS NOT NULL
GROUP BY judged.rater_id, grade.query_id, grade.value, judged.value
ORDER BY judged.rater_id, grade.query_id, grade.value, judged.value
"""  # noqa: S608 -- nothing but the lookup
JUDGED = """
FROM unnest(%(queries)s::bigint[], %(documents)s::bigint[]) WITH ORDINALITY AS shown (query_id, document_id, place)
CROSS JOIN LATERAL (
    SELECT id FROM judgments_pair
    WHERE judgment_list_id = %(list)s AND query_id = shown.query_id AND document_id = shown.document_id
    OFFSET 0
) pair
CROSS JOIN LATERAL (
    SELECT pair_id, rater_id, value FROM judgments_realjudgment WHERE pair_id = pair.id OFFSET 0
) judged
"""
OF_MACHINES = "WHERE judged.rater_id = ANY(%(machines)s::bigint[]) AND judged.value IS NOT NULL"
BESIDE_PEOPLE = f"""
SELECT judged.rater_id, shown.place - 1, grade.value, judged.value {JUDGED} CROSS JOIN {OF_PEOPLE} {OF_MACHINES}
"""
ALONE = f"SELECT judged.rater_id, shown.place - 1, judged.value {JUDGED} {OF_MACHINES}"


def machines_left_out(list_id: int) -> list[int]:
    """The machines whose grades don't count in the list, by rising ID."""
    return list(copy.value(LEFT_OUT, list=list_id))


def count_compared(list_id: int, machines: Sequence[int]) -> list[tuple[int, int, float, float, int]]:
    """Machine, query, people's grade, the machine's, and the number of such pairs."""
    rows = copy.rows(COMPARED, list=list_id, machines=list(machines)) if machines else []
    return [(*row,) for row in rows]


def grades_of_documents(
    list_id: int, machines: Sequence[int], queries: Ints, documents: Ints
) -> list[tuple[int, int, float, float]]:
    """Machine, index of the pair among those of these queries and documents, people's grade, and the machine's."""
    return _rows(BESIDE_PEOPLE, list_id, machines, queries, documents)


def machines_grades(
    list_id: int, machines: Sequence[int], queries: Ints, documents: Ints
) -> list[tuple[int, int, float]]:
    """Machine, index of the pair among those of these queries and documents, and the machine's grade, whether people gave one or not."""
    return _rows(ALONE, list_id, machines, queries, documents)


def _rows(
    statement: str, list_id: int, machines: Sequence[int], queries: Ints, documents: Ints
) -> list[tuple[Any, ...]]:
    pairs = {"queries": queries.tolist(), "documents": documents.tolist()}
    return [(*row,) for row in copy.rows(statement, list=list_id, machines=list(machines), **pairs)]
