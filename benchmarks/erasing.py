"""How long does the preview of an erasure take as the log grows? `python -m benchmarks.erasing [LINES…]`

Each size has a database of its own with a log of so many lines: nine of ten name queries, documents and lists, the others
accounts. 500 accounts wrote them, of which the one that is asked about wrote its share, and as many lines of others name it.
"""

import sys
import time

import django
from django.conf import settings
from django.db import connection

from config import postgres
from config.postgres_data import OWNER
from tests.database import fleeting_server

SIZES = (10_000, 100_000, 1_000_000)
ACCOUNTS, TIMES = 500, 5
LINES = """
INSERT INTO judgments_act (at, by_id, by_name, verb, subject, query_set_id, query_id, document_id, before, after, note)
SELECT now(), person.id, person.username,
    CASE n %% 10 WHEN 9 THEN (ARRAY['role-changed', 'assigned', 'changed'])[1 + n / 10 %% 3] ELSE 'changed' END,
    CASE n %% 10
        WHEN 9 THEN (ARRAY['', '', 'account '])[1 + n / 10 %% 3] || other.username || (ARRAY['', ' to list First pass', ''])[1 + n / 10 %% 3]
        ELSE 'query q' || n END,
    CASE WHEN n %% 30 <> 29 THEN 1 + n %% 20 END,
    CASE WHEN n %% 10 < 5 THEN n END, CASE WHEN n %% 10 = 5 THEN n END,
    CASE WHEN n %% 10 = 9 THEN '{"role": "rater"}'::jsonb ELSE jsonb_build_object('text', 'words ' || n) END,
    jsonb_build_object('text', 'other words ' || n), ''
FROM generate_series(1, %s) n
JOIN judgments_user person ON person.username = 'person' || (1 + n * 7 %% %s)
JOIN judgments_user other ON other.username = 'person' || (1 + n * 11 %% %s)
"""


def measure(lines: int) -> str:
    """One line of the table."""
    from judgments.models import User
    from judgments.people.reports.erasure import preview

    people = (
        User(username=f"person{n}", first_name="Person", last_name=str(n)) for n in range(1, ACCOUNTS + 1)
    )
    User.objects.bulk_create(people)
    with connection.cursor() as cursor:
        cursor.execute(LINES, [lines, ACCOUNTS, ACCOUNTS])
        cursor.execute("ANALYZE")
        cursor.execute(
            "SELECT pg_total_relation_size('judgments_act') >> 20, pg_indexes_size('judgments_act') >> 20"
        )
        megabytes, of_indexes = cursor.fetchone()
    user = User.objects.get(username="person110")
    seconds = []
    for _ in range(TIMES):
        began = time.perf_counter()
        found = preview(user)
        seconds.append(time.perf_counter() - began)
    return f"| {lines:,} | {megabytes} MB, of which {of_indexes} MB indexes | {found.lines:,} | {min(seconds) * 1000:.0f} ms |"


def main(sizes: list[int]) -> None:
    django.setup()
    print("| lines of the log | their table | lines that name the account | preview, the best of 5 |")
    print("| --- | --- | --- | --- |")
    for lines in sizes:
        with fleeting_server(migrated=True) as server:
            connection.close()
            changed = postgres.database_settings(server.var_dir) | {"USER": OWNER}
            settings.DATABASES["default"].update(changed)
            connection.settings_dict.update(changed)
            print(measure(lines), flush=True)
            connection.close()


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    main([int(size.replace("_", "")) for size in sys.argv[1:]] or list(SIZES))
