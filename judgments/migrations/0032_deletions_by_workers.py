import django.contrib.postgres.fields
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


# As actions do, which change a list and then ask whether its query set is archived.
IN_ORDER = "LOCK TABLE judgments_judgmentlist, judgments_queryset IN ACCESS EXCLUSIVE MODE"


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0031_erasure'),
    ]

    operations = [
        migrations.RunSQL(IN_ORDER, migrations.RunSQL.noop),
        migrations.AddField(
            model_name='judgmentlist',
            name='being_deleted',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='A worker deletes it, and nobody reaches it.'),
        ),
        migrations.AddField(
            model_name='queryset',
            name='being_deleted',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='A worker deletes it, and nobody reaches it.'),
        ),
        migrations.CreateModel(
            name='Deletion',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('query-set', 'query set'), ('list', 'list'), ('runs', 'runs')], max_length=9)),
                ('keys', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('subject', models.CharField(max_length=200)),
                ('counts', models.JSONField(default=dict)),
                ('row_total', models.PositiveBigIntegerField(default=0)),
                ('requested_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(null=True)),
                ('changed_at', models.DateTimeField(null=True)),
                ('done_at', models.DateTimeField(null=True)),
                ('failure', models.TextField(blank=True, default='')),
                ('query_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deletions', to='judgments.queryset')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-requested_at'],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['query-set', 'list', 'runs'])), name='deletion_kind_known'), models.CheckConstraint(condition=models.Q(('done_at', None), models.Q(('failure', ''), ('keys', [])), _connector='OR'), name='deletion_done_left_nothing')],
            },
        ),
    ]
