"""Comparisons of runs, their results, and how often people looked."""

import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0005_scores_of_versions'),
        ('judgments', '0007_log_invitations_and_search'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Comparing',
            fields=[
                ('query_set', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='comparing', serialize=False, to='judgments.queryset')),
                ('held_out', models.CharField(blank=True, max_length=60, verbose_name='tag of the held-out queries')),
                ('drawn', models.CharField(choices=[('unknown', 'Not said'), ('uniform', 'Every query alike'), ('traffic', 'By traffic: frequent queries more often')], default='unknown', max_length=7, verbose_name='how the queries were drawn')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('drawn__in', ['unknown', 'uniform', 'traffic'])), name='comparing_drawn_known')],
            },
        ),
        migrations.CreateModel(
            name='Comparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('notes', models.TextField(blank=True)),
                ('formula', models.CharField(max_length=200)),
                ('measure', models.CharField(max_length=200)),
                ('measures', models.CharField(blank=True, max_length=2000)),
                ('created_at', models.DateTimeField()),
                ('changed_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('judgment_list', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='judgments.judgmentlist')),
                ('query_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='judgments.queryset')),
                ('version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='judgments.version')),
            ],
            options={
                'ordering': ['query_set', 'name'],
            },
        ),
        migrations.CreateModel(
            name='ComparedRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('position', models.PositiveSmallIntegerField()),
                ('run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='evaluation.run')),
                ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='compared', to='evaluation.comparison')),
            ],
            options={
                'ordering': ['comparison', 'position'],
            },
        ),
        migrations.CreateModel(
            name='ComparisonLook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('measure', models.CharField(max_length=200)),
                ('held_out', models.BooleanField(default=False)),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='evaluation.run')),
                ('judgment_list', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.judgmentlist')),
                ('query_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='looks', to='judgments.queryset')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='evaluation.run')),
            ],
        ),
        migrations.CreateModel(
            name='ComparisonResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64)),
                ('seed', models.BigIntegerField()),
                ('draws', models.PositiveIntegerField()),
                ('figures', models.JSONField()),
                ('computed_at', models.DateTimeField()),
                ('judgment_list', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.judgmentlist')),
                ('query_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judgments.queryset')),
            ],
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.UniqueConstraint(models.F('query_set'), django.db.models.functions.text.Lower('name'), name='comparison_name_unique'),
        ),
        migrations.AddConstraint(
            model_name='comparedrun',
            constraint=models.UniqueConstraint(fields=('comparison', 'position'), name='compared_run_position_unique'),
        ),
        migrations.AddConstraint(
            model_name='comparedrun',
            constraint=models.UniqueConstraint(fields=('comparison', 'run'), name='compared_run_once'),
        ),
        migrations.AddConstraint(
            model_name='comparisonlook',
            constraint=models.UniqueConstraint(fields=('query_set', 'judgment_list', 'measure', 'first', 'second', 'held_out'), name='comparison_look_once'),
        ),
        migrations.AddConstraint(
            model_name='comparisonlook',
            constraint=models.CheckConstraint(condition=models.Q(('first__lt', models.F('second'))), name='comparison_look_in_order'),
        ),
        migrations.AddConstraint(
            model_name='comparisonresult',
            constraint=models.UniqueConstraint(fields=('judgment_list', 'key'), name='comparison_result_once'),
        ),
    ]
