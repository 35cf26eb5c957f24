"""Versions, which nothing changes; what admins decide about grades and raters."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


VERSIONS_KEPT = """
CREATE FUNCTION touchstone_version_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('touchstone.deleting', true) = 'yes' THEN
        RETURN OLD;  -- touchstone_version_goes_with_query_set looks at it again when the transaction ends
    END IF;
    IF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'judgments_version' THEN
        -- An account may go; its name stays.
        IF to_jsonb(NEW) - 'frozen_by_id' = to_jsonb(OLD) - 'frozen_by_id' AND NEW.frozen_by_id IS NULL THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'a version of a judgment list never changes'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'version_kept';
END $$;
CREATE TRIGGER version_kept BEFORE UPDATE OR DELETE ON judgments_version
    FOR EACH ROW EXECUTE FUNCTION touchstone_version_kept();
CREATE TRIGGER version_kept BEFORE UPDATE OR DELETE ON judgments_versiongrades
    FOR EACH ROW EXECUTE FUNCTION touchstone_version_kept();

CREATE FUNCTION touchstone_version_goes_with_query_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM judgments_queryset WHERE id = OLD.query_set_id) THEN
        RAISE EXCEPTION 'a version of a judgment list goes with its query set only'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'version_kept';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER version_goes_with_query_set AFTER DELETE ON judgments_version
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION touchstone_version_goes_with_query_set();

CREATE FUNCTION touchstone_version_grades_go_with_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM judgments_version WHERE id = OLD.version_id) THEN
        RAISE EXCEPTION 'the grades of a version go with it only'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'version_kept';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER version_grades_go_with_version AFTER DELETE ON judgments_versiongrades
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION touchstone_version_grades_go_with_version();

-- The grades are written first and the version last, so that no grade can be added to a version that is there.
CREATE FUNCTION touchstone_version_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM fresh JOIN judgments_version version ON version.id = fresh.version_id) THEN
        RAISE EXCEPTION 'a version of a judgment list never changes'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'version_kept';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER version_closed AFTER INSERT ON judgments_versiongrades
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION touchstone_version_closed();

CREATE FUNCTION touchstone_versions_not_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM judgments_version) THEN
        RAISE EXCEPTION 'a version of a judgment list never changes'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'version_kept';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER versions_not_truncated BEFORE TRUNCATE ON judgments_version
    FOR EACH STATEMENT EXECUTE FUNCTION touchstone_versions_not_truncated();
CREATE TRIGGER versions_not_truncated BEFORE TRUNCATE ON judgments_versiongrades
    FOR EACH STATEMENT EXECUTE FUNCTION touchstone_versions_not_truncated();
"""
VERSIONS_NOT_KEPT = """
DROP TRIGGER versions_not_truncated ON judgments_versiongrades;
DROP TRIGGER versions_not_truncated ON judgments_version;
DROP FUNCTION touchstone_versions_not_truncated();
DROP TRIGGER version_closed ON judgments_versiongrades;
DROP FUNCTION touchstone_version_closed();
DROP TRIGGER version_grades_go_with_version ON judgments_versiongrades;
DROP FUNCTION touchstone_version_grades_go_with_version();
DROP TRIGGER version_goes_with_query_set ON judgments_version;
DROP FUNCTION touchstone_version_goes_with_query_set();
DROP TRIGGER version_kept ON judgments_versiongrades;
DROP TRIGGER version_kept ON judgments_version;
DROP FUNCTION touchstone_version_kept();
"""

# A score against a version joins its documents to those of a run: by the ids of the pair, which therefore stays.
FROZEN_PAIRS_KEPT = """
CREATE FUNCTION touchstone_frozen_pair_kept() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER frozen_pair_kept BEFORE DELETE ON judgments_pair
    FOR EACH ROW EXECUTE FUNCTION touchstone_frozen_pair_kept();
