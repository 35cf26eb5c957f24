"""Scores with unjudged documents get their coverage when somebody looks at them next; the others are covered whole.

No list has these revisions, so these scores are out of date. Evaluations of one revision would be read as one, so that each
gets a revision of its own.
"""

from django.db import migrations

SCORES = "UPDATE evaluation_score SET revision = -2 WHERE shown > judged"
EVALUATIONS = """
    UPDATE evaluation_evaluation SET revision = id, further_revision = -1 WHERE holes > 0 AND revision >= 0
"""
COVERED = "UPDATE evaluation_evaluation SET coverage = 1 WHERE holes = 0 AND judged_queries > 0"


class Migration(migrations.Migration):

    dependencies = [("evaluation", "0018_coverage")]

    operations = [
        migrations.RunSQL([SCORES, EVALUATIONS, COVERED], migrations.RunSQL.noop),
    ]
