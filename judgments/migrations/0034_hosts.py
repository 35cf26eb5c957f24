"""What hosts share, and what each was started with."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0033_stored_files'),
    ]

    operations = [
        migrations.CreateModel(
            name='Host',
            fields=[
                ('name', models.CharField(max_length=300, primary_key=True, serialize=False)),
                ('started_at', models.DateTimeField()),
                ('key_mark', models.CharField(max_length=16)),
                ('source_mark', models.CharField(max_length=16)),
                ('uploads_mark', models.CharField(max_length=16)),
            ],
        ),
        migrations.CreateModel(
            name='SiteKey',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('value', models.CharField(max_length=200)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='site_key_is_one')],
            },
        ),
    ]
