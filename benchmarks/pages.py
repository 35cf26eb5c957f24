"""What benchmarks of pages share: a site on a fleeting PostgreSQL, clocks, and looks at a page."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any, NamedTuple

import psutil

from tests.database import fleeting_server

VIEWS = 9


class Spent(NamedTuple):
    """Seconds."""

    wall: float
    processor: float

    @property
    def least(self) -> float:
        return min(self)

    @property
    def milliseconds(self) -> list[str]:
        return [f"{1000 * seconds:.0f}" for seconds in self]


@contextmanager
def fleeting_site() -> Iterator[None]:
    """Django on a database of its own, migrated."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    with fleeting_server() as server:
        import django
        from django.conf import settings
        from django.core.management import call_command
        from django.db import connection

        from config import postgres

        django.setup()
        own = postgres.database_settings(server.var_dir) | {"PASSWORD": "", "PORT": "", "CONN_MAX_AGE": None}
        settings.DATABASES["default"] |= own
        # Addresses of static files without their hashes, which `make run` collects.
        plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
        settings.STORAGES["staticfiles"] = {"BACKEND": plain}
        call_command("migrate", verbosity=0)
        yield
        connection.close()


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


def since(before: tuple[float, float]) -> Spent:
    return Spent(*(after - start for after, start in zip(clocks(), before, strict=True)))


def views(
    user: Any, address: str, *, refused: bytes = b"", change: Callable[[], None] = lambda: None
) -> tuple[Spent, int]:
    """Medians of what a page takes after a first look, and how many statements. Ends where it answers anything but 200, or
    holds what is `refused`. `change` is called before each look, and isn't measured."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(HTTP_HOST="localhost")
    client.force_login(user)
    led = client.get(address, follow=True).redirect_chain
    address = led[-1][0] if led else address  # a page may write its formula into it
    found = []
    for _ in range(VIEWS):
        change()
        before = clocks()
        response = client.get(address)
        found.append(since(before))
        if response.status_code != 200 or (refused and refused in response.content):
            sys.exit(f"{address} answers {response.status_code}, or with something else.")
    change()
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return Spent(*(median(column) for column in zip(*found, strict=True))), len(captured)
