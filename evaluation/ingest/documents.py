"""Which retrieved documents a query set knows."""

from collections.abc import Iterable
from typing import Final

from django.db import connection

_KNOWN: Final = """
    SELECT count(*) FROM unnest(%(names)s::text[]) AS wanted (name)
    CROSS JOIN LATERAL (
        SELECT 1 FROM judgments_document
        WHERE query_set_id = %(query_set)s AND external_id = wanted.name
        OFFSET 0
    ) document
"""


def count_known(query_set_id: int, names: Iterable[str]) -> int:
    """How many of these external ids, each given once, are documents of the query set. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN, {"query_set": query_set_id, "names": list(names)})
        (known,) = cursor.fetchone()
    return int(known)
