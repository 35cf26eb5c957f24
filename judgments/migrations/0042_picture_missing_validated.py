from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('judgments', '0041_picture_missing'),
    ]

    operations = [
        ValidateConstraint(model_name='judgment', name='judgment_reason_known'),
    ]
