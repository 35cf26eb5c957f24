from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0012_runs_as_people_keep_them'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='being_deleted',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='A worker deletes it, and nobody reaches it.'),
        ),
    ]