CREATE FUNCTION touchstone_frozen_document_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM judgments_pair pair JOIN judgments_versiongrades frozen ON frozen.query_id = pair.query_id
        WHERE pair.document_id = OLD.id AND OLD.id = ANY (frozen.documents)
    ) THEN
        RAISE EXCEPTION 'a version of a judgment list names document "%"', OLD.external_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'frozen_id_kept';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER frozen_id_kept BEFORE UPDATE OF external_id ON judgments_document
    FOR EACH ROW WHEN (OLD.external_id <> NEW.external_id) EXECUTE FUNCTION touchstone_frozen_document_kept();
CREATE FUNCTION touchstone_frozen_query_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM judgments_versiongrades WHERE query_id = OLD.id) THEN
        RAISE EXCEPTION 'a version of a judgment list names query "%"', OLD.external_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'frozen_id_kept';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER frozen_id_kept BEFORE UPDATE OF external_id ON judgments_query
    FOR EACH ROW WHEN (OLD.external_id <> NEW.external_id) EXECUTE FUNCTION touchstone_frozen_query_kept();
"""
FROZEN_PAIRS_NOT_KEPT = """
DROP TRIGGER frozen_id_kept ON judgments_query;
DROP FUNCTION touchstone_frozen_query_kept();
DROP TRIGGER frozen_id_kept ON judgments_document;
DROP FUNCTION touchstone_frozen_document_kept();
DROP TRIGGER frozen_pair_kept ON judgments_pair;
DROP FUNCTION touchstone_frozen_pair_kept();
"""

# The functions are older (0002, 0003); now versions and adjudications, which may outlive judgments, count as use.
USE_OF_SCALE = """
CREATE OR REPLACE FUNCTION touchstone_scale_in_use(bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM judgments_judgmentlist list JOIN judgments_judgment judgment ON judgment.judgment_list_id = list.id
        WHERE list.scale_id = $1
    ) OR EXISTS (SELECT FROM judgments_version WHERE scale_id = $1) OR EXISTS (
        SELECT FROM judgments_judgmentlist list JOIN judgments_adjudication decided ON decided.judgment_list_id = list.id
        WHERE list.scale_id = $1
    )
$$;
CREATE OR REPLACE FUNCTION touchstone_used_grade_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF touchstone_scale_in_use(OLD.scale_id) THEN
        RAISE EXCEPTION 'the scale of grade "%" is in use: it can be relabelled, not revalued', OLD.label
            USING ERRCODE = 'check_violation', CONSTRAINT = 'grade_in_use_kept';
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
"""
EARLIER_USE_OF_SCALE = """
CREATE OR REPLACE FUNCTION touchstone_scale_in_use(bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM judgments_judgmentlist list JOIN judgments_judgment judgment ON judgment.judgment_list_id = list.id
        WHERE list.scale_id = $1
    )
