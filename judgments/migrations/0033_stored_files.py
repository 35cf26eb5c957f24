"""Uploaded files in the database. Their blocks are packed already, so PostgreSQL needn't try."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0032_deletions_by_workers'),
    ]

    operations = [
        migrations.CreateModel(
            name='StoredFile',
            fields=[
                ('name', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('size', models.PositiveBigIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='StoredBlock',
            fields=[
                ('pk', models.CompositePrimaryKey('file_id', 'position', blank=True, editable=False, primary_key=True, serialize=False)),
                ('position', models.PositiveIntegerField()),
                ('data', models.BinaryField()),
                ('file', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='judgments.storedfile')),
            ],
        ),
        migrations.RunSQL(
            "ALTER TABLE judgments_storedblock ALTER COLUMN data SET STORAGE EXTERNAL",
            migrations.RunSQL.noop,
        ),
    ]
