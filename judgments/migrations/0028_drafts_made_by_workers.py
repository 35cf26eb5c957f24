from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0027_help_of_lists'),
    ]

    operations = [
        migrations.AddField(
            model_name='draft',
            name='requested_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='draft',
            name='failure',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
    ]
