"""Handing out by priority, assignment and disagreement; gold pairs; evidence and confidence."""

import datetime
import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


COUNT_OPEN = """
UPDATE judgments_listquery list_query SET open_count = counted.open
FROM (
    SELECT pair.judgment_list_id, pair.query_id, count(*) AS open
    FROM judgments_slot slot JOIN judgments_pair pair ON pair.id = slot.pair_id
    WHERE slot.state = 'open'
    GROUP BY pair.judgment_list_id, pair.query_id
) counted
WHERE list_query.judgment_list_id = counted.judgment_list_id AND list_query.query_id = counted.query_id
"""

# The function belongs to judgments (0002); it reads the value, the pair and the list of what was written.
GOLD_ON_SCALE = """
CREATE TRIGGER gold_grade_on_scale_insert AFTER INSERT ON judgments_goldpair
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION touchstone_grades_on_scale();
CREATE TRIGGER gold_grade_on_scale_update AFTER UPDATE ON judgments_goldpair
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION touchstone_grades_on_scale();
"""
NO_GOLD_ON_SCALE = """
DROP TRIGGER gold_grade_on_scale_insert ON judgments_goldpair;
DROP TRIGGER gold_grade_on_scale_update ON judgments_goldpair;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0003_scale_in_use'),
    ]

    operations = [
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('quota', models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                'ordering': ['judgment_list', 'id'],
            },
        ),
        migrations.CreateModel(
            name='GoldDraw',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('query_position', models.BigIntegerField()),
                ('after', models.BigIntegerField(default=0)),
                ('priority', models.SmallIntegerField(default=0)),
                ('practice', models.BooleanField(default=False)),
                ('answered', models.BooleanField(default=False)),
                ('drawn_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='GoldPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField()),
                ('also', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), blank=True, db_default=models.Value([], django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), size=None)), default=list, help_text='Further grades that count as right.', size=None)),
                ('explanation', models.TextField(blank=True, help_text='Why. Shown after an answer in practice.')),
                ('made_at', models.DateTimeField()),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['judgment_list', 'id'],
            },
        ),
        migrations.RemoveConstraint(
            model_name='slot',
            name='slot_lease_has_rater',
        ),
        migrations.RemoveIndex(
            model_name='slot',
            name='slot_open',
        ),
        migrations.AddField(
            model_name='judgment',
            name='confidence',
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='judgment',
            name='evidence',
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list, help_text='Passages that decided: field, quote, start and end.'),
        ),
        migrations.AddField(
            model_name='judgment',
            name='gold',
            field=models.CharField(blank=True, choices=[('gold', 'Gold'), ('practice', 'Practice')], db_default='', default='', max_length=8),
        ),
        migrations.AddField(
            model_name='judgment',
            name='place',
            field=models.PositiveIntegerField(blank=True, help_text='Which document of its query it was for this rater, from 1.', null=True),
        ),
        migrations.AddField(
            model_name='judgment',
            name='view',
            field=models.CharField(blank=True, db_default='', default='', max_length=8),
        ),
        migrations.AddField(
            model_name='judgmenthistory',
            name='confidence',
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='judgmenthistory',
            name='evidence',
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list, help_text='Passages that decided: field, quote, start and end.'),
        ),
        migrations.AddField(
            model_name='judgmenthistory',
            name='place',
            field=models.PositiveIntegerField(blank=True, help_text='Which document of its query it was for this rater, from 1.', null=True),
        ),
        migrations.AddField(
            model_name='judgmenthistory',
            name='request_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='judgmenthistory',
            name='undo_id',
            field=models.UUIDField(null=True, unique=True),
        ),
        migrations.AddField(
            model_name='judgmenthistory',
            name='view',
            field=models.CharField(blank=True, db_default='', default='', max_length=8),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='adaptive_step',
            field=models.FloatField(blank=True, help_text='One more rater where answers differ by at least this much. Empty: never.', null=True),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='assignment',
            field=models.CharField(choices=[('open', 'Open to all raters'), ('named', 'Named raters only')], db_default='open', default='open', max_length=5),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='confidence',
            field=models.BooleanField(db_default=False, default=False, help_text='Raters may say how sure they are, in three steps.'),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='evidence',
            field=models.CharField(choices=[('off', 'Off'), ('optional', 'Optional'), ('required', 'Required')], db_default='off', default='off', max_length=8),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='evidence_grades',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), blank=True, db_default=models.Value([], django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), size=None)), default=list, help_text='The grades for which evidence is required. Empty: for all.', size=None),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='gold_rate',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='How many of a hundred judgments are of gold pairs, 0 to 50.'),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='onboarding',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='How many gold pairs a new rater practices on, with the answer shown.'),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='overlap_most',
            field=models.PositiveSmallIntegerField(blank=True, help_text='At most this many raters judge a pair whose answers differ.', null=True),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='pause_note',
            field=models.CharField(blank=True, db_default='', default='', help_text='Shown to raters.', max_length=300),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='paused_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='paused_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='judgmentlist',
            name='view',
            field=models.CharField(choices=[('document', 'One document at a time'), ('list', 'All documents of a query'), ('choice', 'Each rater chooses')], db_default='document', default='document', max_length=8),
        ),
        migrations.AddField(
            model_name='listquery',
            name='open_count',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='listquery',
            name='priority',
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='pair',
            name='priority',
            field=models.SmallIntegerField(db_default=0, default=0, help_text='Pairs of higher priority are handed out first.'),
        ),
        migrations.AddField(
            model_name='raterqueue',
            name='practice_count',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='raterqueue',
            name='round_over',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='raterqueue',
            name='round_since',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='slot',
            name='priority',
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='slot',
            name='surplus',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='user',
            name='keys',
            field=models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict, help_text='Keys of the rating screen that this person has changed: command to key.'),
        ),
        migrations.AlterField(
            model_name='raterqueue',
            name='query_position',
            field=models.BigIntegerField(default=0),
        ),
        migrations.AlterField(
            model_name='slot',
            name='query_position',
            field=models.BigIntegerField(),
        ),
        migrations.AddIndex(
            model_name='judgment',
            index=models.Index(condition=models.Q(('gold', ''), _negated=True), fields=['judgment_list', 'rater', 'id'], name='judgment_of_gold'),
        ),
        migrations.AddIndex(
            model_name='judgmenthistory',
            index=models.Index(condition=models.Q(('request_id__isnull', False)), fields=['request_id'], name='history_by_request'),
        ),
        migrations.AddIndex(
            model_name='judgmenthistory',
            index=models.Index(fields=['rater', '-id'], name='history_by_rater'),
        ),
        migrations.AddIndex(
            model_name='slot',
            index=models.Index(condition=models.Q(('state', 'open'), ('surplus', False)), fields=['judgment_list', 'query_position', 'lease_until'], include=('pair', 'priority'), name='slot_open'),
        ),
        migrations.AddIndex(
            model_name='slot',
            index=models.Index(condition=models.Q(('lease_until__gt', datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)), ('state', 'open'), ('surplus', False)), fields=['judgment_list', 'lease_until'], name='slot_returned'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.CheckConstraint(condition=models.Q(('confidence', None), models.Q(('confidence__gte', 1), ('confidence__lte', 3)), _connector='OR'), name='judgment_confidence_in_range'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.CheckConstraint(condition=models.Q(('gold', ''), ('gold__in', ['gold', 'practice']), _connector='OR'), name='judgment_gold_known'),
        ),
        migrations.AddConstraint(
            model_name='judgmentlist',
            constraint=models.CheckConstraint(condition=models.Q(('adaptive_step', None), models.Q(('adaptive_step__gt', 0), ('overlap_most__gte', models.F('overlap')), ('overlap_most__lte', 30)), _connector='OR'), name='judgment_list_adaptive_in_range'),
        ),
        migrations.AddConstraint(
            model_name='judgmentlist',
            constraint=models.CheckConstraint(condition=models.Q(('assignment__in', ['open', 'named'])), name='judgment_list_assignment_known'),
        ),
        migrations.AddConstraint(
            model_name='judgmentlist',
            constraint=models.CheckConstraint(condition=models.Q(('view__in', ['document', 'list', 'choice'])), name='judgment_list_view_known'),
        ),
        migrations.AddConstraint(
            model_name='judgmentlist',
            constraint=models.CheckConstraint(condition=models.Q(('evidence__in', ['off', 'optional', 'required'])), name='judgment_list_evidence_known'),
        ),
        migrations.AddConstraint(
            model_name='judgmentlist',
            constraint=models.CheckConstraint(condition=models.Q(('gold_rate__lte', 50)), name='judgment_list_gold_rate_in_range'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.CheckConstraint(condition=models.Q(('surplus', False), ('rater__isnull', False), _connector='OR'), name='slot_surplus_has_rater'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='judgment_list',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='judgments.judgmentlist'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='golddraw',
            name='judgment_list',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.judgmentlist'),
        ),
        migrations.AddField(
            model_name='golddraw',
            name='pair',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.pair'),
        ),
        migrations.AddField(
            model_name='golddraw',
            name='rater',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.rater'),
        ),
        migrations.AddField(
            model_name='goldpair',
            name='judgment_list',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='gold_pairs', to='judgments.judgmentlist'),
        ),
        migrations.AddField(
            model_name='goldpair',
            name='made_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='goldpair',
            name='pair',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='gold', to='judgments.pair'),
        ),
        migrations.AddField(
            model_name='goldpair',
            name='query_set',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.queryset'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('judgment_list', 'user'), name='assignment_once'),
        ),
        migrations.AddIndex(
            model_name='golddraw',
            index=models.Index(fields=['judgment_list', 'rater'], name='gold_draw_by_rater'),
        ),
        migrations.AddIndex(
            model_name='golddraw',
            index=models.Index(condition=models.Q(('answered', False)), fields=['rater', 'judgment_list', 'id'], name='gold_draw_held'),
        ),
        migrations.AddConstraint(
            model_name='golddraw',
            constraint=models.UniqueConstraint(fields=('pair', 'rater'), name='gold_draw_once'),
        ),
        migrations.RunSQL(COUNT_OPEN, migrations.RunSQL.noop),
        migrations.RunSQL(GOLD_ON_SCALE, NO_GOLD_ON_SCALE),
    ]
