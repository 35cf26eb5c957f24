"""How many of the judgments that a query requires it has received."""

from django.db.models import IntegerField
from django.db.models.expressions import RawSQL

# Of a row of judgments_listquery. Judgments of excluded people aren't among these answers: they are required again. Those beyond
# what a pair requires, and answers to gold pairs, fill nothing.
RECEIVED = """
    SELECT coalesce(sum(least(grade.answers, greatest(list.overlap, list.overlap_most, pair.least_judgments))), 0) AS received_count
    FROM judgments_consensusgrade grade
    JOIN judgments_pair pair ON pair.id = grade.pair_id
    JOIN judgments_judgmentlist list ON list.id = grade.judgment_list_id
    WHERE grade.judgment_list_id = judgments_listquery.judgment_list_id AND grade.query_id = judgments_listquery.query_id
      AND NOT EXISTS (SELECT FROM judgments_goldpair gold WHERE gold.pair_id = pair.id AND gold.retired_at IS NULL)
"""


def received_count() -> RawSQL:
    """To annotate a ListQuery with. Together with its `open_count`, that is what the query requires."""
    return RawSQL(RECEIVED, (), output_field=IntegerField())  # noqa: S611 -- a constant
