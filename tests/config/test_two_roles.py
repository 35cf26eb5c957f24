"""The role that owns the tables and the one that the site works as: embedded, in a folder of an earlier version, and elsewhere."""

import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from config import postgres
from config.postgres_data import APPLICATION, OWNER
from tests.config.conftest import ROOT, environment, free_port, rows
from tests.config.test_serve import refusal

SESSIONS = "SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = current_database()"


def manage(*arguments, root=ROOT, **changes):
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(
        command,
        cwd=root,
        env=environment(**changes),
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def owner(var_dir, database=postgres.DATABASE):
    host = str(postgres.socket_folder(var_dir))
    return psycopg.connect(host=host, user=OWNER, dbname=database, autocommit=True)


def sign_in_page(site):
    with urllib.request.urlopen(f"{site.address}/accounts/sign-in/", timeout=20) as response:  # noqa: S310
        return response.read().decode()


@pytest.mark.drill
def test_in_a_folder_of_an_earlier_version_too_the_site_is_a_role_that_owns_nothing(start_on_empty_folder):
    start = start_on_empty_folder
    var_dir = Path(start.changes["TOUCHSTONE_VAR"])
    assert manage("migrate", "--verbosity=0", **start.changes) == (0, "")
    with postgres.Server(var_dir).running(), owner(var_dir) as connection:
        connection.execute(f"DROP OWNED BY {APPLICATION}")
        connection.execute(f"DROP ROLE {APPLICATION}")

    site = start()

    assert "Sign in" in sign_in_page(site)
    assert rows(var_dir, SESSIONS) == [(APPLICATION,)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="must be owner"):
        rows(var_dir, "ALTER TABLE judgments_version DISABLE TRIGGER ALL")
    script = "from judgments.base.sql import roles; print(roles.current_role(), roles.may_act_as_owner())"
    assert manage("shell", "--no-imports", "-c", script, **start.changes) == (0, f"{APPLICATION} False\n")


@pytest.fixture
def elsewhere():
    """A server that knows neither our roles nor our database, and lets everybody in who says who they are."""
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        var_dir = Path(folder)
        server = postgres.Server(var_dir, settings=postgres.FLEETING)
        with server.running():
            pass
        rules = server.data / "everybody.conf"
        rules.write_text("local all all trust\n")
        server.settings = postgres.FLEETING | {"hba_file": str(rules)}
        with server.running():
            with owner(var_dir, "postgres") as connection:
                connection.execute(f"DROP DATABASE {postgres.DATABASE}")
            yield var_dir


def url(var_dir, role):
    return f"postgresql://{role}@{quote(str(postgres.socket_folder(var_dir)), safe='')}/touchstone"


@pytest.mark.drill
def test_two_roles_made_as_the_docs_say(elsewhere, tmp_path):
    (statements,) = re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "security.md").read_text(), re.DOTALL)
    for statement in filter(None, map(str.strip, statements.split(";"))):
        with owner(elsewhere, "postgres") as connection:
            connection.execute(statement)
    site_only = {"TOUCHSTONE_VAR": str(tmp_path), "DATABASE_URL": url(elsewhere, "touchstone_site")}
    roles = site_only | {"DATABASE_OWNER_URL": url(elsewhere, "touchstone_owner")}

    assert manage("migrate", "--verbosity=0", **roles) == (0, "")

    assert "W001" not in manage("check", "--deploy", **roles)[1]
    assert manage("migrate", "--verbosity=0", **site_only) == (0, "")  # there is nothing left to do
    with psycopg.connect(roles["DATABASE_URL"]) as site:
        assert site.execute("SELECT count(*) > 0 FROM judgments_scale").fetchone() == (True,)
        site.execute(
            "INSERT INTO judgments_queryset (name, description, show_images, created_at) VALUES ('', '', false, now())"
        )
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            site.execute("ALTER TABLE judgments_version DISABLE TRIGGER ALL")


@pytest.mark.drill
def test_one_role_does_everything_and_a_check_says_what_that_means(elsewhere, tmp_path):
    with owner(elsewhere, "postgres") as connection:
        connection.execute("CREATE ROLE one LOGIN")
        connection.execute("CREATE DATABASE touchstone OWNER one")
    role = {"TOUCHSTONE_VAR": str(tmp_path), "DATABASE_URL": url(elsewhere, "one")}

    assert manage("migrate", "--verbosity=0", **role) == (0, "")

    assert "judgments.W001" in manage("check", "--deploy", **role)[1]
    with psycopg.connect(role["DATABASE_URL"]) as one:
        assert one.execute(
            "SELECT tableowner FROM pg_tables WHERE tablename = 'judgments_version'"
        ).fetchone() == ("one",)


def test_a_site_whose_role_may_not_migrate_says_so(elsewhere, tmp_path):
    with owner(elsewhere, "postgres") as connection:
        connection.execute("CREATE ROLE one LOGIN")
        connection.execute("CREATE ROLE other LOGIN")
        connection.execute("CREATE DATABASE touchstone OWNER one")

    said = refusal(TOUCHSTONE_VAR=str(tmp_path), PORT=str(free_port()), DATABASE_URL=url(elsewhere, "other"))

    assert "the role of the database may not do that (permission denied" in said
    assert said.endswith("DATABASE_OWNER_URL names the one that may: see docs/security.md.")


def test_a_command_without_a_database_does_not_end_as_if_it_had_found_something(tmp_path):
    (tmp_path / "file").write_text("")

    status, said = manage("check_versions", TOUCHSTONE_VAR=str(tmp_path / "file"))

    assert status == 2
    assert "cannot be used" in said
