"""What constraints cannot say: grades lie on the scale, used grades keep their worth, history is append-only."""

from django.db import migrations

GRADE_ON_SCALE = """
CREATE FUNCTION touchstone_grades_on_scale() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE wrong record;
BEGIN
    SELECT fresh.pair_id, fresh.value, scale.name INTO wrong
    FROM fresh
    JOIN judgments_judgmentlist list ON list.id = fresh.judgment_list_id
    JOIN judgments_scale scale ON scale.id = list.scale_id
    WHERE fresh.value IS NOT NULL
      AND NOT (scale.continuous AND fresh.value BETWEEN scale.minimum AND scale.maximum)
      AND NOT EXISTS (
          SELECT FROM judgments_grade grade WHERE grade.scale_id = scale.id AND grade.value = fresh.value
      )
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'grade % of pair % is not on the scale "%"', wrong.value, wrong.pair_id, wrong.name
            USING ERRCODE = 'check_violation', CONSTRAINT = 'judgment_grade_on_scale';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER judgment_grade_on_scale_insert AFTER INSERT ON judgments_judgment
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION touchstone_grades_on_scale();
CREATE TRIGGER judgment_grade_on_scale_update AFTER UPDATE ON judgments_judgment
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION touchstone_grades_on_scale();
"""
NO_GRADE_ON_SCALE = """
DROP TRIGGER judgment_grade_on_scale_insert ON judgments_judgment;
DROP TRIGGER judgment_grade_on_scale_update ON judgments_judgment;
DROP FUNCTION touchstone_grades_on_scale();
"""

USED_GRADE_KEPT = """
CREATE FUNCTION touchstone_used_grade_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM judgments_judgmentlist list JOIN judgments_judgment judgment ON judgment.judgment_list_id = list.id
        WHERE list.scale_id = OLD.scale_id
    ) THEN
        RAISE EXCEPTION 'the scale of grade "%" is in use: it can be relabelled, not revalued', OLD.label
            USING ERRCODE = 'check_violation', CONSTRAINT = 'grade_in_use_kept';
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER grade_in_use_kept_update BEFORE UPDATE OF scale_id, value, gain ON judgments_grade
    FOR EACH ROW WHEN ((OLD.scale_id, OLD.value, OLD.gain) IS DISTINCT FROM (NEW.scale_id, NEW.value, NEW.gain))
    EXECUTE FUNCTION touchstone_used_grade_kept();
CREATE TRIGGER grade_in_use_kept_delete BEFORE DELETE ON judgments_grade
    FOR EACH ROW EXECUTE FUNCTION touchstone_used_grade_kept();
"""
NO_USED_GRADE_KEPT = """
DROP TRIGGER grade_in_use_kept_update ON judgments_grade;
DROP TRIGGER grade_in_use_kept_delete ON judgments_grade;
DROP FUNCTION touchstone_used_grade_kept();
"""

# Deleting a whole query set takes its history along; that one act sets touchstone.deleting for its transaction.
HISTORY_APPEND_ONLY = """
CREATE FUNCTION touchstone_history_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('touchstone.deleting', true) = 'yes' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the history of judgments is append-only'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'history_append_only';
END $$;
CREATE TRIGGER history_append_only BEFORE UPDATE OR DELETE ON judgments_judgmenthistory
    FOR EACH ROW EXECUTE FUNCTION touchstone_history_append_only();
"""
NO_HISTORY_APPEND_ONLY = """
DROP TRIGGER history_append_only ON judgments_judgmenthistory;
DROP FUNCTION touchstone_history_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("judgments", "0001_initial")]

    operations = [
        migrations.RunSQL(GRADE_ON_SCALE, NO_GRADE_ON_SCALE),
        migrations.RunSQL(USED_GRADE_KEPT, NO_USED_GRADE_KEPT),
        migrations.RunSQL(HISTORY_APPEND_ONLY, NO_HISTORY_APPEND_ONLY),
    ]
