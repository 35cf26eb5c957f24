"""Migrations that can't be done while the version before serves are found."""

import pytest
from django.core.management import call_command
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.models import Q

from config import migration_safety
from config.migration_safety import CHECKED_FROM, REASON, all_problems, problems_of

BEFORE = ("judgments", "0027_help_of_lists")


def migration(*operations, **attributes):
    kind = type(
        "Migration",
        (migrations.Migration,),
        {"dependencies": [BEFORE], "operations": list(operations)} | attributes,
    )
    return kind("9999_tried", "judgments")


@pytest.fixture(scope="module")
def loader():
    """Our migrations up to BEFORE, and one more that is tried."""
    found = MigrationLoader(None)
    found.project_state = lambda node, at_end: MigrationLoader.project_state(found, BEFORE)
    return found


ADD, ALTER = migrations.AddField, migrations.AlterField


NOTE = models.TextField(null=True)
BOTH = (ADD("pair", "note", NOTE), ADD("query", "note", NOTE))


def test_two_tables_in_one_transaction_are_found_unless_they_are_locked_in_order(loader):
    [problem] = problems_of(migration(*BOTH), loader)

    assert problem.startswith("Changes the tables of pair and query in one transaction.")
    in_order = migrations.RunSQL("LOCK TABLE judgments_pair, judgments_query")
    made = migrations.CreateModel("Made", [("id", models.BigAutoField(primary_key=True))])
    for safe in (
        migration(in_order, *BOTH),
        migration(*BOTH, atomic=False),
        migration(BOTH[0], ADD("pair", "remark", NOTE)),
        migration(made, ADD("made", "note", NOTE), BOTH[0]),
    ):
        assert not list(problems_of(safe, loader))


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (migrations.RemoveField("user", "keys"), "still reads it"),
        (migrations.DeleteModel("ModelFit"), "still reads it"),
        (migrations.RenameField("user", "keys", "keyboard"), "only the old name"),
        (migrations.RenameModel("User", "Person"), "only the old name"),
        (migrations.AlterModelTable("user", "people"), "only the old name"),
        (ADD("user", "age", models.IntegerField(default=0)), "db_default"),
        (ALTER("user", "daily_goal", models.PositiveSmallIntegerField(default=0)), "may save null"),
        (ALTER("user", "first_name", models.CharField(max_length=10, blank=True)), "no longer fits"),
        (ALTER("user", "first_name", models.IntegerField()), "no longer fits"),
        (
            ALTER("user", "first_name", models.CharField(max_length=150, blank=True, unique=True)),
            "same value twice",
        ),
        (
            migrations.AddConstraint("user", models.UniqueConstraint(fields=["email"], name="email_once")),
            "may save what it forbids",
        ),
        (
            migrations.AddConstraint("user", models.CheckConstraint(condition=~Q(email=""), name="email")),
            "AddConstraintNotValid, and ValidateConstraint in the next migration",
        ),
        (migrations.RunSQL("ALTER TABLE judgments_user ALTER COLUMN email SET NOT NULL"), "SET NOT NULL"),
        (migrations.RunSQL(["SELECT 1", ("alter table a drop  column b", None)]), "DROP  COLUMN"),
        (migrations.SeparateDatabaseAndState([migrations.RunSQL("DROP TABLE a")]), "DROP TABLE"),
    ],
)
def test_what_the_version_before_could_not_serve_on_is_found(loader, operation, words):
    [problem] = problems_of(migration(operation), loader)

    assert words in problem


@pytest.mark.parametrize(
    "operation",
    [
        ADD("user", "age", models.IntegerField(null=True)),
        ADD("user", "age", models.IntegerField(default=0, db_default=0)),
        ALTER("user", "first_name", models.CharField(max_length=300, blank=True)),
        ALTER("user", "first_name", models.CharField(max_length=150, blank=True, help_text="new")),
        migrations.CreateModel("Pet", [("id", models.BigAutoField(primary_key=True))]),
        migrations.AddIndex("user", models.Index(fields=["email"], name="by_email")),
        migrations.RunSQL("CREATE INDEX by_email ON judgments_user (email)"),
    ],
)
def test_what_only_adds_is_fine(loader, operation):
    assert list(problems_of(migration(operation), loader)) == []


def test_a_table_that_is_made_just_now_may_have_what_it_likes(loader):
    made = migrations.CreateModel("Pet", [("id", models.BigAutoField(primary_key=True))])
    name = ADD("pet", "name", models.TextField())

    assert list(problems_of(migration(made, name), loader)) == []


def test_a_migration_may_say_why_it_is_safe(loader):
    removal = migrations.RemoveField("user", "keys")

    assert list(problems_of(migration(removal, **{REASON: "nobody has read it since 0.1"}), loader)) == []


def test_a_reason_for_the_version_before_is_none_for_another_order_of_locks(loader):
    [problem] = problems_of(migration(*BOTH, **{REASON: "columns are added"}), loader)

    assert problem.startswith("Changes the tables of pair and query in one transaction.")


def test_our_own_migrations_are_safe(capsys):
    assert all_problems() == []

    call_command("check_migrations")
    assert capsys.readouterr().out == ""


def test_the_command_says_what_is_wrong(monkeypatch, capsys):
    monkeypatch.setattr(migration_safety, "CHECKED_FROM", {"judgments": "0020", "evaluation": "0001"})

    with pytest.raises(SystemExit) as ended:
        call_command("check_migrations")

    assert ended.value.code == 1
    assert "its Migration says why: serves_version_before" in capsys.readouterr().out


def test_only_our_own_apps_are_looked_at():
    assert set(CHECKED_FROM) == {"judgments", "evaluation"}
