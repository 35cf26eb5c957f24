"""A backup, restored into an empty database, is the same site: rows, hashes, scores, triggers and rights."""

import os
import re
import stat
from contextlib import contextmanager
from io import StringIO
from urllib.parse import quote

import psycopg
import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from config import backup
from config.postgres_data import APPLICATION, OWNER
from evaluation.models import Evaluation, Score
from judgments.lists.actions.versions import freeze_version
from judgments.models import Act, JudgmentList, QuerySet, Version
from tests import factories as make
from tests.config.test_two_roles import manage
from tests.evaluation.scored import evaluate, make_grades, make_ranking

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill]

CHANGED_BY_RESTORING = {"django_session", "judgments_act"}


def run(name, *arguments, **options):
    out = StringIO()
    call_command(name, *arguments, stdout=out, **options)
    return out.getvalue()


def refusal(name, *arguments, **options):
    with pytest.raises(CommandError) as refused:
        run(name, *arguments, **options)
    assert refused.value.returncode == 2
    return str(refused.value)


@pytest.fixture
def site():
    """A query set with a frozen version and a scored run, and somebody who is signed in."""
    query_set = make.make_query_set(name="Shop")
    judgment_list = make.make_list(query_set, name="Main")
    queries = [make.make_query(query_set, f"q{n}", text="naïve “tea”\\\t;") for n in (1, 2)]
    make_grades(judgment_list, queries[0], {"a": 3, "b": 1, "c": None})
    make_grades(judgment_list, queries[1], {"a": 2, "d": 0})
    freeze_version(judgment_list=judgment_list)
    one = make.make_run(query_set, name="bm25")
    for query in queries:
        make_ranking(one, query, ["b", "a", "d"], [3.5, 2.5, 0.5])
    evaluate(one, judgment_list)
    Session.objects.create(session_key="secret", session_data="x", expire_date=make.NOW)
    return judgment_list


@contextmanager
def database(name, user):
    """Django works on that database as that role meanwhile."""
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update({"NAME": name, "USER": user})
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.clear()
        connection.settings_dict.update(before)


@pytest.fixture
def empty(settings):
    """An empty database on the same server; the site is the role that owns nothing."""
    host = connection.settings_dict["HOST"]
    with psycopg.connect(host=host, user=OWNER, dbname="postgres", autocommit=True) as server:
        server.execute("CREATE DATABASE restored")
        settings.DATABASE_OWNER = {"USER": OWNER}
        yield lambda: database("restored", APPLICATION)
        server.execute("DROP DATABASE restored WITH (FORCE)")


def checksums():
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        found = {}
        for name in set(names) - CHANGED_BY_RESTORING:
            cursor.execute(
                f"SELECT count(*), md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM {name} t"  # noqa: S608
            )
            found[name] = cursor.fetchone()
    return found


def test_a_restored_site_is_the_same(site, empty, tmp_path):
    file = tmp_path / "site.backup"
    before, version = checksums(), Version.objects.get()
    scores = list(Score.objects.order_by("pk").values())

    said = run("backup", file)
    with empty():
        run("restore", file)
        after, restored = checksums(), Version.objects.get()
        restored_scores = list(Score.objects.order_by("pk").values())
        checked = run("check_versions")

    assert re.fullmatch(rf"{re.escape(str(file))}: [\d.]+\sKB\n", said)
    assert len(before) > 50
    assert after == before
    assert (restored.sha256, restored.note) == (version.sha256, version.note)
    assert scores
    assert restored_scores == scores
    assert checked == "Checked 1 version: 0 problems.\n"


def test_scoring_again_gives_the_same_numbers(site, empty, tmp_path):
    before = Evaluation.objects.get()
    run("backup", tmp_path / "one")

    with empty():
        run("restore", tmp_path / "one")
        Evaluation.objects.all().delete()
        one = QuerySet.objects.get().runs.get()
        again = evaluate(one, JudgmentList.objects.get())

    for ideal in ("ndcg_local", "ndcg_recall", "ndcg_global", "ndcg_max"):
        assert getattr(again, ideal) == getattr(before, ideal), ideal


