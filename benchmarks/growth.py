"""Does judging in one list get slower as the tables fill with the lists of others? `python -m benchmarks.growth [PAIRS…]`

Counts the blocks (8 KB) that PostgreSQL touches for each act, in its cache or not. Other programs on the machine don't change
that number, which a time would. Each size has a database of its own: a list of so many pairs, all judged three times, and
beside it the list that is measured. ADR 71 says what follows.
"""

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import django
from django.conf import settings
from django.db import connection
from django.utils import timezone

from config import postgres
from config.postgres_data import OWNER
from tests.database import fleeting_server

SIZES = (0, 100_000, 1_000_000)
PAIRS, ACTS = 1_000, 200
TOUCHED = """
SELECT sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::bigint FROM pg_statio_user_tables
"""
ROWS = "SELECT reltuples::bigint, pg_total_relation_size(oid) >> 20 FROM pg_class WHERE relname = 'judgments_judgment'"


def blocks_of(act: Callable[[], object], times: int) -> float:
    """How many blocks one act touches, on average."""
    before = _touched()
    for _ in range(times):
        act()
    return (_touched() - before) / times


def _touched() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(TOUCHED)
        return int(cursor.fetchone()[0])


def measure(others: int) -> str:
    """One line of the table."""
    from benchmarks.judging_data import Shape, make_list
    from judgments.content.actions.deleting import delete_list
    from judgments.judging.actions.judging import record_judgment
    from judgments.judging.actions.queue import claim
    from judgments.lists.actions.pairs import add_pairs
    from tests import factories as make

    if others:
        make_list(Shape(queries=others // 20, judged=others // 20), raters=2)
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, overlap=1)
    documents = [make.make_document(query_set).pk for _ in range(20)]
    queries = [make.make_query(query_set).pk for _ in range(PAIRS // 20)]
    pairs = [(query, document) for query in queries for document in documents]
    user = make.make_member(query_set, "rater")
    adding = blocks_of(lambda: add_pairs(judgment_list=judgment_list, pairs=pairs), 1) / PAIRS
    now = timezone.now()
    held: list[int] = []

    def take() -> None:
        nonlocal now
        now += timedelta(seconds=3)
        held[:] = [one.pair_id for one in claim(user=user, judgment_list=judgment_list, at=now)]

    def save() -> None:
        record_judgment(
            user=user,
            judgment_list=judgment_list,
            pair_id=held.pop(0),
            request_id=uuid4(),
            value=1.0,
            at=now,
        )
        take()

    take()
    claiming = blocks_of(take, ACTS)
    began = time.process_time()
    saving = blocks_of(save, ACTS)
    seconds = time.process_time() - began
    deleting = blocks_of(
        lambda: delete_list(judgment_list=judgment_list, confirmed_name=judgment_list.name), 1
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE judgments_judgment")
        cursor.execute(ROWS)
        rows, megabytes = cursor.fetchone()
    return (
        f"| {rows:,} | {megabytes:,} MB | {claiming:.0f} | {saving:.0f} | {adding:.1f} | "
        f"{deleting / PAIRS:.1f} | {seconds / ACTS * 1000:.1f} ms |"
    )


def main(sizes: list[int]) -> None:
    django.setup()
    print("| judgments of all | their table | claim | save and claim | pair added | pair deleted | process |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for others in sizes:
        with fleeting_server(migrated=True) as server:
            connection.close()
            changed = postgres.database_settings(server.var_dir) | {"USER": OWNER}
            settings.DATABASES["default"].update(changed)
            connection.settings_dict.update(changed)
            print(measure(others), flush=True)
            connection.close()


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    main([int(size.replace("_", "")) for size in sys.argv[1:]] or list(SIZES))
