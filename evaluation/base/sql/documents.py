"""Finds retrieved documents among those of a query set."""

from collections.abc import Iterable
from typing import Final

from judgments.base.sql import copy

# An array, looked up as a hash table or by the unique index: either way the time grows with the rows, whatever the
# planner takes the new tables to be. A join, even one by LATERAL … OFFSET 0, may compare everything with everything.
_COUNT: Final = """
    SELECT count(*) FROM judgments_document
    WHERE query_set_id = %(query_set)s AND external_id = ANY(%(names)s::text[])
"""

_ALL: Final = """
    SELECT string_agg(external_id, E'\\n') FROM judgments_document WHERE query_set_id = %(query_set)s GROUP BY id / 100000
"""
_IDS: Final = """
    SELECT external_id, id FROM judgments_document
    WHERE query_set_id = %(query_set)s AND external_id = ANY(%(names)s::text[])
"""


def count_known(query_set_id: int, names: Iterable[str]) -> int:
    """How many of these external IDs are documents of the query set. One query."""
    return int(copy.value(_COUNT, query_set=query_set_id, names=list(names)))


def all_ids(query_set_id: int) -> list[str]:
    """The external IDs of all documents of the query set, joined by line feeds in texts of up to 100,000. One query."""
    return [text for (text,) in copy.rows(_ALL, query_set=query_set_id)]


def known_ids(query_set_id: int, names: Iterable[str]) -> dict[str, int]:
    """The documents of the query set with these external IDs. One query."""
    return dict(copy.rows(_IDS, query_set=query_set_id, names=list(names)))