def test_what_protects_versions_is_restored_too(site, empty, tmp_path):
    run("backup", tmp_path / "one")

    with empty():
        run("restore", tmp_path / "one")
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            Version.objects.update(sha256="0" * 64)
    with empty(), connection.cursor() as cursor:
        connection.close()
        connection.settings_dict["USER"] = OWNER
        with pytest.raises(DatabaseError), transaction.atomic():
            Version.objects.update(sha256="0" * 64)
        assert cursor is not None


def test_new_rows_get_new_numbers(site, empty, tmp_path):
    run("backup", tmp_path / "one")

    with empty():
        run("restore", tmp_path / "one")
        made = make.make_query_set(name="Another")

        assert made.pk > QuerySet.objects.get(name="Shop").pk


def test_the_file_is_private_and_signs_nobody_in(site, empty, tmp_path):
    file = tmp_path / "one"
    previous = os.umask(0)
    try:
        run("backup", file)
    finally:
        os.umask(previous)

    with empty():
        run("restore", file)
        sessions = Session.objects.count()

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sessions == 0


def test_the_log_says_that_a_backup_was_restored(site, empty, tmp_path):
    run("backup", tmp_path / "monday.backup")

    with empty():
        run("restore", tmp_path / "monday.backup")
        newest = Act.objects.first()

    assert str(newest) == "imported the backup monday.backup"


def test_data_are_replaced_only_if_told(site, empty, tmp_path):
    run("backup", tmp_path / "one")
    with empty():
        run("restore", tmp_path / "one")
        make.make_user("kim")
        make.make_query_set(name="Another")

        said = refusal("restore", tmp_path / "one")
        kept = set(QuerySet.objects.values_list("name", flat=True))
        run("restore", tmp_path / "one", replace=True)
        replaced = set(QuerySet.objects.values_list("name", flat=True))

    assert "already has data: 1 account and 2 query sets. Nothing was changed." in said
    assert "--replace" in said
    assert kept == {"Shop", "Another"}
    assert replaced == {"Shop"}


def test_nothing_is_restored_while_others_are_connected(site, empty, tmp_path):
    run("backup", tmp_path / "one")
    host = connection.settings_dict["HOST"]

    with empty(), psycopg.connect(host=host, user=OWNER, dbname="restored"):
        assert "in use: it has 1 other connection. Stop the site" in refusal("restore", tmp_path / "one")


def damages(whole):
    """Parts of a file, a file with another byte, and one that two were mixed in."""
    yield from (whole[: int(len(whole) * share)] for share in (0, 0.3, 0.9, 0.999))
    yield from (whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in (100, len(whole) // 2, -2))
    yield whole + whole


def test_a_damaged_file_changes_nothing(site, empty, tmp_path):
    file = tmp_path / "one"
    run("backup", file)
    with empty():
        run("restore", file)
        make.make_query_set(name="Another")
        before = checksums()
        for damaged in damages(file.read_bytes()):
            (tmp_path / "damaged").write_bytes(damaged)

            assert "damaged: its checksum doesn't fit" in refusal(
                "restore", tmp_path / "damaged", replace=True
            )

        assert checksums() == before


def test_a_reader_that_breaks_off_changes_nothing(site, empty, tmp_path, monkeypatch):
    """Such as for a file that can't be read to its end."""
    file = tmp_path / "one"
    run("backup", file)
    with empty():
        run("restore", file)
        before = checksums()
        monkeypatch.setattr(backup, "_check_file", lambda *_: None)
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 3])

        said = refusal("restore", file, replace=True)

        assert "The database is unchanged, because the backup can't be read" in said
        assert checksums() == before


