"""Grades of machines beside people's, counted in the database."""

from collections.abc import Sequence

from judgments.agreement.units import Ints
from judgments.base.sql import copy
from judgments.lists.sql.required_slots import MACHINES_LEFT_OUT

LEFT_OUT = f"SELECT {MACHINES_LEFT_OUT}"

# A grade in which a machine counts isn't people's alone. OFFSET 0 has each pair looked up by its index: as a join, the planner
# may look through all judgments of the list for each of them.
OF_PEOPLE = """
judgment.rater_id = ANY(%(machines)s::bigint[]) AND judgment.value IS NOT NULL AND grade.value IS NOT NULL
  AND NOT EXISTS (
      SELECT FROM judgments_judgment counting
      WHERE counting.pair_id = judgment.pair_id AND counting.gold <> 'practice' AND counting.rater_id = ANY(ARRAY(
          SELECT rater.id FROM judgments_rater rater JOIN judgments_judgmentlist list USING (query_set_id)
          WHERE list.id = %(list)s AND rater.kind = 'machine' AND NOT EXISTS (
              SELECT FROM judgments_exclusion exclusion
              WHERE exclusion.judgment_list_id = list.id AND exclusion.rater_id = rater.id AND exclusion.lifted_at IS NULL
          )
      ))
      OFFSET 0
  )
"""
COMPARED = f"""
SELECT judgment.rater_id, grade.query_id, grade.value, judgment.value, count(*)
FROM judgments_realjudgment judgment JOIN judgments_consensusgrade grade ON grade.pair_id = judgment.pair_id
WHERE judgment.judgment_list_id = %(list)s AND {OF_PEOPLE}
GROUP BY judgment.rater_id, grade.query_id, grade.value, judgment.value
ORDER BY judgment.rater_id, grade.query_id, grade.value, judgment.value
"""  # noqa: S608 -- nothing but the condition
OF_DOCUMENTS = f"""
SELECT judgment.rater_id, shown.place - 1, grade.value, judgment.value
FROM unnest(%(queries)s::bigint[], %(documents)s::bigint[]) WITH ORDINALITY AS shown (query_id, document_id, place)
JOIN judgments_pair pair ON pair.judgment_list_id = %(list)s AND pair.query_id = shown.query_id
  AND pair.document_id = shown.document_id
JOIN judgments_consensusgrade grade ON grade.pair_id = pair.id
JOIN judgments_realjudgment judgment ON judgment.pair_id = pair.id
WHERE {OF_PEOPLE}
"""  # noqa: S608


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
    pairs = {"queries": queries.tolist(), "documents": documents.tolist()}
    return [(*row,) for row in copy.rows(OF_DOCUMENTS, list=list_id, machines=list(machines), **pairs)]
