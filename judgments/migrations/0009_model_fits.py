"""Fits of the Dawid-Skene model, and the consensus rules that read their grades."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0008_disagreements'),
    ]

    operations = [
        migrations.CreateModel(
            name='ModelFit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rule', models.CharField(help_text='The consensus rule that reads its grades.', max_length=10)),
                ('fitted_at', models.DateTimeField(null=True)),
                ('pairs', models.PositiveIntegerField(default=0)),
                ('raters', models.PositiveIntegerField(default=0)),
                ('labels', models.PositiveIntegerField(default=0)),
                ('rounds', models.PositiveIntegerField(default=0)),
                ('converged', models.BooleanField(default=False)),
                ('scale', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), default=list, size=None)),
                ('shares', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), default=list, size=None)),
                ('habits', models.JSONField(default=list)),
                ('checksum', models.BigIntegerField(default=0)),
                ('error', models.TextField(blank=True, help_text='Why the latest attempt failed, for people.')),
            ],
        ),
        migrations.CreateModel(
            name='ModelGrade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField()),
                ('likeliest', models.FloatField()),
                ('certainty', models.FloatField(help_text='The chance of the likeliest grade, 0 to 1.')),
                ('labels', models.PositiveSmallIntegerField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='judgmentlist',
            name='judgment_list_rule_known',
        ),
        migrations.AlterField(
            model_name='judgmentlist',
            name='rule',
            field=models.CharField(choices=[('median', 'Median'), ('mean', 'Mean'), ('trimmed', 'Trimmed mean'), ('majority', 'Majority'), ('ds-nominal', 'Dawid–Skene, nominal (model)'), ('ds-ordinal', 'Dawid–Skene, ordinal (model)')], default='median', max_length=10, verbose_name='consensus rule'),
        ),
        migrations.AddConstraint(
            model_name='judgmentlist',
            constraint=models.CheckConstraint(condition=models.Q(('rule__in', ['median', 'mean', 'trimmed', 'majority', 'ds-nominal', 'ds-ordinal'])), name='judgment_list_rule_known'),
        ),
        migrations.AddField(
            model_name='modelfit',
            name='judgment_list',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_fits', to='judgments.judgmentlist'),
        ),
        migrations.AddField(
            model_name='modelfit',
            name='query_set',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.queryset'),
        ),
        migrations.AddField(
            model_name='modelgrade',
            name='fit',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='grades', to='judgments.modelfit'),
        ),
        migrations.AddField(
            model_name='modelgrade',
            name='pair',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_grades', to='judgments.pair'),
        ),
        migrations.AddField(
            model_name='modelgrade',
            name='query_set',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.queryset'),
        ),
        migrations.AddConstraint(
            model_name='modelfit',
            constraint=models.UniqueConstraint(fields=('judgment_list', 'rule'), name='model_fit_once'),
        ),
        migrations.AddConstraint(
            model_name='modelfit',
            constraint=models.CheckConstraint(condition=models.Q(('rule__in', ('ds-nominal', 'ds-ordinal'))), name='model_fit_rule_known'),
        ),
        migrations.AddConstraint(
            model_name='modelgrade',
            constraint=models.UniqueConstraint(fields=('fit', 'pair'), name='model_grade_once'),
        ),
        migrations.AddConstraint(
            model_name='modelgrade',
            constraint=models.CheckConstraint(condition=models.Q(('certainty__gte', 0), ('certainty__lte', 1)), name='model_grade_certainty_is_a_chance'),
        ),
    ]
