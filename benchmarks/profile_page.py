"""`make profile URL=/lists/1/runs/`: where one page spends its time, by SQL statement and by function, as plain text.

Reads the data of the site, whether `make run` is up or not. `ACCOUNT=name` chooses who looks; otherwise it's somebody who
sees everything. The page is opened once before, so that imports and caches don't count.
"""

import argparse
import cProfile
import io
import os
import pstats
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.test import Client

ROOT = Path(__file__).resolve().parents[1]
ROWS = 25
WIDTH = 110


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="an address of the site, without its host: /lists/1/runs/?k=5")
    parser.add_argument("--account", default="", help="the user name of the account that looks")
    return parser.parse_args()


def main() -> None:
    chosen = arguments()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.conf import settings

    from config import postgres

    # Addresses of static files without their hashes, which `make run` collects.
    settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    if not settings.EMBEDDED_DATABASE:
        profile_as(chosen.account, chosen.address)
        return
    with postgres.shared(settings.VAR_DIR):
        profile_as(chosen.account, chosen.address)


def profile_as(name: str, address: str) -> None:
    from django.conf import settings
    from django.contrib.sessions.backends.db import SessionStore
    from django.db import connection
    from django.test import Client

    from benchmarks.judging_data import session_of

    session = session_of(find_account(name))
    client = Client(SERVER_NAME="localhost")
    client.cookies[settings.SESSION_COOKIE_NAME] = session
    try:
        sys.stdout.write(report(client, address))
    finally:
        SessionStore(session).delete()
        connection.close()


def find_account(name: str) -> Any:
    """The account of that name. Without a name: a site administrator, else the admin of the newest query set."""
    from judgments.models import User

    active = User.objects.filter(is_active=True)
    if name:
        account = active.filter(username=name).first()
    else:
        admins = active.filter(memberships__role="admin").order_by("-memberships__pk")
        account = active.filter(is_superuser=True).first() or admins.first()
    if account is None:
        sys.exit(
            f"There's no account “{name}”."
            if name
            else "There's no account of an admin; name one by ACCOUNT=."
        )
    return account


def report(client: "Client", address: str) -> str:
    """What a second look at the page cost. Both profilers slow it down, so the plain time stands first."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    redirects = client.get(address, follow=True).redirect_chain
    address = redirects[-1][0] if redirects else address
    start = time.perf_counter()
    response = client.get(address)
    body = response.getvalue()
    spent = time.perf_counter() - start
    with CaptureQueriesContext(connection) as captured:
        client.get(address).getvalue()
    queries = captured.captured_queries  # the next request clears them
    profiler = cProfile.Profile()
    profiler.runcall(lambda: client.get(address).getvalue())
    head = f"GET {address}\n{response.status_code}, {len(body):,} bytes, {1000 * spent:.1f} ms\n"
    return f"{head}\n{statements(queries)}\n{functions(profiler)}"


def statements(queries: list[dict[str, str]]) -> str:
    """Every SQL statement in the order of the page, with its milliseconds. Long lists of columns are left out."""
    texts = [
        re.sub(r"^SELECT [^()]{60,}? FROM ", "SELECT … FROM ", " ".join(query["sql"].split()))
        for query in queries
    ]
    lines = [f"{query['time']:>7}  {text[:WIDTH]}" for query, text in zip(queries, texts, strict=True)]
    total = sum(float(query["time"]) for query in queries)
    return "\n".join([f"SQL: {len(queries)} statements, {total:.3f} s", "seconds  statement", *lines, ""])


def functions(profiler: cProfile.Profile) -> str:
    """The functions of the project that took longest, and those of any code that did most by themselves."""
    text = io.StringIO()
    stats = pstats.Stats(profiler, stream=text)
    text.write("Functions of the project, by time with what they call\n")
    stats.sort_stats("cumulative").print_stats(str(ROOT / "(config|judgments|evaluation)"), ROWS)
    text.write("All functions, by their own time\n")
    stats.sort_stats("tottime").print_stats(ROWS)
    return text.getvalue().replace(f"{ROOT}/", "")


if __name__ == "__main__":
    main()