$$;
"""

ADJUDICATION_ON_SCALE = """
CREATE TRIGGER adjudication_on_scale_insert AFTER INSERT ON judgments_adjudication
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION touchstone_grades_on_scale();
CREATE TRIGGER adjudication_on_scale_update AFTER UPDATE ON judgments_adjudication
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION touchstone_grades_on_scale();
"""
ADJUDICATION_ANYWHERE = """
DROP TRIGGER adjudication_on_scale_insert ON judgments_adjudication;
DROP TRIGGER adjudication_on_scale_update ON judgments_adjudication;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0005_round_position'),
    ]

    operations = [
        migrations.CreateModel(
            name='Adjudication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField()),
                ('cause', models.CharField(choices=[('guidelines', 'A gap in the guidelines'), ('query', 'The query is ambiguous'), ('slip', 'A slip'), ('document', 'The wrong document'), ('difference', 'A true difference of opinion')], max_length=10)),
                ('note', models.TextField(blank=True)),
                ('at', models.DateTimeField()),
                ('withdrawn_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Exclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('note', models.TextField(blank=True)),
                ('at', models.DateTimeField()),
                ('lifted_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Version',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('note', models.CharField(blank=True, max_length=500)),
                ('rule', models.CharField(max_length=10)),
                ('tie', models.CharField(max_length=10)),
                ('query_count', models.PositiveIntegerField(help_text='Queries with at least one grade.')),
                ('grade_count', models.PositiveIntegerField()),
                ('pair_count', models.PositiveIntegerField(help_text='Pairs of the list, with a grade or without.')),
                ('undecided_count', models.PositiveIntegerField()),
                ('adjudicated_count', models.PositiveIntegerField(default=0)),
                ('sha256', models.CharField(max_length=64)),
                ('frozen_by_name', models.CharField(blank=True, max_length=150)),
                ('frozen_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['judgment_list', '-number'],
            },
        ),
        migrations.CreateModel(
            name='VersionGrades',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(db_collation='C', max_length=512)),
                ('weight', models.FloatField()),
                ('documents', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('names', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('values', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), size=None)),
                ('how', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
            ],
            options={
                'ordering': ['version', 'query'],
            },
        ),
        migrations.RemoveConstraint(
            model_name='judgmentlist',
            name='judgment_list_rule_known',
        ),
        migrations.AlterField(
            model_name='judgmentlist',
            name='rule',
            field=models.CharField(choices=[('median', 'Median'), ('mean', 'Mean'), ('trimmed', 'Trimmed mean'), ('majority', 'Majority')], default='median', max_length=10, verbose_name='consensus rule'),
        ),
        migrations.AddConstraint(
            model_name='judgmentlist',
            constraint=models.CheckConstraint(condition=models.Q(('rule__in', ['median', 'mean', 'trimmed', 'majority'])), name='judgment_list_rule_known'),
        ),
        migrations.AddField(
            model_name='adjudication',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='adjudication',
            name='judgment_list',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='adjudications', to='judgments.judgmentlist'),
        ),
        migrations.AddField(
            model_name='adjudication',
            name='pair',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='adjudications', to='judgments.pair'),
        ),
        migrations.AddField(
            model_name='adjudication',
            name='query_set',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.queryset'),
        ),
        migrations.AddField(
            model_name='adjudication',
            name='withdrawn_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='exclusion',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='exclusion',
            name='judgment_list',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exclusions', to='judgments.judgmentlist'),
        ),
        migrations.AddField(
            model_name='exclusion',
            name='lifted_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='exclusion',
            name='query_set',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.queryset'),
        ),
        migrations.AddField(
            model_name='exclusion',
            name='rater',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exclusions', to='judgments.rater'),
        ),
        migrations.AddField(
            model_name='version',
            name='frozen_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='version',
            name='judgment_list',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='judgments.judgmentlist'),
        ),
        migrations.AddField(
            model_name='version',
            name='query_set',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.queryset'),
        ),
        migrations.AddField(
            model_name='version',
            name='scale',
            field=models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='versions', to='judgments.scale'),
        ),
        migrations.AddField(
            model_name='versiongrades',
            name='query',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='version_grades', to='judgments.query'),
        ),
        migrations.AddField(
            model_name='versiongrades',
            name='version',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='queries', to='judgments.version'),
        ),
        migrations.AddConstraint(
            model_name='adjudication',
            constraint=models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('pair',), name='adjudication_one_stands'),
        ),
        migrations.AddConstraint(
            model_name='adjudication',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['guidelines', 'query', 'slip', 'document', 'difference'])), name='adjudication_cause_known'),
        ),
        migrations.AddConstraint(
            model_name='exclusion',
            constraint=models.UniqueConstraint(condition=models.Q(('lifted_at', None)), fields=('judgment_list', 'rater'), name='exclusion_once'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.UniqueConstraint(fields=('judgment_list', 'number'), name='version_number_unique'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='version_number_from_one'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.CheckConstraint(condition=models.Q(('sha256__regex', '^[0-9a-f]{64}$')), name='version_has_hash'),
        ),
        migrations.AddConstraint(
            model_name='versiongrades',
            constraint=models.UniqueConstraint(fields=('version', 'query'), name='version_query_once'),
        ),
        migrations.RunSQL(VERSIONS_KEPT, VERSIONS_NOT_KEPT),
        migrations.RunSQL(FROZEN_PAIRS_KEPT, FROZEN_PAIRS_NOT_KEPT),
        migrations.RunSQL(USE_OF_SCALE, EARLIER_USE_OF_SCALE),
        migrations.RunSQL(ADJUDICATION_ON_SCALE, ADJUDICATION_ANYWHERE),
    ]
