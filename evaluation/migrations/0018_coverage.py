from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("evaluation", "0017_contests")]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="coverage",
            field=models.FloatField(
                help_text="The mean over the judged queries. Empty if that of a query isn't known.", null=True
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
