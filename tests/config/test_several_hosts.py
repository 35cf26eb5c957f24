"""Two hosts with their workers on one PostgreSQL, as separate processes with separate folders. One is killed under load."""

import time
from contextlib import suppress
from uuid import uuid4

import psutil
import psycopg
import pytest

from config.postgres_data import APPLICATION
from tests.config.cluster import (
    JUDGED,
    Judge,
    Load,
    confirm,
    hosts,
    places_of,
    primary,
    replica_of,
    until,
    upload_documents,
    value,
    visits,
)
from tests.config.test_two_roles import url

pytestmark = pytest.mark.drill

DOCUMENTS = "document_id,title\n" + "".join(f"new-{number},{'word ' * 20}\n" for number in range(12_000))
NEW_DOCUMENTS = "SELECT count(*) FROM judgments_document WHERE external_id LIKE 'new-%%'"
HOLD = "SELECT pg_advisory_lock(hashtextextended('touchstone upload ' || %s, 0))"
READ_THERE = "SELECT coalesce(sum(seq_scan + idx_scan), 0) FROM pg_stat_user_tables WHERE relname = %s"


@pytest.fixture(scope="module")
def server():
    with primary() as running:
        yield running


@pytest.fixture(scope="module")
def replica(server):
    with replica_of(server) as following:
        yield following


@pytest.fixture(scope="module")
def started(server, replica):
    with hosts(server, 2, DATABASE_REPLICA_URL=url(replica[0], APPLICATION)) as running:
        yield running


@pytest.fixture
def two(started):
    """Both, also after a test that killed one."""
    for host in started:
        if host.process.poll() is not None:
            host.start()
    return started


@pytest.fixture
def visit(two):
    with visits(two) as sign_in:
        yield sign_in


@pytest.fixture(scope="module")
def places(server):
    return places_of(server)


def test_what_one_host_takes_the_other_opens(server, two, visit, places):
    first, second = two
    admin = visit("admin")
    assert admin.get("/", host=first).status_code == 200
    assert admin.get("/", host=second).status_code == 200, "the same session"

    address = upload_documents(admin, places[1], "document_id,title\nd1,One\n", host=first)

    assert not list(first.folder.rglob("*.upload"))
    page = admin.get(address, host=second)
    assert page.status_code == 200
    assert "d1" in page.text
    assert confirm(admin, address, host=second).status_code == 302
    assert value(server, "SELECT count(*) FROM judgments_document WHERE external_id = 'd1'") == 1
    assert [line for host in two for line in host.said if "WARNING" in line] == []


def test_reports_come_from_the_replica_and_from_the_primary_once_it_hangs_or_is_gone(
    server, replica, visit, places
):
    folder, process = replica
    admin = visit("admin")
    judgment_list, query_set = places
    paths = [f"{judgment_list}/runs/", f"{judgment_list}/log/", f"{query_set}/documents/"]
    files = [f"{judgment_list}/export/?format=jsonl", f"{query_set}/export/?format=documents-csv"]

    def reads():
        with psycopg.connect(url(folder, APPLICATION), autocommit=True) as connection:
            return connection.execute(READ_THERE, ["judgments_document"]).fetchone()[0]

    before = reads()
    fresh = f"fresh-{uuid4()}"
    confirm(admin, upload_documents(admin, query_set, f"document_id,title\n{fresh},One\n"))
    assert fresh in admin.get(f"{query_set}/documents/?q={fresh}").text, "as new as the request"
    from_replica = [admin.get(path).content for path in files]
    assert fresh.encode() in from_replica[1]
    assert [admin.get(path).status_code for path in paths * 2] == [200] * 6
    assert until(lambda: reads() > before, 20)

    stopped = []
    try:
        for one in (psutil.Process(process.pid), *psutil.Process(process.pid).children()):
            with suppress(psutil.NoSuchProcess):  # a connection that has ended meanwhile
                one.suspend()
                stopped.append(one)
        began = time.monotonic()
        assert [admin.get(path).content for path in files] == from_replica
        assert time.monotonic() - began < 20
    finally:
        for one in reversed(stopped):
            one.resume()

    process.kill()
    process.wait(30)

    assert [admin.get(path).status_code for path in paths * 2] == [200] * 6
    assert [admin.get(path).content for path in files] == from_replica
    assert {status for _, path, status in admin.answers if path in files} == {200}
    assert admin.faults() == []


def test_a_host_is_killed_under_load_and_nothing_is_lost(server, two, visit, places):
    judgment_list, query_set = places
    judges = [visit(name, Judge) for name in ("rater", "engineer")]
    looker, admin = visit("engineer"), visit("admin")
    small = []
    # An import into the same query set would have the other one's preview be out of date.
    other = value(server, "SELECT id FROM judgments_queryset WHERE name = 'Zoolander'")
    elsewhere = f"/query-sets/{other}"

    def judge(judge):
        return lambda: judge.judge(f"{judgment_list}/judge/")

    def look():
        looker.get(f"{judgment_list}/runs/")

    def upload():
        small.append(name := f"small-{uuid4()}")
        confirm(admin, upload_documents(admin, elsewhere, f"document_id,title\n{name},One\n"))

    address = upload_documents(admin, query_set, DOCUMENTS)
    with psycopg.connect(url(server.var_dir, APPLICATION), autocommit=True) as holder:
        holder.execute(HOLD, [address.strip("/").split("/")[-1].replace("-", "")])
        assert confirm(admin, address).status_code == 302
        with Load(*map(judge, judges), look, upload) as load:
            victim = until(lambda: next((host for host in two if host.runs("limited_process")), None))
            until(lambda: all(judge.saved for judge in judges))
            victim.kill()
            killed_at = [len(judge.saved) for judge in judges]
            until(lambda: all(len(j.saved) > count for j, count in zip(judges, killed_at, strict=True)))
            holder.execute("SELECT pg_advisory_unlock_all()")
            until(lambda: value(server, NEW_DOCUMENTS) == 12_000)

    assert load.errors == []
    assert [visitor.faults() for visitor in (*judges, looker, admin)] == [[]] * 4
    stored = value(server, JUDGED)
    assert {saved for judge in judges for saved in judge.saved} <= set(stored)
    assert len(stored) == len(set(stored))
    done = value(
        server, "SELECT count(*) FROM judgments_document WHERE external_id = ANY(%(names)s)", names=small
    )
    assert done == len(small)
    until(lambda: value(server, "SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing'") == 0)
