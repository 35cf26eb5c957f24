"""Scores are compared in single precision, as trec_eval does. Runs that are there were put in order in double precision."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0008_looks_at_states'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='run', name='run_order_known'),
        migrations.AlterField(
            model_name='run',
            name='order',
            field=models.CharField(
                choices=[
                    ('score', 'Retrieval score in single precision, then document id (as trec_eval)'),
                    ('double', 'Retrieval score in double precision, then document id'),
                    ('rank', "The file's rank column"),
                ],
                default='score',
                max_length=6,
            ),
        ),
        migrations.RunSQL(
            """UPDATE evaluation_run SET "order" = 'double' WHERE "order" = 'score'""",
            """UPDATE evaluation_run SET "order" = 'score' WHERE "order" = 'double'""",
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.CheckConstraint(
                condition=Q(('order__in', ['score', 'double', 'rank'])), name='run_order_known'
            ),
        ),
    ]
