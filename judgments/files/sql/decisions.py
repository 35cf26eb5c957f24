"""The pairs of decisions in a file, and what stands for them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from judgments.base.sql import copy

FIND: Final = """
SELECT wanted.place - 1, pair.id, decided.value, decided.cause, decided.note, decided.at
FROM unnest(%(queries)s::bigint[], %(documents)s::text[]) WITH ORDINALITY AS wanted(query_id, document, place)
JOIN judgments_document document ON document.query_set_id = %(query_set)s AND document.external_id = wanted.document
JOIN judgments_pair pair
  ON pair.judgment_list_id = %(list)s AND pair.query_id = wanted.query_id AND pair.document_id = document.id
LEFT JOIN judgments_adjudication decided ON decided.pair_id = pair.id AND decided.withdrawn_at IS NULL
"""


class StandingDecision(NamedTuple):
    """A pair of the list, and the decision that stands for it: nothing but Nones if there is none."""

    pair_id: int
    value: float | None
    cause: str | None
    note: str | None
    at: datetime | None


def standing_decisions(
    query_set_id: int, list_id: int, pairs: Sequence[tuple[int, str]]
) -> dict[int, StandingDecision]:
    """Those pairs of (query key, document ID) that the list has, by their place in `pairs`."""
    queries, documents = [query for query, _ in pairs], [document for _, document in pairs]
    rows = copy.rows(FIND, query_set=query_set_id, list=list_id, queries=queries, documents=documents)
    return {place: StandingDecision(*found) for place, *found in rows}
