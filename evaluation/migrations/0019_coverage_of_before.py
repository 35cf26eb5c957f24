"""Scores with unjudged documents get their coverage when somebody looks at them next; the others are covered whole.

No list has these revisions, so these scores are out of date. Evaluations of one revision would be read as one, so that each
gets a revision of its own. Versions that were scored before sums were exact stay as they are, without coverage: the last digits
of their averages may not change.
"""

from django.db import migrations

MARKED = """
    evaluation.holes > 0 AND evaluation.revision >= 0 AND (
        evaluation.version_id IS NULL
        OR EXISTS (SELECT FROM evaluation_evaluationtotals totals WHERE totals.evaluation_id = evaluation.id)
    )
"""
SCORES = f"""
    UPDATE evaluation_score score SET revision = -2 FROM evaluation_evaluation evaluation
    WHERE evaluation.id = score.evaluation_id AND score.shown > score.judged AND {MARKED}
"""
EVALUATIONS = f"""
    UPDATE evaluation_evaluation evaluation SET revision = id, further_revision = -1 WHERE {MARKED}
"""
COVERED = "UPDATE evaluation_evaluation SET coverage = 1 WHERE holes = 0 AND judged_queries > 0"


class Migration(migrations.Migration):

    dependencies = [("evaluation", "0018_coverage")]

    operations = [
        migrations.RunSQL([SCORES, EVALUATIONS, COVERED], migrations.RunSQL.noop),
    ]
