"""What no SQL of the application's role may, with every setting that it may set and every table that it may make."""

import pytest
from django.db import DatabaseError, IntegrityError, ProgrammingError, connection, transaction

from judgments.base.sql import roles
from judgments.lists.actions.versions import freeze_version
from judgments.models import Act, JudgmentHistory, Version, VersionGrades
from tests import factories as make
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
    "MERGE INTO {table} kept USING (VALUES (1)) AS one (n) ON true WHEN MATCHED THEN UPDATE SET id = kept.id",
    "INSERT INTO {table} (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET id = excluded.id",
    "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY other ON {table} USING (false)",
    "ALTER TABLE {table} ALTER id RESTART WITH 1",
    "SELECT setval(pg_get_serial_sequence('{table}', 'id'), 1, false)",
    "CREATE TEMP TABLE other () INHERITS ({table})",
    "CREATE TEMP TABLE other (LIKE {table}); ALTER TABLE other INHERIT {table}",
    "CREATE UNIQUE INDEX other ON {table} ((true))",
    "UPDATE pg_class SET relowner = CURRENT_USER::regrole WHERE relname = '{table}'",
    "UPDATE pg_trigger SET tgenabled = 'D' WHERE tgrelid = '{table}'::regclass",
]
OF_THE_SERVER = [
    "UPDATE judgments_version SET note = 'other'",
    "UPDATE judgments_version SET sha256 = repeat('0', 64)",
    "DELETE FROM judgments_act",
    "DELETE FROM django_migrations",
    "INSERT INTO judgments_act (id, verb, subject, by_name, before, after, note, at) "
    "VALUES (1, 'frozen', '', '', '{}', '{}', '', now())",
    "MERGE INTO judgments_act USING (VALUES (1)) AS one (n) ON true WHEN MATCHED THEN DELETE",
    "ALTER TABLE judgments_version ALTER CONSTRAINT version_goes_with_query_set NOT DEFERRABLE",
    "DROP TRIGGER key_kept ON judgments_queryset",
    "ALTER ROLE CURRENT_USER SET session_replication_role = replica",
    "DO $$ BEGIN UPDATE judgments_act SET verb = 'other'; END $$",
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


def swapped(table):
    """Two rows of `table` with the key of the other one, which keys that point to them allow in the end."""
    statements = [
        "CREATE TEMP TABLE two ON COMMIT DROP AS SELECT min(id) AS first, max(id) AS second FROM public.{table}",
        "UPDATE public.{table} SET id = -1 FROM two WHERE id = first",
        "UPDATE public.{table} SET id = first FROM two WHERE id = second",
        "UPDATE public.{table} SET id = second FROM two WHERE id = -1",
    ]
    return [statement.format(table=table) for statement in statements]


def each(statement, *names):
    return [statement.format(name=name) for name in names]


# Constraints can be checked before the end, and then what a version or the history goes with is away for a moment only.
KEEP = each(
    "CREATE TEMP TABLE kept_{name} ON COMMIT DROP AS SELECT * FROM public.judgments_{name}",
    "queryset",
    "judgmentlist",
    "version",
    "versiongrades",
)
AWAY = ["DELETE FROM public.judgments_queryset", "DELETE FROM public.judgments_judgmentlist"]
GONE = [
    "SET CONSTRAINTS public.version_goes_with_query_set, public.version_grades_go_with_version IMMEDIATE",
    "SET CONSTRAINTS public.version_goes_with_query_set, public.version_grades_go_with_version DEFERRED",
]
BACK = each("INSERT INTO public.judgments_{name} SELECT * FROM kept_{name}", "queryset", "judgmentlist")
REMADE = [
    "UPDATE kept_versiongrades SET values = '{0}'",
    "UPDATE kept_version SET sha256 = repeat('0', 64)",
    "INSERT INTO public.judgments_versiongrades SELECT * FROM kept_versiongrades",
    "INSERT INTO public.judgments_version SELECT * FROM kept_version",
]
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
    "the account that froze it": [
        "UPDATE public.judgments_version SET frozen_by_id = (SELECT min(id) FROM public.judgments_user)"
    ],
    "a version, while its query set is away": [
        *KEEP,
        DELETING,
        GRADES,
        VERSIONS,
        *AWAY,
        *GONE,
        *BACK,
        *REMADE,
    ],
    "a version, while its query set has another key": [
        *KEEP,
        DELETING,
        GRADES,
        VERSIONS,
        "UPDATE public.judgments_queryset SET id = -id",
        *GONE,
        "UPDATE public.judgments_queryset SET id = -id",
        *REMADE,
    ],
    "history, while its pair has another key": [
        DELETING,
        "DELETE FROM public.judgments_judgmenthistory",
        "UPDATE public.judgments_pair SET id = -id",
        "SET CONSTRAINTS public.history_goes_with_pair IMMEDIATE",
        "UPDATE public.judgments_pair SET id = -id",
    ],
    "the list of a pair": ["UPDATE public.judgments_pair SET judgment_list_id = judgment_list_id + 1"],
    "the document of a pair, and then its id": [
        "UPDATE public.judgments_pair SET document_id = (SELECT max(id) FROM public.judgments_document)",
        "UPDATE public.judgments_document SET external_id = 'other'",
    ],
    "the query of a pair": [
        "UPDATE public.judgments_pair SET query_id = (SELECT max(id) FROM public.judgments_query)"
    ],
    "the keys of two documents": swapped("judgments_document"),
    "the keys of two queries": swapped("judgments_query"),
    "the keys of two scales": swapped("judgments_scale"),
    "the keys of two lists": swapped("judgments_judgmentlist"),
    "the keys of two raters": swapped("judgments_rater"),
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

    with pytest.raises(IntegrityError, match=r"version|history|in use|keeps its key"):
        run(*tables, *DECEITS[deceit])

    assert contents() == before


MOVE_ALL = """
DO $$ DECLARE name text; BEGIN
    FOR name IN
        SELECT table_name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'query_set_id'
            AND table_name NOT IN ('judgments_act', 'judgments_judgmenthistory', 'judgments_version')
            AND table_name NOT IN (SELECT table_name FROM information_schema.views)
    LOOP
        EXECUTE format('UPDATE public.%I SET query_set_id = (SELECT max(id) FROM public.judgments_queryset)', name);
    END LOOP;
    DELETE FROM public.judgments_queryset WHERE id < (SELECT max(id) FROM public.judgments_queryset);
END $$;
"""


def test_a_version_does_not_go_with_a_query_set_that_its_list_has_left():
    judgment_list = make.make_list(make.make_query_set())
    query, document = make.make_query(judgment_list.query_set), make.make_document(judgment_list.query_set)
    make.make_consensus(make.make_pair(judgment_list, query, document), 1)
    freeze_version(judgment_list=judgment_list)
    make.make_query_set()
    before = contents()

    with pytest.raises(IntegrityError, match="goes with its query set only"):
        run(DELETING, GRADES, VERSIONS, MOVE_ALL)

    assert contents() == before


def test_the_role_cannot_act_as_the_owner():
    assert not roles.may_act_as_owner()
