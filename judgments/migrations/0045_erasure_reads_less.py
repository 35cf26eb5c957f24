"""Lines of the log that name an account are found by indexes. Before, each look read the whole log.

What they find is as in 0031.
"""

from importlib import import_module

from django.db import migrations

BEFORE = import_module("judgments.migrations.0031_erasure")
NAMES = BEFORE.NAMES.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").replace(
    "act.query_set_id IS NULL AND act.verb = 'changed' AND act.subject = 'account ' || renamed.name",
    """act.query_set_id IS NULL AND act.query_id IS NULL AND act.document_id IS NULL AND act.verb = 'changed'
            AND act.subject COLLATE "C" = 'account ' || renamed.name""",
)

# Those that say something about the account, whoever wrote them. The last letter of Unicode ends the range of a beginning.
LINES = """
CREATE FUNCTION touchstone_lines_about(person bigint)
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
    ), phrase AS MATERIALIZED (
        SELECT place.verbs, one.name, place.start, place.following IS NULL AS is_whole,
            place.start || one.name || coalesce(place.following, '') AS words
        FROM own, place, unnest(own.names) one(name)
    ), found AS (
        SELECT act.id FROM phrase JOIN judgments_act act ON act.subject COLLATE "C" = phrase.words
            WHERE phrase.is_whole AND act.query_id IS NULL AND act.document_id IS NULL
        UNION
        SELECT act.id FROM phrase JOIN judgments_act act ON act.subject COLLATE "C" >= phrase.words
                AND act.subject COLLATE "C" < phrase.words || chr(1114111)
            WHERE NOT phrase.is_whole AND act.query_id IS NULL AND act.document_id IS NULL
        UNION
        SELECT act.id FROM judgments_act act
            WHERE act.query_id IS NULL AND act.document_id IS NULL
                AND (act.before ? 'username' OR act.after ?| '{username,members}')
    ), renamed AS (
        SELECT act.*, own.pseudonym, coalesce((
            SELECT phrase.start || own.pseudonym || substr(act.subject, length(phrase.start || phrase.name) + 1)
            FROM phrase
            WHERE act.verb = ANY (phrase.verbs)
                AND CASE WHEN phrase.is_whole THEN act.subject = phrase.words ELSE act.subject ^@ phrase.words END
            ORDER BY length(phrase.name) DESC LIMIT 1
        ), act.subject) AS new_subject,
        CASE WHEN act.before ?| '{username,members}'
            THEN touchstone_without_names(act.before, own.names, own.pseudonym) ELSE act.before END AS new_before,
        CASE WHEN act.after ?| '{username,members}'
            THEN touchstone_without_names(act.after, own.names, own.pseudonym) ELSE act.after END AS new_after
        -- As an array, because ranges seem to hold much of the log to the planner, which would then read all of it.
        FROM own, judgments_act act WHERE act.id = ANY (ARRAY(SELECT found.id FROM found))
    )
    SELECT renamed.id,
        CASE WHEN by_id = person AND by_name <> '' THEN pseudonym ELSE by_name END,
        new_subject,
        new_before,
        new_after,
        -- The note of somebody who joined says whom the invitation was for.
        CASE WHEN verb = 'joined' AND new_subject <> subject THEN '' ELSE note END
    FROM renamed
    WHERE new_subject <> subject OR new_before <> before OR new_after <> after
$$;

CREATE OR REPLACE FUNCTION touchstone_lines_naming(person bigint)
RETURNS TABLE (id bigint, by_name text, subject text, before jsonb, after jsonb, note text) LANGUAGE sql STABLE AS $$
    WITH about AS MATERIALIZED (SELECT line.* FROM touchstone_lines_about(person) line)
    SELECT about.* FROM about
    UNION ALL
    SELECT act.id, 'erased-' || person, act.subject, act.before, act.after, act.note FROM judgments_act act
    WHERE act.by_id = person AND act.by_name NOT IN ('', 'erased-' || person)
        AND NOT EXISTS (SELECT FROM about WHERE about.id = act.id)
$$;
"""
LINES_BEFORE = BEFORE.LINES[BEFORE.LINES.index("CREATE FUNCTION touchstone_lines_naming") :].replace(
    "CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"
)
NAMES_BEFORE = BEFORE.NAMES.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
PATH_OF_ITS_OWN = BEFORE.PATH_OF_ITS_OWN.replace(
    "'touchstone_lines_naming',", "'touchstone_lines_naming', 'touchstone_lines_about',"
)


class Migration(migrations.Migration):

    dependencies = [('judgments', '0044_lines_about_accounts')]

    operations = [
        migrations.RunSQL(migrations.RunSQL.noop, PATH_OF_ITS_OWN),
        migrations.RunSQL(NAMES, NAMES_BEFORE),
        migrations.RunSQL(LINES, LINES_BEFORE + "DROP FUNCTION touchstone_lines_about(bigint);"),
        migrations.RunSQL(PATH_OF_ITS_OWN, migrations.RunSQL.noop),
    ]
