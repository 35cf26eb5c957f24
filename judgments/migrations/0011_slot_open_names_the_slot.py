"""The next query with an open slot is found in the index alone."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0010_skip_by_pair'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='slot',
            name='slot_open',
        ),
        migrations.AddIndex(
            model_name='slot',
            index=models.Index(condition=models.Q(('state', 'open'), ('surplus', False)), fields=['judgment_list', 'query_position', 'lease_until'], include=('pair', 'priority', 'id'), name='slot_open'),
        ),
    ]
