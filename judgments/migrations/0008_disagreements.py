"""How far the answers of each pair lie apart, so that the widest disagreements are found without reading them all."""

from django.db import migrations, models

# As touchstone_core.grades.consensus.spread and judgments.grades.sql.consensus have it.
SPREADS = """
UPDATE judgments_consensusgrade grade SET answers = counted.answers, spread = CASE
    WHEN counted.lowest < counted.highest AND scale.level = 'nominal'
        THEN 1 - counted.most::float8 / counted.grades
    WHEN counted.lowest < counted.highest THEN counted.highest - counted.lowest
    WHEN counted.grades > 0 AND counted.answers > counted.grades THEN 0
END
FROM (
    SELECT pair_id, sum(times)::int AS answers, (coalesce(sum(times) FILTER (WHERE value IS NOT NULL), 0))::int AS grades,
           (max(times) FILTER (WHERE value IS NOT NULL))::int AS most, min(value) AS lowest, max(value) AS highest
    FROM (
        SELECT pair_id, value, count(*) AS times FROM judgments_judgment judgment
        WHERE gold <> 'practice' AND NOT EXISTS (
            SELECT FROM judgments_exclusion exclusion WHERE exclusion.judgment_list_id = judgment.judgment_list_id
              AND exclusion.rater_id = judgment.rater_id AND exclusion.lifted_at IS NULL
        )
        GROUP BY pair_id, value
    ) given GROUP BY pair_id
) counted, judgments_judgmentlist list, judgments_scale scale
WHERE counted.pair_id = grade.pair_id AND list.id = grade.judgment_list_id AND scale.id = list.scale_id
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0007_log_invitations_and_search'),
    ]

    operations = [
        migrations.AddField(
            model_name='consensusgrade',
            name='answers',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, editable=False, help_text='Grades and “cannot judge” that count.'),
        ),
        migrations.AddField(
            model_name='consensusgrade',
            name='spread',
            field=models.FloatField(editable=False, help_text='How far its answers lie apart; empty where they do not differ.', null=True),
        ),
        migrations.RunSQL(SPREADS, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='consensusgrade',
            index=models.Index(condition=models.Q(('spread__isnull', False)), fields=['judgment_list', '-spread', '-answers', '-pair'], include=('undecided', 'judgments'), name='consensus_disagreements'),
        ),
    ]