def test_a_writer_that_breaks_off_says_why_and_changes_nothing(site, empty, tmp_path, monkeypatch):
    run("backup", tmp_path / "one")
    with empty():
        run("restore", tmp_path / "one")
        before = checksums()
        monkeypatch.setattr(backup, "DROP_EVERYTHING", b"SELECT 1 / 0;\n")

        said = refusal("restore", tmp_path / "one", replace=True)

        assert "The database is unchanged" in said
        assert "division by zero" in said
        assert checksums() == before


def test_a_file_of_something_else_is_refused(empty, tmp_path):
    (tmp_path / "notes").write_text("no backup")

    with empty():
        assert "isn't a backup of Touchstone" in refusal("restore", tmp_path / "notes")
        assert "There is no file" in refusal("restore", tmp_path / "nowhere")


def test_a_dump_of_another_program_is_refused(empty, tmp_path):
    with empty():
        connection.settings_dict["USER"] = OWNER
        backup.make_backup(tmp_path / "one")
        connection.settings_dict["USER"] = APPLICATION

        assert "isn't a backup of Touchstone" in refusal("restore", tmp_path / "one")


def test_a_backup_of_a_newer_version_is_refused(site, empty, tmp_path):
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('judgments', '9999_next', now())"
        )
    try:
        run("backup", tmp_path / "one")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE name = '9999_next'")

    with empty():
        said = refusal("restore", tmp_path / "one")

    assert "newer version of Touchstone: this one doesn't know judgments.9999_next" in said


def test_no_file_is_overwritten_and_none_is_left_half_made(site, tmp_path, monkeypatch):
    (tmp_path / "one").write_text("precious")
    assert "already exists" in refusal("backup", tmp_path / "one")
    assert (tmp_path / "one").read_text() == "precious"

    assert "There is no folder" in refusal("backup", tmp_path / "no" / "folder")
    assert "can't be written" in refusal("backup", "/proc/two")  # a folder in which nobody may make files
    monkeypatch.setattr(backup.Server, "program", lambda *_: "/bin/false")
    assert "failed: it gave no reason" in refusal("backup", tmp_path / "two")
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


@pytest.mark.parametrize(("server", "found"), [(18, True), (15, True), (99, False)])
def test_programs_are_as_new_as_the_server(monkeypatch, server, found):
    monkeypatch.setenv("PATH", "")

    if found:
        assert (backup._program_folder(server) / "pg_dump").exists()
    else:
        with pytest.raises(backup.BackupError, match="install postgresql-client-99"):
            backup._program_folder(server)


def test_the_password_is_in_the_environment_and_not_in_the_list_of_processes():
    connection.settings_dict["PASSWORD"] = "a secret"
    try:
        server = backup._server()
    finally:
        connection.settings_dict["PASSWORD"] = ""

    assert server.environment["PGPASSWORD"] == "a secret"
    assert "secret" not in server.address
    assert f"dbname={connection.settings_dict['NAME']}" in server.address


def test_both_work_from_the_command_line_on_a_server_of_its_own(site, empty, tmp_path):
    """As an operator runs them, where DATABASE_URL names the server."""
    host = quote(connection.settings_dict["HOST"], safe="")
    name = connection.settings_dict["NAME"]

    def url(role, database):
        return f"postgresql://{role}@{host}/{database}"

    def roles(database):
        return {
            "TOUCHSTONE_VAR": str(tmp_path / "var"),
            "DATABASE_URL": url(APPLICATION, database),
            "DATABASE_OWNER_URL": url(OWNER, database),
        }

    file = str(tmp_path / "one")
    assert manage("backup", file, **roles(name))[0] == 0
    status, said = manage("restore", file, **roles("restored"))
    assert (status, said.split(".")[0]) == (0, f"Restored {file}")
    assert manage("check_versions", **roles("restored")) == (0, "Checked 1 version: 0 problems.\n")
    status, said = manage("restore", file, **roles("restored"))
    assert status == 2
    assert "already has data" in said
