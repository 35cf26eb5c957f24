"""What no SQL of the application's role may, with every setting that it may set and every table that it may make."""

import pytest
from django.db import DatabaseError, IntegrityError, ProgrammingError, connection, transaction

from judgments.ingest import roles
from judgments.models import Act, JudgmentHistory, Version, VersionGrades
from tests.evaluation.whole_set import WholeSet

pytestmark = pytest.mark.usefixtures("application")

NOT_ALLOWED = r"permission denied|must be owner"
TABLES = ["judgments_version", "judgments_versiongrades", "judgments_judgmenthistory", "judgments_act"]
TRIGGERS = {
    "judgments_version": "version_kept",
    "judgments_versiongrades": "version_closed",
    "judgments_judgmenthistory": "history_append_only",
    "judgments_act": "log_append_only",
}
OF_A_TABLE = [
    "UPDATE {table} SET id = id",
    "TRUNCATE {table} CASCADE",
    "ALTER TABLE {table} DISABLE TRIGGER ALL",
    "ALTER TABLE {table} DISABLE TRIGGER {trigger}",
    "ALTER TABLE {table} ADD COLUMN other int",
    "ALTER TABLE {table} OWNER TO CURRENT_USER",
    "ALTER TABLE {table} RENAME TO other",
    "DROP TRIGGER {trigger} ON {table}",
    "DROP TABLE {table} CASCADE",
    "CREATE RULE other AS ON INSERT TO {table} DO INSTEAD NOTHING",
    "CREATE TRIGGER other BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION touchstone_version_kept()",
    "GRANT ALL ON {table} TO CURRENT_USER; UPDATE {table} SET id = id",
    "UPDATE pg_class SET relowner = CURRENT_USER::regrole WHERE relname = '{table}'",
    "UPDATE pg_trigger SET tgenabled = 'D' WHERE tgrelid = '{table}'::regclass",
]
OF_THE_SERVER = [
    "UPDATE judgments_version SET note = 'other'",
    "UPDATE judgments_version SET sha256 = repeat('0', 64)",
    "DELETE FROM judgments_act",
    "DELETE FROM django_migrations",
    "SET session_replication_role = replica",
    "SET ROLE touchstone",
    "SET SESSION AUTHORIZATION touchstone",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "GRANT touchstone TO CURRENT_USER",
    "CREATE OR REPLACE FUNCTION touchstone_version_kept() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "ALTER FUNCTION touchstone_version_kept() SET search_path = pg_temp",
    "DROP FUNCTION touchstone_version_kept() CASCADE",
    "CREATE TABLE other (id int)",
    "CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "CREATE SCHEMA other",
    "COPY judgments_version TO PROGRAM 'cat'",
]
DELETING = "SET LOCAL touchstone.deleting = 'yes'"
GRADES, VERSIONS = "DELETE FROM public.judgments_versiongrades", "DELETE FROM public.judgments_version"
AND_BACK = """
WITH gone AS (DELETE FROM public.judgments_versiongrades RETURNING *)
INSERT INTO public.judgments_versiongrades (version_id, query_id, external_id, weight, documents, names, values, how)
SELECT version_id, query_id, external_id, weight, documents, names, '{3}', how FROM gone
"""
ONE_MORE = """
INSERT INTO public.judgments_versiongrades (version_id, query_id, external_id, weight, documents, names, values, how)
SELECT id, (SELECT max(id) FROM public.judgments_query), 'other', 1, '{}', '{}', '{}', '{}' FROM public.judgments_version
"""
DECEITS = {
    "its grades": [GRADES],
    "its grades, as if the query set went": [DELETING, GRADES],
    "a version, as if the query set went": [DELETING, GRADES, VERSIONS],
    "other grades": [DELETING, AND_BACK],
    "one more query": [ONE_MORE],
    "a pair of it": ["DELETE FROM public.judgments_pair"],
    "a pair of it, as if the query set went": [DELETING, "DELETE FROM public.judgments_pair"],
    "the id of a query": ["UPDATE public.judgments_query SET external_id = 'other'"],
    "the id of a document": ["UPDATE public.judgments_document SET external_id = 'other'"],
    "the worth of a grade": ["UPDATE public.judgments_grade SET gain = 3"],
    "history": ["DELETE FROM public.judgments_judgmenthistory"],
    "history, as if the query set went": [DELETING, "DELETE FROM public.judgments_judgmenthistory"],
}
# What triggers must not look into instead of the table of the same name.
EMPTY_TABLES = [
    f"CREATE TEMP TABLE judgments_{name} (LIKE public.judgments_{name}) ON COMMIT DROP"
    for name in ("queryset", "judgmentlist", "judgment", "pair", "version", "versiongrades")
]


@pytest.fixture
def whole():
    return WholeSet()


def run(*statements):
    """With what is looked at when a transaction ends."""
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def contents():
    return [
        list(model.objects.order_by("pk").values())
        for model in (Version, VersionGrades, JudgmentHistory, Act)
    ]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("statement", OF_A_TABLE)
def test_a_table_that_never_changes_is_out_of_reach(table, statement):
    with pytest.raises(ProgrammingError, match=NOT_ALLOWED):
        run(statement.format(table=table, trigger=TRIGGERS[table]))


@pytest.mark.parametrize("statement", OF_THE_SERVER)
def test_there_is_no_way_round(statement):
    with pytest.raises(DatabaseError, match=NOT_ALLOWED):
        run(statement)


@pytest.mark.parametrize("tables", [[], EMPTY_TABLES], ids=["plain", "with empty tables of the same names"])
@pytest.mark.parametrize("deceit", DECEITS)
def test_triggers_refuse_what_the_role_could_reach(whole, deceit, tables):
    before = contents()

    with pytest.raises(IntegrityError, match=r"version|history|in use"):
        run(*tables, *DECEITS[deceit])

    assert contents() == before


def test_the_role_cannot_act_as_the_owner():
    assert not roles.may_act_as_owner()
