import django.db.models.functions.comparison
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Lines can be written while the indexes of a long log are made, which takes a transaction for each."""

    atomic = False

    dependencies = [
        ('judgments', '0043_machines'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='act',
            index=models.Index(condition=models.Q(('by__isnull', False)), fields=['by', 'by_name'], name='act_by_account'),
        ),
        AddIndexConcurrently(
            model_name='act',
            index=models.Index(django.db.models.functions.comparison.Collate('subject', 'C'), condition=models.Q(('document__isnull', True), ('query__isnull', True)), name='act_by_subject'),
        ),
        AddIndexConcurrently(
            model_name='act',
            index=models.Index(condition=models.Q(('document__isnull', True), ('query__isnull', True), models.Q(('before__has_key', 'username'), ('after__has_any_keys', ['username', 'members']), _connector='OR')), fields=['id'], name='act_names_in_fields'),
        ),
    ]
