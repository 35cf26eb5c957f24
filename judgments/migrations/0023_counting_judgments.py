import django.db.models.deletion
from django.db import migrations, models

# Only what is counted with: a column that a view reads cannot change its type.
CREATE = """
CREATE VIEW judgments_realjudgment AS
SELECT id, query_set_id, judgment_list_id, pair_id, rater_id, value, gold, created_at, updated_at, active_ms, EXISTS (
    SELECT FROM judgments_exclusion exclusion
    WHERE exclusion.judgment_list_id = judgment.judgment_list_id AND exclusion.rater_id = judgment.rater_id
      AND exclusion.lifted_at IS NULL
) AS excluded
FROM judgments_judgment judgment WHERE gold <> 'practice';

CREATE VIEW judgments_countingjudgment AS SELECT * FROM judgments_realjudgment WHERE NOT excluded;
"""
DROP = "DROP VIEW judgments_countingjudgment; DROP VIEW judgments_realjudgment;"


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0022_hidden_repeats'),
    ]

    operations = [
        migrations.RunSQL(CREATE, DROP),
        migrations.CreateModel(
            name='CountingJudgment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField(null=True)),
                ('gold', models.CharField(max_length=8)),
            ],
            options={
                'managed': False,
                'db_table': 'judgments_countingjudgment',
            },
        ),
    ]
