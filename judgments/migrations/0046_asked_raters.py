"""A pair can require more judgments than its list does. A small integer without a check, which would read every pair."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [('judgments', '0045_erasure_reads_less')]

    operations = [
        migrations.AddField(
            model_name='pair',
            name='least_judgments',
            field=models.SmallIntegerField(db_default=0, default=0, editable=False, help_text='It requires at least so many, whatever its list says: an admin asked another rater.'),
        ),
    ]
