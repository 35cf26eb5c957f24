"""Two hosts behind pgbouncer, set as docs/deploy.md says: few connections for all, each transaction gets another one, and it dies."""

import shutil
import signal
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from config.account import Account
from config.database_watch import HANGS_AFTER
from config.postgres_data import APPLICATION
from tests.config.cluster import (
    JUDGED,
    Judge,
    Load,
    confirm,
    hosts,
    places_of,
    primary,
    reached,
    until,
    upload_documents,
    value,
    visits,
)
from tests.config.conftest import ROOT
from tests.config.test_two_roles import url

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(
        shutil.which("pgbouncer") is None,
        reason="pgbouncer isn’t installed (Debian: apt-get install pgbouncer)",
    ),
]

CONNECTIONS = 4
SETTINGS = """
[databases]
* = host={postgres}
[pgbouncer]
unix_socket_dir = {folder}
listen_port = 5432
auth_type = trust
auth_file = {folder}/users
{ours}
default_pool_size = {connections}
min_pool_size = {connections}
server_round_robin = 1
"""


class Pooler:
    """pgbouncer with fewer connections than two hosts ask for."""

    def __init__(self, server, folder):
        self.account = Account.of(server.data)
        self.account.own(folder)
        socket = folder / "socket"
        socket.mkdir()
        self.account.own(socket)
        lines = (ROOT / "docs" / "deploy.md").read_text().split("[pgbouncer]\n")[1].split("```")[0]
        ours = "\n".join(line for line in lines.splitlines() if "max_prepared" not in line)
        (socket / "users").write_text(f'"{APPLICATION}" ""')
        text = SETTINGS.format(postgres=server.socket, folder=socket, ours=ours, connections=CONNECTIONS)
        self.folder, self.settings = folder, folder / "pgbouncer.ini"
        self.settings.write_text(text)
        self.start()

    def start(self):
        with (self.folder / "log").open("ab") as log:
            self.process = self.account.spawn([shutil.which("pgbouncer"), self.settings], log)
        until(lambda: reached(self.folder))

    def stop(self, how):
        self.process.send_signal(how)
        self.process.wait(30)


@pytest.fixture(scope="module")
def server():
    with primary() as running:
        yield running


@contextmanager
def pooling(server):
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        pooler = Pooler(server, Path(folder))
        try:
            yield pooler
        finally:
            pooler.stop(signal.SIGINT)


@pytest.fixture(scope="module")
def pooler(server):
    with pooling(server) as running:
        yield running


@pytest.fixture(scope="module")
def two(server, pooler):
    urls = {
        "DATABASE_URL": url(pooler.folder, APPLICATION),
        "DATABASE_DIRECT_URL": url(server.var_dir, APPLICATION),
    }
    with hosts(server, 2, **urls) as running:
        yield running


@pytest.fixture
def visit(two):
    with visits(two) as sign_in:
        yield sign_in


@pytest.fixture(scope="module")
def places(server):
    return places_of(server)


def hold(pooler, stack):
    """All its connections, each with a transaction."""
    held = [stack.enter_context(psycopg.connect(url(pooler.folder, APPLICATION))) for _ in range(CONNECTIONS)]
    for connection in held:
        connection.execute("SELECT 1")
    return held


def test_judging_reading_and_importing_share_few_connections(server, visit, places):
    judgment_list, query_set = places
    judges = [visit(name, Judge) for name in ("rater", "engineer")]
    lookers = [visit("engineer") for _ in range(3)]
    admin = visit("admin")
    run = value(server, "SELECT min(id) FROM evaluation_run")
    pages = [f"{judgment_list}/runs/", f"{judgment_list}/runs/{run}/"]
    pages += [f"{page}?format=csv" for page in pages]
    files = [f"{judgment_list}/export/?format=jsonl", f"{query_set}/export/?format=documents-csv"]
    alone = admin.get(files[1]).content
    read, imported = [], []

    def judge(judge):
        return lambda: judge.judge(f"{judgment_list}/judge/")

    def look(looker):
        def at_pages():
            for path in (*pages, files[0]):
                looker.get(path)
            read.append(looker.get(files[1]).content)

        return at_pages

    other = value(server, "SELECT id FROM judgments_queryset WHERE name = 'Zoolander'")

    def upload():
        name = f"small-{uuid4()}"
        confirm(admin, upload_documents(admin, f"/query-sets/{other}", f"document_id,title\n{name},One\n"))
        imported.append(name)

    with Load(*map(judge, judges), *map(look, lookers), upload) as load:
        until(lambda: load.errors or (len(read) >= 30 and all(judge.saved for judge in judges)))

    assert load.errors == []
    assert [visitor.faults() for visitor in (*judges, *lookers, admin)] == [[]] * 6
    assert set(read) == {alone}
    saved = {one for judge in judges for one in judge.saved}
    assert saved <= set(value(server, JUDGED))
    there = "SELECT count(*) FROM judgments_document WHERE external_id = ANY(%(names)s)"
    assert value(server, there, names=imported) == len(imported) > 0


def test_who_finds_no_connection_waits_for_one(pooler, visit, places):
    """For longer than PostgreSQL may take for a sign of life: it doesn't hang, it's busy."""
    looker = visit("engineer")
    with ExitStack() as stack:
        held = hold(pooler, stack)
        stack.enter_context(Load(lambda: looker.get(f"{places[0]}/runs/")))
        time.sleep(HANGS_AFTER + 3)
        asked = len(looker.answers)
        for connection in held:
            connection.rollback()
        until(lambda: len(looker.answers) > asked)

    assert looker.faults() == []


def test_no_statement_of_a_worker_is_ended_by_a_limit_of_pages(pooler, visit, places):
    admin = visit("admin")
    for _ in range(20):
        admin.get(f"{places[0]}/runs/")

    with ExitStack() as stack:
        limits = {one.execute("SHOW statement_timeout").fetchone()[0] for one in hold(pooler, stack)}

    assert limits == {"0"}


def test_pgbouncer_dies_and_comes_back(server, pooler, visit, places):
    judges = [visit(name, Judge) for name in ("rater", "engineer")]

    def judge(judge):
        return lambda: judge.judge(f"{places[0]}/judge/")

    with Load(*map(judge, judges)) as load:
        until(lambda: all(judge.saved for judge in judges))
        pooler.stop(signal.SIGKILL)
        until(lambda: all(judge.faults() for judge in judges))
        pooler.start()
        before = [len(judge.saved) for judge in judges]
        until(lambda: all(len(judge.saved) > count for judge, count in zip(judges, before, strict=True)))

    assert load.errors == []
    assert {status for judge in judges for _, status in judge.faults()} == {503}
    stored = value(server, JUDGED)
    assert {one for judge in judges for one in judge.saved} <= set(stored)
    assert len(stored) == len(set(stored))
