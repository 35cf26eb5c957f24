"""An index that the deletion of queries needs."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0006_comparisons'),
        ('judgments', '0009_model_fits'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='ranking',
            index=models.Index(fields=['query'], name='ranking_by_query'),
        ),
    ]
