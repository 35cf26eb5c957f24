import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

LOG_APPEND_ONLY = """
CREATE FUNCTION touchstone_log_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'check_violation', CONSTRAINT = 'log_append_only';
END $$;
CREATE TRIGGER log_append_only BEFORE UPDATE OR DELETE ON judgments_act
    FOR EACH ROW EXECUTE FUNCTION touchstone_log_append_only();
"""
NO_LOG_APPEND_ONLY = """
DROP TRIGGER log_append_only ON judgments_act;
DROP FUNCTION touchstone_log_append_only();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0006_versions_and_adjudication'),
    ]

    operations = [
        migrations.CreateModel(
            name='Act',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('by_name', models.CharField(blank=True, help_text='Empty: a command without an account.', max_length=150)),
                ('verb', models.CharField(max_length=40)),
                ('subject', models.CharField(help_text='What it was done to, as people call it.', max_length=300)),
                ('before', models.JSONField(default=dict)),
                ('after', models.JSONField(default=dict)),
                ('note', models.TextField(blank=True)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='AgreementHeadline',
            fields=[
                ('judgment_list', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='agreement_headline', serialize=False, to='judgments.judgmentlist')),
                ('judgments', models.PositiveBigIntegerField()),
                ('figures', models.JSONField(default=dict)),
                ('computed_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('rater', 'Rater'), ('engineer', 'Relevance engineer'), ('admin', 'Admin')], max_length=10)),
                ('token_sha256', models.CharField(max_length=64, unique=True)),
                ('note', models.CharField(blank=True, help_text='Whom it is for.', max_length=120)),
                ('uses_most', models.PositiveIntegerField(help_text='How many people may use it; empty: any number.', null=True)),
                ('uses', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.RemoveConstraint(
            model_name='judgment',
            name='judgment_reason_known',
        ),
        migrations.AddField(
            model_name='queryset',
            name='archived_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='Archived: kept and readable, and nothing in it changes.', null=True),
        ),
        migrations.AddField(
            model_name='queryset',
            name='archived_by',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='reason',
            field=models.CharField(blank=True, choices=[('query_unclear', 'The query is unclear'), ('document_missing', 'The document is missing or broken'), ('language', 'A language I do not read'), ('offensive', 'Offensive'), ('needs_expert', 'Needs an expert'), ('other', 'Another reason')], max_length=20),
        ),
        migrations.AlterField(
            model_name='judgmenthistory',
            name='reason',
            field=models.CharField(blank=True, choices=[('query_unclear', 'The query is unclear'), ('document_missing', 'The document is missing or broken'), ('language', 'A language I do not read'), ('offensive', 'Offensive'), ('needs_expert', 'Needs an expert'), ('other', 'Another reason')], max_length=20),
        ),
        migrations.AddIndex(
            model_name='document',
            index=django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(django.db.models.functions.text.Left('title', 50000), django.db.models.functions.text.Left('body', 50000), config='simple'), name='document_search'),
        ),
        migrations.AddIndex(
            model_name='query',
            index=django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(django.db.models.functions.text.Left('text', 50000), django.db.models.functions.text.Left('information_need', 50000), config='simple'), name='query_search'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), ('reason__in', ['query_unclear', 'document_missing', 'language', 'offensive', 'needs_expert', 'other']), _connector='OR'), name='judgment_reason_known'),
        ),
        migrations.AddField(
            model_name='act',
            name='by',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='act',
            name='document',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judgments.document'),
        ),
        migrations.AddField(
            model_name='act',
            name='judgment_list',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judgments.judgmentlist'),
        ),
        migrations.AddField(
            model_name='act',
            name='query',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judgments.query'),
        ),
        migrations.AddField(
            model_name='act',
            name='query_set',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judgments.queryset'),
        ),
        migrations.AddField(
            model_name='agreementheadline',
            name='query_set',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.queryset'),
        ),
        migrations.AddField(
            model_name='invitation',
            name='created_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='invitation',
            name='query_set',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='judgments.queryset'),
        ),
        migrations.AddIndex(
            model_name='act',
            index=models.Index(fields=['query_set', '-id'], name='act_by_query_set'),
        ),
        migrations.AddIndex(
            model_name='act',
            index=models.Index(fields=['judgment_list', '-id'], name='act_by_list'),
        ),
        migrations.AddIndex(
            model_name='act',
            index=models.Index(condition=models.Q(('query__isnull', False)), fields=['query', '-id'], name='act_by_query'),
        ),
        migrations.AddIndex(
            model_name='act',
            index=models.Index(condition=models.Q(('document__isnull', False)), fields=['document', '-id'], name='act_by_document'),
        ),
        migrations.AddConstraint(
            model_name='act',
            constraint=models.CheckConstraint(condition=models.Q(('verb', ''), _negated=True), name='act_has_verb'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ['rater', 'engineer', 'admin'])), name='invitation_role_known'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(('uses_most', None), ('uses__lte', models.F('uses_most')), _connector='OR'), name='invitation_uses_within_most'),
        ),
        migrations.RunSQL(LOG_APPEND_ONLY, NO_LOG_APPEND_ONLY),
    ]
