import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0023_counting_judgments'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='consensusgrade',
            name='how',
        ),
        migrations.AddField(
            model_name='versiongrades',
            name='facts',
            field=models.JSONField(null=True),
        ),
        migrations.AlterField(
            model_name='versiongrades',
            name='how',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
        ),
    ]
