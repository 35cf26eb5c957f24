"""An index that the deletion of pairs needs."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0009_model_fits'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='skip',
            index=models.Index(fields=['pair'], name='skip_by_pair'),
        ),
    ]
