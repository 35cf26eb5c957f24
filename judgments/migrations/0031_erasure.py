"""Personal data can be erased: the account becomes a pseudonym, and so does its name in the log (ADR 69)."""

import django.contrib.postgres.fields
from django.db import migrations, models

# Names of one account: as it is called now, as the log called it, and as it was called before it was renamed. `shared` are
# those that another account has now. They stay in texts, because they may mean the other person.
NAMES = """
CREATE FUNCTION touchstone_names_of(person bigint) RETURNS TABLE (name text, shared boolean) LANGUAGE sql STABLE AS $$
    WITH RECURSIVE renamed(name) AS (
        SELECT username::text FROM judgments_user WHERE id = person
        UNION
        SELECT act.before ->> 'username' FROM judgments_act act JOIN renamed
            ON act.query_set_id IS NULL AND act.verb = 'changed' AND act.subject = 'account ' || renamed.name
            AND act.after ->> 'username' = renamed.name AND act.before ? 'username'
    ), names AS (
        SELECT renamed.name FROM renamed
        UNION SELECT btrim(concat(first_name, ' ', last_name)) FROM judgments_user WHERE id = person
        UNION SELECT by_name FROM judgments_act WHERE by_id = person
        UNION SELECT frozen_by_name FROM judgments_version WHERE frozen_by_id = person
        UNION SELECT rater.name FROM judgments_rater rater WHERE user_id = person
    )
    SELECT names.name, EXISTS (
        SELECT FROM judgments_user other WHERE other.id <> person
            AND names.name IN (other.username, btrim(concat(other.first_name, ' ', other.last_name)))
    )
    FROM names WHERE names.name <> ''
$$;
"""
NO_NAMES = "DROP FUNCTION touchstone_names_of(bigint);"

# The lines of the log that name an account, with its pseudonym instead. A name is replaced only where the log's actions
# write the name of a person: in these places of the subject, and in the fields `username` and `members`.
LINES = """
CREATE FUNCTION touchstone_without_names(fields jsonb, names text[], pseudonym text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT fields || CASE WHEN fields ->> 'username' = ANY (names)
        THEN jsonb_build_object('username', pseudonym) ELSE '{}' END
    || CASE WHEN jsonb_typeof(fields -> 'members') = 'object' THEN jsonb_build_object('members', (
        SELECT coalesce(jsonb_object_agg(CASE WHEN one.key = ANY (names) THEN pseudonym ELSE one.key END, one.value), '{}')
        FROM jsonb_each(fields -> 'members') one
    )) ELSE '{}' END
$$;

CREATE FUNCTION touchstone_lines_naming(person bigint)
RETURNS TABLE (id bigint, by_name text, subject text, before jsonb, after jsonb, note text) LANGUAGE sql STABLE AS $$
    WITH own AS MATERIALIZED (
        SELECT 'erased-' || person AS pseudonym, ARRAY(
            SELECT known.name FROM touchstone_names_of(person) known WHERE NOT known.shared
        ) AS names
    ), place(verbs, start, following) AS (VALUES
        ('{member-added,role-changed,member-removed,joined}'::text[], '', NULL),
        ('{created,changed,deleted}', 'account ', NULL),
        ('{created}', 'demo account ', NULL),
        ('{changed}', 'the password of account ', NULL),
        ('{changed}', 'the second factor of account ', NULL),
        ('{exported}', 'the personal data of account ', NULL),
        ('{rater-excluded,rater-included}', 'rater ', NULL),
        ('{changed}', 'the quota of ', ' in list '),
        ('{assigned}', '', ' to list '),
        ('{unassigned}', '', ' off list '),
        ('{released}', '', ' in list '),
        ('{invited,invitation-revoked}', '', ', as ')
    ), naming AS MATERIALIZED (
        -- Cheap for each line of the log; what follows is for the few that are left.
        SELECT act.* FROM judgments_act act, own
        WHERE act.by_id = person OR act.query_id IS NULL AND act.document_id IS NULL AND (
            act.subject = ANY (ARRAY(
                SELECT place.start || one.name FROM place, unnest(own.names) one(name) WHERE place.following IS NULL
            ))
            OR act.subject ^@ ANY (ARRAY(
                SELECT place.start || one.name || place.following
                FROM place, unnest(own.names) one(name) WHERE place.following IS NOT NULL
            ))
            OR act.before ? 'username' OR act.after ?| '{username,members}'
        )
    ), renamed AS (
        SELECT naming.*, own.pseudonym, coalesce((
            SELECT place.start || own.pseudonym || substr(naming.subject, length(place.start || one.name) + 1)
            FROM place, unnest(own.names) one(name)
            WHERE naming.verb = ANY (place.verbs) AND CASE WHEN place.following IS NULL
                THEN naming.subject = place.start || one.name
                ELSE naming.subject ^@ (place.start || one.name || place.following) END
            ORDER BY length(one.name) DESC LIMIT 1
        ), naming.subject) AS new_subject,
        CASE WHEN naming.before ?| '{username,members}'
            THEN touchstone_without_names(naming.before, own.names, own.pseudonym) ELSE naming.before END AS new_before,
        CASE WHEN naming.after ?| '{username,members}'
            THEN touchstone_without_names(naming.after, own.names, own.pseudonym) ELSE naming.after END AS new_after
        FROM naming, own
    )
    SELECT renamed.id,
        CASE WHEN by_id = person AND by_name <> '' THEN pseudonym ELSE by_name END,
        new_subject,
        new_before,
        new_after,
        -- The note of somebody who joined says whom the invitation was for.
        CASE WHEN verb = 'joined' AND new_subject <> subject THEN '' ELSE note END
    FROM renamed
    WHERE by_id = person AND by_name NOT IN ('', pseudonym)
        OR new_subject <> subject OR new_before <> before OR new_after <> after
$$;
"""
NO_LINES = """
DROP FUNCTION touchstone_lines_naming(bigint);
DROP FUNCTION touchstone_without_names(jsonb, text[], text);
"""

