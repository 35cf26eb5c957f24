from django.db import migrations, models

# In the order in which requests use them: without it, each could wait for the other.
IN_ORDER = "LOCK TABLE evaluation_evaluation, evaluation_score IN ACCESS EXCLUSIVE MODE"


class Migration(migrations.Migration):

    dependencies = [("evaluation", "0017_contests")]

    operations = [
        migrations.RunSQL(IN_ORDER, migrations.RunSQL.noop),
        migrations.AddField(
            model_name="evaluation",
            name="coverage",
            field=models.FloatField(
                help_text="The mean over the judged queries that averages count. Empty if that of a query isn't known.", null=True
            ),
        ),
        migrations.AddField(
            model_name="score",
            name="coverage",
            field=models.FloatField(
                help_text="The share of the page's discounts that no judgment can change. Empty where it was scored before there was one.",
                null=True,
            ),
        ),
    ]
