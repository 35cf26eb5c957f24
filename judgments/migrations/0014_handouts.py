"""That a pair was handed to a rater is kept; of what is held, put off or drawn now, it is known."""

import django.db.models.deletion
from django.db import migrations, models

# Judgments, and what became of them, tell by themselves that a rater had the pair.
HANDED_BEFORE = """
INSERT INTO judgments_handout (pair_id, rater_id)
SELECT pair_id, rater_id FROM judgments_slot WHERE state = 'open' AND rater_id IS NOT NULL
UNION SELECT pair_id, rater_id FROM judgments_skip
UNION SELECT pair_id, rater_id FROM judgments_golddraw
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0013_for_another_role'),
    ]

    operations = [
        migrations.CreateModel(
            name='Handout',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pair', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.pair')),
                ('rater', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.rater')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('pair', 'rater'), name='handout_once')],
            },
        ),
        migrations.RunSQL(HANDED_BEFORE, migrations.RunSQL.noop),
    ]