# What nothing else may change: names in the log and in versions, and comments in the history. Those on judgments and
# repeats go with them. The application's role has no
# right to update these tables, so this is its only way, and it can neither choose what is replaced nor by what. It leaves a
# line of its own.
ERASE = """
CREATE FUNCTION touchstone_erase_person(person bigint, actor bigint, comments boolean)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    line_count bigint;
    pseudonym CONSTANT text := 'erased-' || person;
BEGIN
    IF NOT EXISTS (SELECT FROM judgments_user WHERE id = person AND erased_at IS NOT NULL) THEN
        RAISE EXCEPTION 'account % is not erased', person
            USING ERRCODE = 'check_violation', CONSTRAINT = 'erased_account_only';
    END IF;
    PERFORM set_config('touchstone.erasing', 'yes', true);
    UPDATE judgments_act act
        SET by_name = line.by_name, subject = line.subject, before = line.before, after = line.after, note = line.note
        FROM touchstone_lines_naming(person) line WHERE act.id = line.id;
    GET DIAGNOSTICS line_count = ROW_COUNT;
    UPDATE judgments_version SET frozen_by_name = pseudonym WHERE frozen_by_id = person AND frozen_by_name <> pseudonym;
    IF comments THEN
        UPDATE judgments_judgmenthistory SET comment = ''
            WHERE comment <> '' AND rater_id IN (SELECT id FROM judgments_rater WHERE user_id = person);
        UPDATE judgments_judgment SET comment = ''
            WHERE comment <> '' AND rater_id IN (SELECT id FROM judgments_rater WHERE user_id = person);
        UPDATE judgments_repeatanswer answer SET comment = '' FROM judgments_repeatdraw draw
            WHERE answer.comment <> '' AND draw.id = answer.draw_id
                AND draw.rater_id IN (SELECT id FROM judgments_rater WHERE user_id = person);
    END IF;
    PERFORM set_config('touchstone.erasing', '', true);
    INSERT INTO judgments_act (at, by_id, by_name, verb, subject, before, after, note)
    SELECT clock_timestamp(), actor, coalesce((
        SELECT left(coalesce(nullif(btrim(concat(first_name, ' ', last_name)), ''), username), 150)
        FROM judgments_user WHERE id = actor
    ), ''), 'erased', 'the personal data of ' || pseudonym, '{}', jsonb_build_object('lines of the log', line_count), '';
    RETURN line_count;
END $$;
"""
NO_ERASE = "DROP FUNCTION touchstone_erase_person(bigint, bigint, boolean);"

