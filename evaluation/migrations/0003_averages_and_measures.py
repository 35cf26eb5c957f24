"""Medians and weighted means, further measures, and formulas kept by name."""

import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

# Scores are made again from rankings and grades when a page asks for them; those without a median would pass for complete.
FORGET_SCORES = "TRUNCATE evaluation_score, evaluation_evaluation"

# A weighted mean rests on the queries' weights, so that a changed weight makes the scores of its query stale.
WEIGHT_CHANGED = """
CREATE FUNCTION touchstone_weight_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE judgments_listquery SET revision = revision + 1
    WHERE id IN (
        SELECT one.id FROM judgments_listquery one
        WHERE one.query_id IN (
            SELECT later.id FROM later JOIN earlier ON earlier.id = later.id WHERE earlier.weight <> later.weight
        )
        ORDER BY one.id FOR NO KEY UPDATE
    );
    RETURN NULL;
END $$;
CREATE TRIGGER query_weight_changed AFTER UPDATE ON judgments_query
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later
    FOR EACH STATEMENT EXECUTE FUNCTION touchstone_weight_changed();
"""
NO_WEIGHT_CHANGED = """
DROP TRIGGER query_weight_changed ON judgments_query;
DROP FUNCTION touchstone_weight_changed();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0002_ranking_storage'),
        ('judgments', '0003_scale_in_use'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunSQL(FORGET_SCORES, migrations.RunSQL.noop),
        migrations.RunSQL(WEIGHT_CHANGED, NO_WEIGHT_CHANGED),
        migrations.AddField(
            model_name='evaluation',
            name='counted',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='median_dcg',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='median_judged_at_k',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='median_ndcg_global',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='median_ndcg_local',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='median_ndcg_max',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='median_ndcg_recall',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='weighted_dcg',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='weighted_judged_at_k',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='weighted_ndcg_global',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='weighted_ndcg_local',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='weighted_ndcg_max',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='weighted_ndcg_recall',
            field=models.FloatField(null=True),
        ),
        migrations.CreateModel(
            name='MeasureEvaluation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('measure', models.CharField(db_collation='C', max_length=200)),
                ('digits', models.SmallIntegerField(default=-1)),
                ('revision', models.BigIntegerField(default=-1)),
                ('computed_at', models.DateTimeField(null=True)),
                ('counted', models.PositiveIntegerField(default=0)),
                ('mean', models.FloatField(null=True)),
                ('median', models.FloatField(null=True)),
                ('weighted', models.FloatField(null=True)),
                ('judgment_list', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='measures', to='judgments.judgmentlist')),
                ('query_set', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.queryset')),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='measures', to='evaluation.run')),
            ],
        ),
        migrations.CreateModel(
            name='MeasureScore',
            fields=[
                ('pk', models.CompositePrimaryKey('query_set_id', 'evaluation_id', 'query_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('revision', models.BigIntegerField()),
                ('value', models.FloatField(null=True)),
                ('evaluation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='evaluation.measureevaluation')),
                ('query', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.query')),
                ('query_set', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.queryset')),
            ],
        ),
        migrations.CreateModel(
            name='SavedFormula',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('formula', models.CharField(max_length=200)),
                ('measures', models.CharField(blank=True, max_length=2000)),
                ('is_default', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('query_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='formulas', to='judgments.queryset')),
            ],
            options={
                'ordering': ['query_set', 'name'],
            },
        ),
        migrations.AddConstraint(
            model_name='measureevaluation',
            constraint=models.UniqueConstraint(fields=('run', 'judgment_list', 'measure', 'digits'), name='measure_evaluation_once'),
        ),
        migrations.AddConstraint(
            model_name='savedformula',
            constraint=models.UniqueConstraint(models.F('query_set'), django.db.models.functions.text.Lower('name'), name='saved_formula_name_unique'),
        ),
        migrations.AddConstraint(
            model_name='savedformula',
            constraint=models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('query_set',), name='saved_formula_one_default'),
        ),
    ]
