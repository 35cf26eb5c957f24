from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    """The next migration validates the constraint, so that judging doesn't wait until every judgment is read."""

    serves_version_before = "the new constraint allows whatever the old one did"

    dependencies = [
        ('judgments', '0040_batches'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='judgment',
            name='judgment_reason_known',
        ),
        migrations.AlterField(
            model_name='judgment',
            name='reason',
            field=models.CharField(blank=True, choices=[('query_unclear', 'The query is unclear'), ('document_missing', 'The document is missing or broken'), ('language', 'A language I don’t read'), ('offensive', 'Offensive'), ('needs_expert', 'Needs an expert'), ('other', 'Another reason'), ('picture_missing', 'The picture doesn’t load')], max_length=20),
        ),
        migrations.AlterField(
            model_name='judgmenthistory',
            name='reason',
            field=models.CharField(blank=True, choices=[('query_unclear', 'The query is unclear'), ('document_missing', 'The document is missing or broken'), ('language', 'A language I don’t read'), ('offensive', 'Offensive'), ('needs_expert', 'Needs an expert'), ('other', 'Another reason'), ('picture_missing', 'The picture doesn’t load')], max_length=20),
        ),
        migrations.AlterField(
            model_name='repeatanswer',
            name='reason',
            field=models.CharField(blank=True, choices=[('query_unclear', 'The query is unclear'), ('document_missing', 'The document is missing or broken'), ('language', 'A language I don’t read'), ('offensive', 'Offensive'), ('needs_expert', 'Needs an expert'), ('other', 'Another reason'), ('picture_missing', 'The picture doesn’t load')], max_length=20),
        ),
        AddConstraintNotValid(
            model_name='judgment',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), ('reason__in', ['query_unclear', 'document_missing', 'language', 'offensive', 'needs_expert', 'other', 'picture_missing']), _connector='OR'), name='judgment_reason_known'),
        ),
    ]
