from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0024_explain_from_facts'),
    ]

    operations = [
        migrations.AddField(
            model_name='upload',
            name='failure',
            field=models.TextField(default=''),
        ),
        migrations.AddField(
            model_name='upload',
            name='requested_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='upload',
            name='result',
            field=models.JSONField(default=dict),
        ),
        migrations.AddConstraint(
            model_name='upload',
            constraint=models.CheckConstraint(condition=models.Q(('applied_at', None), models.Q(('failure', ''), ('requested_at', None)), _connector='OR'), name='upload_imported_waits_for_nothing'),
        ),
    ]
