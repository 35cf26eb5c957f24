"""A database that has no tables yet, or those of an earlier version: what commands and several starts at once make of it."""

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import httpx
import psycopg
import pytest
from django.core import management
from django.core.management import call_command
from django.db import connection, transaction
from django.db.utils import OperationalError, ProgrammingError

from config import postgres, tables
from config.monitored_paths import READY
from config.postgres_data import OWNER
from judgments.base.sql import locks
from judgments.models import QuerySet, User
from tests.config.cluster import Host
from tests.config.conftest import free_port, launch
from tests.config.test_two_roles import manage
from tests.database import fleeting_server

COUNT_SCALES = "SELECT count(*) FROM judgments_scale WHERE query_set_id IS NULL"

COUNT_SCALE_NAMES = "SELECT count(DISTINCT name) FROM judgments_scale WHERE query_set_id IS NULL"
PAGES = ("/accounts/sign-in/", READY)


@pytest.fixture
def empty_database():
    """The URL of a database without tables, on a server that many processes can reach."""
    with fleeting_server() as server:
        yield f"postgresql://{OWNER}@/{postgres.DATABASE}?host={server.socket}"


@pytest.fixture(scope="module")
def migrated_database():
    with fleeting_server(migrated=True) as server:
        yield f"postgresql://{OWNER}@/{postgres.DATABASE}?host={server.socket}"


def ask(url, statement):
    with closing(psycopg.connect(url)) as asked:
        return asked.execute(statement).fetchone()[0]


def several_at_once(count, *arguments, **changes):
    """Exit status and output of as many processes of one command, started together."""
    command = [sys.executable, "manage.py", *arguments]
    started = [launch(command, **changes) for _ in range(count)]
    return [(process.communicate(timeout=300)[0], process.returncode) for process in started]


@pytest.mark.drill
def test_a_command_on_a_fresh_folder_makes_the_tables_and_does_its_work(tmp_path):
    queries = tmp_path / "queries.csv"
    queries.write_text("id,query\n1,tent\n")
    folder = {"TOUCHSTONE_VAR": str(tmp_path / "var")}

    status, said = manage("import_queries", str(queries), "--query-set", "Shop", "--create", **folder)

    assert status == 0
    assert said.splitlines()[0] == "queries.csv: 1 query new, 0 changed, 0 unchanged."


def test_a_command_on_an_empty_database_of_ones_own_says_what_to_do(tmp_path, empty_database):
    folder = {"TOUCHSTONE_VAR": str(tmp_path), "DATABASE_URL": empty_database}

    status, said = manage("work", "--once", **folder)

    assert status == 2
    assert said.splitlines() == [
        "The tables of this database are not those of this version of Touchstone. "
        "Run `manage.py migrate` first, then this command again."
    ]
    assert ask(empty_database, "SELECT count(*) FROM pg_class WHERE relname LIKE 'judgments_%%'") == 0


@pytest.mark.parametrize("command", ["load_example", "backup", "restore", "migrate", "showmigrations"])
def test_a_command_without_a_database_to_reach_says_so_in_one_sentence(tmp_path, command):
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"
    file = [str(tmp_path / "file")] if command in {"backup", "restore"} else []

    status, said = manage(command, *file, TOUCHSTONE_VAR=str(tmp_path), DATABASE_URL=url)

    assert status == 2
    assert said.startswith("The database cannot be reached: ")
    assert said.count("\n") == 1


def test_what_the_database_answers_is_said_without_a_trace(tmp_path, migrated_database):
    act = "from django.db import connection; connection.cursor().execute('SET statement_timeout = 1; SELECT pg_sleep(9)')"

    found = manage(
        "shell",
        "--no-imports",
        "-c",
        act,
        TOUCHSTONE_VAR=str(tmp_path),
        DATABASE_URL=migrated_database,
    )

    assert found == (2, "canceling statement due to statement timeout\n")


def test_a_misspelled_command_ends_with_two(tmp_path, migrated_database):
    """1 would say that a gate isn't passed."""
    status, said = manage("gatee", TOUCHSTONE_VAR=str(tmp_path), DATABASE_URL=migrated_database)

    assert status == 2
    assert "Unknown command: 'gatee'" in said


