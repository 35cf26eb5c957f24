"""What a version or the history names keeps its key, and what was deleted does not come back under it."""

from django.db import migrations

# Keys are checked when a transaction ends, or when it says so. In between, a version went with a query set that was away
# for a moment, and two documents changed places under their keys.
KEYS_STAY = """
CREATE FUNCTION touchstone_key_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'row % of % keeps its key: a version or the history may name it', OLD.id, TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = 'key_kept';
END $$;
""" + "".join(
    f"CREATE TRIGGER key_kept BEFORE UPDATE OF id ON judgments_{name} FOR EACH ROW WHEN (OLD.id <> NEW.id)"
    " EXECUTE FUNCTION touchstone_key_kept();\n"
    for name in ("queryset", "judgmentlist", "scale", "query", "document", "rater")
) + """
CREATE TRIGGER key_kept BEFORE UPDATE OF id, judgment_list_id, query_id, document_id ON judgments_pair
    FOR EACH ROW WHEN (
        (OLD.id, OLD.judgment_list_id, OLD.query_id, OLD.document_id)
        IS DISTINCT FROM (NEW.id, NEW.judgment_list_id, NEW.query_id, NEW.document_id)
    ) EXECUTE FUNCTION touchstone_key_kept();

-- The log outlives what it names, so it knows every list that had a version.
CREATE FUNCTION touchstone_not_made_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'judgments_queryset' AND EXISTS (SELECT FROM judgments_act WHERE query_set_id = NEW.id)
        OR TG_TABLE_NAME = 'judgments_judgmentlist'
            AND EXISTS (SELECT FROM judgments_act WHERE judgment_list_id = NEW.id)
    THEN
        RAISE EXCEPTION 'row % of % was there before and is named by the log: a version may have gone with it',
            NEW.id, TG_TABLE_NAME USING ERRCODE = 'check_violation', CONSTRAINT = 'not_made_again';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER not_made_again BEFORE INSERT ON judgments_queryset
    FOR EACH ROW EXECUTE FUNCTION touchstone_not_made_again();
CREATE TRIGGER not_made_again BEFORE INSERT ON judgments_judgmentlist
    FOR EACH ROW EXECUTE FUNCTION touchstone_not_made_again();
"""
KEYS_GO = "".join(
    f"DROP TRIGGER key_kept ON judgments_{name};\n"
    for name in ("queryset", "judgmentlist", "scale", "query", "document", "rater", "pair")
) + """
DROP FUNCTION touchstone_key_kept();
DROP TRIGGER not_made_again ON judgments_queryset;
DROP TRIGGER not_made_again ON judgments_judgmentlist;
DROP FUNCTION touchstone_not_made_again();
"""

# A list can be moved into another query set, and then the first one is gone while the list is not.
VERSION_GOES = """
CREATE OR REPLACE FUNCTION touchstone_version_goes_with_query_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM judgments_queryset WHERE id = OLD.query_set_id){or_list} THEN
        RAISE EXCEPTION 'a version of a judgment list goes with its query set only'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'version_kept';
    END IF;
    RETURN NULL;
END $$;
"""
VERSION_GOES_WITH_LIST_TOO = VERSION_GOES.format(
    or_list="\n        OR EXISTS (SELECT FROM judgments_judgmentlist WHERE id = OLD.judgment_list_id)"
)

# As in 0013: no function that keeps something looks into the temporary tables of a session first.
PATH_OF_ITS_OWN = """
DO $$
DECLARE keeper regprocedure;
BEGIN
    FOR keeper IN
        SELECT oid FROM pg_proc WHERE pronamespace = quote_ident(current_schema())::regnamespace AND proname IN
            ('touchstone_key_kept', 'touchstone_not_made_again', 'touchstone_version_goes_with_query_set')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', keeper, current_schema());
    END LOOP;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [('judgments', '0014_handouts')]

    operations = [
        migrations.RunSQL(migrations.RunSQL.noop, PATH_OF_ITS_OWN),
        migrations.RunSQL(KEYS_STAY, KEYS_GO),
        migrations.RunSQL(VERSION_GOES_WITH_LIST_TOO, VERSION_GOES.format(or_list="")),
        migrations.RunSQL(PATH_OF_ITS_OWN, migrations.RunSQL.noop),
    ]