LOG_KEPT = """
CREATE OR REPLACE FUNCTION touchstone_log_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN{erasure}
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'check_violation', CONSTRAINT = 'log_append_only';
END $$;
"""
NAMES_OF_A_LINE = """
    IF TG_OP = 'UPDATE' AND current_setting('touchstone.erasing', true) = 'yes' THEN
        IF to_jsonb(NEW) - '{by_name,subject,before,after,note}'::text[] = to_jsonb(OLD) - '{by_name,subject,before,after,note}'::text[]
            AND NEW.before - '{username,members}'::text[] = OLD.before - '{username,members}'::text[]
            AND NEW.after - '{username,members}'::text[] = OLD.after - '{username,members}'::text[]
            AND NEW.note IN ('', OLD.note)
        THEN
            RETURN NEW;
        END IF;
    END IF;"""
HISTORY_KEPT = """
CREATE OR REPLACE FUNCTION touchstone_history_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('touchstone.deleting', true) = 'yes' THEN
        RETURN OLD;
    END IF;{erasure}
    RAISE EXCEPTION 'the history of judgments is append-only'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'history_append_only';
END $$;
"""
COMMENT_OF_AN_ANSWER = """
    IF TG_OP = 'UPDATE' AND current_setting('touchstone.erasing', true) = 'yes' THEN
        IF NEW.comment = '' AND to_jsonb(NEW) - 'comment' = to_jsonb(OLD) - 'comment' THEN
            RETURN NEW;
        END IF;
    END IF;"""
VERSION_KEPT = """
CREATE OR REPLACE FUNCTION touchstone_version_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('touchstone.deleting', true) = 'yes' THEN
        RETURN OLD;  -- touchstone_version_goes_with_query_set looks at it again when the transaction ends
    END IF;
    IF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'judgments_version' THEN
        -- An account may go; its name stays.
        IF to_jsonb(NEW) - 'frozen_by_id' = to_jsonb(OLD) - 'frozen_by_id' AND NEW.frozen_by_id IS NULL THEN
            RETURN NEW;
        END IF;{erasure}
    END IF;
    RAISE EXCEPTION 'a version of a judgment list never changes'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'version_kept';
END $$;
"""
NAME_OF_A_VERSION = """
        IF current_setting('touchstone.erasing', true) = 'yes'
            AND to_jsonb(NEW) - 'frozen_by_name' = to_jsonb(OLD) - 'frozen_by_name'
        THEN
            RETURN NEW;
        END IF;"""
KEPT = (
    LOG_KEPT.replace("{erasure}", NAMES_OF_A_LINE)
    + HISTORY_KEPT.replace("{erasure}", COMMENT_OF_AN_ANSWER)
    + VERSION_KEPT.replace("{erasure}", NAME_OF_A_VERSION)
)
KEPT_BEFORE = "".join(one.replace("{erasure}", "") for one in (LOG_KEPT, HISTORY_KEPT, VERSION_KEPT))

# As in 0013: none of them looks into the temporary tables of a session first.
PATH_OF_ITS_OWN = """
DO $$
DECLARE one regprocedure;
BEGIN
    FOR one IN
        SELECT oid FROM pg_proc WHERE pronamespace = quote_ident(current_schema())::regnamespace AND proname IN (
            'touchstone_names_of', 'touchstone_without_names', 'touchstone_lines_naming', 'touchstone_erase_person',
            'touchstone_log_append_only', 'touchstone_history_append_only', 'touchstone_version_kept'
        )
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', one, current_schema());
    END LOOP;
END $$;
"""


class Migration(migrations.Migration):
    serves_version_before = "the new constraint concerns only a column that the version before doesn't know"

    dependencies = [('judgments', '0030_api')]

    operations = [
        migrations.AddField(
            model_name='user',
            name='erased_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='The personal data was erased. What remains is a pseudonym, to which the judgments belong.', null=True),
        ),
        migrations.AddField(
            model_name='user',
            name='former_names',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, db_default=models.Value([], django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), size=None)), default=list, editable=False, help_text='Keyed hashes of the names that this account had before it was erased. Nobody else gets them.', size=None),
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.CheckConstraint(condition=models.Q(('erased_at', None), ('is_active', False), _connector='OR'), name='erased_account_is_inactive'),
        ),
        migrations.RunSQL(migrations.RunSQL.noop, PATH_OF_ITS_OWN),
        migrations.RunSQL(NAMES, NO_NAMES),
        migrations.RunSQL(LINES, NO_LINES),
        migrations.RunSQL(ERASE, NO_ERASE),
        migrations.RunSQL(KEPT, KEPT_BEFORE),
        migrations.RunSQL(PATH_OF_ITS_OWN, migrations.RunSQL.noop),
    ]
