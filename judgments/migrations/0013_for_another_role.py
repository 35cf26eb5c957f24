"""For an application whose role owns nothing: what only owners may do as a function, and triggers that it cannot deceive."""

from django.db import migrations

# Only its owner may analyze a table, and plans for what was just imported depend on it.
ANALYZE = """
CREATE FUNCTION touchstone_analyze(VARIADIC names regclass[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE one regclass;
BEGIN
    FOR one IN
        SELECT oid FROM pg_class WHERE oid = ANY (names) AND relkind = 'r' AND relowner = quote_ident(current_user)::regrole
    LOOP
        EXECUTE format('ANALYZE %s', one);
    END LOOP;
END $$;
"""
NO_ANALYZE = "DROP FUNCTION touchstone_analyze(regclass[])"

# touchstone.deleting, which anybody may set, is no longer enough: when the transaction ends, the pair must be gone.
HISTORY_GOES_WITH_PAIR = """
CREATE FUNCTION touchstone_history_goes_with_pair() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM judgments_pair WHERE id = OLD.pair_id) THEN
        RAISE EXCEPTION 'the history of judgments is append-only: it goes with its pair'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'history_append_only';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER history_goes_with_pair AFTER DELETE ON judgments_judgmenthistory
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION touchstone_history_goes_with_pair();
"""
HISTORY_GOES = """
DROP TRIGGER history_goes_with_pair ON judgments_judgmenthistory;
DROP FUNCTION touchstone_history_goes_with_pair();
"""

# Nor for a pair that a version of its list names: whoever deletes a query set deletes its versions before its pairs.
FROZEN_PAIR_KEPT = """
CREATE OR REPLACE FUNCTION touchstone_frozen_pair_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM judgments_version version JOIN judgments_versiongrades frozen ON frozen.version_id = version.id
        WHERE version.judgment_list_id = OLD.judgment_list_id
            AND frozen.query_id = OLD.query_id AND OLD.document_id = ANY (frozen.documents)
    ) THEN
        RAISE EXCEPTION 'a version of a judgment list has a grade of pair %', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'frozen_pair_kept';
    END IF;
    RETURN OLD;
END $$;
"""
EARLIER_FROZEN_PAIR_KEPT = """
CREATE OR REPLACE FUNCTION touchstone_frozen_pair_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('touchstone.deleting', true) = 'yes' THEN
        RETURN OLD;
    END IF;
    IF EXISTS (
        SELECT FROM judgments_versiongrades frozen
        WHERE frozen.query_id = OLD.query_id AND OLD.document_id = ANY (frozen.documents)
    ) THEN
        RAISE EXCEPTION 'a version of a judgment list has a grade of pair %', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'frozen_pair_kept';
    END IF;
    RETURN OLD;
END $$;
"""

# Triggers run as whoever writes. Without a path of its own a function would look into that session's temporary tables
# first, and find one of its making where it looks for versions.
KEEPERS = """
    'touchstone_frozen_document_kept', 'touchstone_frozen_pair_kept', 'touchstone_frozen_query_kept',
    'touchstone_grades_on_scale', 'touchstone_history_append_only', 'touchstone_history_goes_with_pair',
    'touchstone_log_append_only', 'touchstone_scale_in_use', 'touchstone_scale_kept', 'touchstone_used_grade_kept',
    'touchstone_version_closed', 'touchstone_version_goes_with_query_set',
    'touchstone_version_grades_go_with_version', 'touchstone_version_kept', 'touchstone_versions_not_truncated'
"""
EACH_KEEPER = """
DO $$
DECLARE keeper regprocedure;
BEGIN
    FOR keeper IN
        SELECT oid FROM pg_proc WHERE pronamespace = quote_ident(current_schema())::regnamespace AND proname IN ({keepers})
    LOOP
        EXECUTE {change};
    END LOOP;
END $$;
"""
PATH_OF_ITS_OWN = EACH_KEEPER.format(
    keepers=KEEPERS,
    change="format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', keeper, current_schema())",
)
PATH_OF_THE_SESSION = EACH_KEEPER.format(
    keepers=KEEPERS, change="format('ALTER FUNCTION %s RESET search_path', keeper)"
)


class Migration(migrations.Migration):
    dependencies = [("judgments", "0011_slot_open_names_the_slot")]

    operations = [
        migrations.RunSQL(ANALYZE, NO_ANALYZE),
        migrations.RunSQL(HISTORY_GOES_WITH_PAIR, HISTORY_GOES),
        migrations.RunSQL(FROZEN_PAIR_KEPT, EARLIER_FROZEN_PAIR_KEPT),
        migrations.RunSQL(PATH_OF_ITS_OWN, PATH_OF_THE_SESSION),
    ]
