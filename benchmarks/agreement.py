"""How long agreement takes: `python -m benchmarks.agreement [pairs]`. It fails above the limit.

A fleeting PostgreSQL gets 200,000 pairs of 10,000 queries with three judgments each by twelve raters; then everything that
the page of agreement shows is worked out, its 1,000 drawings of the queries among it. CPU seconds are those of this process and
of PostgreSQL's together; wall seconds have whatever else the machine does in them, and less where PostgreSQL works in parallel.
"""

import os
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import psutil

from tests.database import fleeting_server

PAIRS, BY_QUERY, RATERS, OVERLAP = 200_000, 20, 12, 3
ROUNDS, LIMIT = 3, 2.0
_Answer = TypeVar("_Answer")

FILL = (
    """
    INSERT INTO judgments_query (query_set_id, external_id, text, information_need, weight, tags)
    SELECT {query_set}, 'q' || n, 'query ' || n, '', 1, '{{}}' FROM generate_series(1, {queries}) n
    """,
    """
    INSERT INTO judgments_document (query_set_id, external_id, title, body, url, image, fields)
    SELECT {query_set}, 'd' || n, 'document', '', '', '', '{{}}' FROM generate_series(1, {by_query}) n
    """,
    """
    INSERT INTO judgments_pair (query_set_id, judgment_list_id, query_id, document_id, priority)
    SELECT {query_set}, {list}, query.id, document.id, 0 FROM judgments_query query, judgments_document document
    ORDER BY query.id, document.id
    """,
    """
    INSERT INTO judgments_rater (query_set_id, name, kind)
    SELECT {query_set}, 'rater ' || n, 'external' FROM generate_series(1, {raters}) n
    """,
    # The grade leans on the pair, and one judgment in ten goes astray.
    """
    INSERT INTO judgments_judgment (query_set_id, judgment_list_id, pair_id, rater_id, value, reason, comment, evidence, extra,
                                    gold, view, created_at, updated_at, method, device, guidelines_version)
    SELECT {query_set}, {list}, pair.id, rater.first + (pair.id * 7 + nth * (1 + pair.id % 3)) % {raters},
           CASE WHEN abs(hashint8(pair.id * 3 + nth)) % 10 = 0 THEN abs(hashint8(pair.id * 5 + nth)) % 4
                ELSE abs(hashint8(pair.id)) % 4 END,
           '', '', '[]', false, '', '', now(), now(), 'click', '', 1
    FROM judgments_pair pair, generate_series(0, {overlap} - 1) nth, (SELECT min(id) AS first FROM judgments_rater) rater
    """,
    "ANALYZE judgments_judgment",
    "ANALYZE judgments_pair",
)


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    with fleeting_server() as server:
        import django
        from django.conf import settings

        from config import postgres

        django.setup()
        own = postgres.database_settings(server.var_dir) | {"PASSWORD": "", "PORT": "", "CONN_MAX_AGE": None}
        settings.DATABASES["default"] |= own
        run(pairs)


def run(pairs: int) -> None:
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    judgment_list = fill(pairs)
    totals = []
    for _ in range(ROUNDS):
        before = clocks()
        alpha = answer(judgment_list)
        totals.append(tuple(after - start for after, start in zip(clocks(), before, strict=True)))
    wall, processor = min(totals)[0], min(both for _, both in totals)
    connection.close()
    print(f"{pairs:,} pairs, {pairs * OVERLAP:,} judgments, alpha {alpha:.4f}")
    print(f"best of {ROUNDS}: {wall:.2f} s, {processor:.2f} s CPU; limit {LIMIT:g} s")
    if min(wall, processor) > LIMIT:
        sys.exit("Too slow.")


def clocks() -> tuple[float, float]:
    """Wall seconds; CPU seconds of this process and of the database's."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone() or (0,)
    backend = psutil.Process(pid)
    server = backend.parent()
    spent = backend.cpu_times()
    workers = server.cpu_times() if server else spent
    database = spent.user + spent.system + workers.children_user + workers.children_system
    return time.perf_counter(), time.process_time() + database


def fill(pairs: int):  # type: ignore[no-untyped-def]
    from django.db import connection

    from judgments.models import JudgmentList, QuerySet, Scale

    query_set = QuerySet.objects.create(name="Bench")
    scale = Scale.objects.get(query_set=None, name="TREC 0–3")
    judgment_list = JudgmentList.objects.create(
        query_set=query_set, name="Bench", scale=scale, overlap=OVERLAP
    )
    given = {"query_set": query_set.pk, "list": judgment_list.pk, "queries": pairs // BY_QUERY}
    with connection.cursor() as cursor:
        cursor.execute(
            "SET session_replication_role = replica"
        )  # triggers take minutes, and change nothing here
        for statement in FILL:
            cursor.execute(statement.format(**given, by_query=BY_QUERY, raters=RATERS, overlap=OVERLAP))
        cursor.execute("SET session_replication_role = DEFAULT")
    return judgment_list


def timed(name: str, work: Callable[[], _Answer]) -> _Answer:
    before = clocks()
    found = work()
    wall, processor = (after - start for after, start in zip(clocks(), before, strict=True))
    print(f"  {name:32} {wall:6.2f} s, {processor:5.2f} s CPU")
    return found


def answer(judgment_list) -> float:  # type: ignore[no-untyped-def]
    """All that the page shows; the alpha."""
    from judgments.reports import agreement, agreement_of_raters

    steps = agreement.steps_of(judgment_list.scale)
    found = timed("alpha, interval, queries", lambda: agreement.agreement(judgment_list, steps))
    uses = timed("use of grades", lambda: agreement_of_raters.grade_uses(judgment_list, steps))
    raters = timed("couples of raters", lambda: agreement_of_raters.Raters(judgment_list, steps, uses))
    alphas = timed("alpha without each", lambda: raters.alphas_without(found))
    timed("figures of raters, matrix", lambda: (raters.figures(alphas), raters.matrix(list(uses)[:20])))
    timed("order of queries", lambda: found.by_query.order("worth"))
    return found.headline.alpha.value or 0.0


if __name__ == "__main__":
    main()
