"""How PostgreSQL is made to look words up."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

_BITMAPS_ONLY = """
SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off; SET LOCAL max_parallel_workers_per_gather = 0
"""
_AS_BEFORE = """
SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = on; SET LOCAL max_parallel_workers_per_gather TO DEFAULT
"""


@contextmanager
def by_bitmaps() -> Iterator[None]:
    """Within, rows are found by bitmaps of indexes, even where a word is in most of them.

    The planner prices a bitmap as if every row found were looked at again, and so prefers to read all rows there: which
    takes the words of 100,000 documents one by one, in seconds instead of milliseconds. Nor do several processes look:
    whoever wants a few rows wants the first ones, and not three times as many.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_BITMAPS_ONLY)
        yield
        cursor.execute(_AS_BEFORE)
