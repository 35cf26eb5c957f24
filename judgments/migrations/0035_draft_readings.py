from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0034_hosts'),
    ]

    operations = [
        migrations.AddField(
            model_name='draft',
            name='reading',
            field=models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddField(
            model_name='draft',
            name='reading_key',
            field=models.CharField(blank=True, db_default='', default='', max_length=64),
        ),
    ]