def test_a_worker_waits_itself_for_a_database_that_is_out_of_reach(monkeypatch):
    def unreachable():
        raise OperationalError("no route")

    monkeypatch.setattr(tables, "migrations_due", unreachable)

    tables.bring_up_to_date(can_wait=True)

    with pytest.raises(tables.TablesError, match="The database cannot be reached: no route"):
        tables.bring_up_to_date()


def test_a_first_migration_that_broke_off_is_finished(monkeypatch, settings):
    """It makes the tables, and only at its end lets the application's role read them."""
    done = []

    def denied():
        raise ProgrammingError("permission denied for table django_migrations")

    monkeypatch.setattr(tables, "migrations_due", denied)
    monkeypatch.setattr(management, "call_command", lambda *names, **_: done.append(names))
    settings.EMBEDDED_DATABASE = False
    with pytest.raises(tables.TablesError, match=r"Run `manage\.py migrate` first"):
        tables.bring_up_to_date()
    settings.EMBEDDED_DATABASE = True

    tables.bring_up_to_date()

    assert done == [("migrate",)]


@pytest.mark.drill
def test_several_hosts_that_migrate_one_empty_database_at_once_all_succeed(tmp_path, empty_database):
    changes = {"TOUCHSTONE_VAR": str(tmp_path), "DATABASE_URL": empty_database}

    done = several_at_once(3, "migrate", "--verbosity=0", **changes)

    assert done == [("", 0)] * 3
    assert ask(empty_database, COUNT_SCALES) == ask(empty_database, COUNT_SCALE_NAMES) > 0


@pytest.mark.drill
def test_two_hosts_that_start_on_one_empty_database_at_once_both_serve_it(tmp_path, empty_database):
    folders = [tmp_path / "one", tmp_path / "other"]
    prepare = "import django; from config import serve; django.setup(); serve.prepare_static_files()"
    changes = {"TOUCHSTONE_VAR": str(folders[0]), "DATABASE_URL": empty_database}
    changes |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    folders[0].mkdir()
    prepared = launch([sys.executable, "-c", prepare], **changes)
    prepared.communicate(timeout=300)  # which takes long, and is no race
    shutil.copytree(*folders)
    with ThreadPoolExecutor(2) as pool:
        starting = [pool.submit(Host, folder, {"DATABASE_URL": empty_database}) for folder in folders]
    started = [one.result() for one in starting if not one.exception()]
    try:
        pages = [httpx.get(f"{host.address}{path}", timeout=30) for host in started for path in PAGES]
        assert [page.status_code for page in pages] == [200] * 4, [one.exception() for one in starting]
        assert [line for host in started for line in host.said if "WARNING" in line or "Error" in line] == []
    finally:
        for host in started:
            host.kill()
    assert ask(empty_database, "SELECT count(*) FROM judgments_sitekey") == 1
    assert ask(empty_database, COUNT_SCALES) == ask(empty_database, COUNT_SCALE_NAMES) > 0


@pytest.mark.django_db(transaction=True)
def test_the_example_is_not_loaded_while_another_process_loads_it():
    with closing(connection.copy()) as other:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute(locks.LOCK_EXAMPLE)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '50ms'")
            with pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
                call_command("load_example", if_empty=True)

    assert not QuerySet.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_whoever_migrates_waits_until_another_one_has_done_so(monkeypatch):
    other = connection.copy()
    waited = []

    def let_go(seconds):
        waited.append(seconds)
        other.close()

    monkeypatch.setattr(locks.time, "sleep", let_go)
    with other.cursor() as cursor:
        cursor.execute(locks.TRY_TO_MIGRATE)

    with locks.migrating():
        assert waited
        with closing(connection.copy()) as third, third.cursor() as cursor:
            cursor.execute(locks.TRY_TO_MIGRATE)
            assert cursor.fetchone() == (False,)

    with closing(connection.copy()) as third, third.cursor() as cursor:
        cursor.execute(locks.TRY_TO_MIGRATE)
        assert cursor.fetchone() == (True,)


@pytest.mark.django_db(transaction=True)
def test_a_migration_that_lost_its_connection_says_that_and_nothing_about_the_lock():
    def lose_it():
        with locks.migrating():
            connection.close()
            raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        lose_it()


@pytest.mark.django_db
def test_the_example_is_left_out_where_there_is_a_query_set():
    QuerySet.objects.create(name="Own")

    call_command("load_example", if_empty=True)

    assert not User.objects.filter(username="admin").exists()
