"""A scale in use gets no further grade and keeps its range: its top grade is part of every stored value."""

from django.db import migrations

SCALE_KEPT = """
CREATE FUNCTION touchstone_scale_in_use(bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM judgments_judgmentlist list JOIN judgments_judgment judgment ON judgment.judgment_list_id = list.id
        WHERE list.scale_id = $1
    )
$$;
CREATE FUNCTION touchstone_scale_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF touchstone_scale_in_use((to_jsonb(NEW) ->> TG_ARGV[0])::bigint) THEN
        RAISE EXCEPTION 'this scale is in use: it can be relabelled, not revalued'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'scale_in_use_kept';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER grade_in_use_kept_insert BEFORE INSERT ON judgments_grade
    FOR EACH ROW EXECUTE FUNCTION touchstone_scale_kept('scale_id');
CREATE TRIGGER scale_in_use_kept BEFORE UPDATE OF continuous, minimum, maximum ON judgments_scale
    FOR EACH ROW WHEN
        ((OLD.continuous, OLD.minimum, OLD.maximum) IS DISTINCT FROM (NEW.continuous, NEW.minimum, NEW.maximum))
    EXECUTE FUNCTION touchstone_scale_kept('id');
"""
SCALE_NOT_KEPT = """
DROP TRIGGER scale_in_use_kept ON judgments_scale;
DROP TRIGGER grade_in_use_kept_insert ON judgments_grade;
DROP FUNCTION touchstone_scale_kept();
DROP FUNCTION touchstone_scale_in_use(bigint);
"""


class Migration(migrations.Migration):
    dependencies = [("judgments", "0002_invariants")]

    operations = [migrations.RunSQL(SCALE_KEPT, SCALE_NOT_KEPT)]
