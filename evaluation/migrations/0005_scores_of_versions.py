"""Scores against versions, beside those against the live list."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0004_ties_inside_the_cutoff'),
        ('judgments', '0006_versions_and_adjudication'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='evaluation',
            name='evaluation_once',
        ),
        migrations.RemoveConstraint(
            model_name='measureevaluation',
            name='measure_evaluation_once',
        ),
        migrations.AddField(
            model_name='evaluation',
            name='version',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='evaluations', to='judgments.version'),
        ),
        migrations.AddField(
            model_name='measureevaluation',
            name='version',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='measures', to='judgments.version'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.UniqueConstraint(fields=('run', 'judgment_list', 'version', 'formula'), name='evaluation_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='measureevaluation',
            constraint=models.UniqueConstraint(fields=('run', 'judgment_list', 'version', 'measure', 'digits'), name='measure_evaluation_once', nulls_distinct=False),
        ),
    ]
