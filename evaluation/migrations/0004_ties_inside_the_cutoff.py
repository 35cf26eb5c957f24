"""Where ties begin, kept with each ranking, so that "tied inside the cutoff" is answered without unpacking it."""

import numpy as np
import zstandard
from django.db import migrations, models
from django.db.models import Q

BATCH = 2000

# A ranking put in order by the rank column has scores and no ties that matter.
TIED = """
    SELECT ranking.query_set_id, ranking.query_id, ranking.run_id, ranking.scores
    FROM evaluation_ranking ranking JOIN evaluation_run run ON run.id = ranking.run_id
    WHERE ranking.tied AND ranking.scores IS NOT NULL AND run."order" = 'score'
"""
STORE = """
    UPDATE evaluation_ranking ranking SET first_tie = found.first_tie
    FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::int[])
        AS found (query_set_id, query_id, run_id, first_tie)
    WHERE ranking.query_set_id = found.query_set_id
        AND ranking.query_id = found.query_id AND ranking.run_id = found.run_id
"""
COUNT = r"""
    UPDATE evaluation_evaluation evaluation SET ties = (
        SELECT COUNT(*) FROM evaluation_score score
        JOIN evaluation_ranking ranking ON ranking.query_set_id = score.query_set_id
            AND ranking.query_id = score.query_id AND ranking.run_id = evaluation.run_id
        WHERE score.query_set_id = evaluation.query_set_id AND score.evaluation_id = evaluation.id
            AND ranking.first_tie <= substring(evaluation.formula FROM '@(\d+)$')::int
    )
    WHERE evaluation.run_id IN (SELECT run_id FROM evaluation_ranking WHERE first_tie IS NOT NULL)
"""


def find_ties(apps, schema_editor):
    """Unpacks the scores of rankings that are known to hold ties, some at a time."""
    connection = schema_editor.connection
    with connection.chunked_cursor() as tied, connection.cursor() as cursor:
        tied.execute(TIED)
        while rows := tied.fetchmany(BATCH):
            found = [(*key, first) for *key, block in rows if (first := first_tie(block))]
            cursor.execute(STORE, [list(column) for column in zip(*found, strict=True)] or [[]] * 4)
        cursor.execute(COUNT)


def first_tie(block):
    scores = np.frombuffer(zstandard.ZstdDecompressor().decompress(block), dtype="<f8")
    equal = np.flatnonzero(scores[:-1] == scores[1:])
    return int(equal[0]) + 1 if equal.size else None


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0003_averages_and_measures")]

    operations = [
        migrations.AddField("ranking", "first_tie", models.PositiveIntegerField(null=True)),
        migrations.AddField(
            "evaluation",
            "ties",
            models.PositiveIntegerField(
                default=0, help_text="Judged queries in which documents inside the cutoff share their score."
            ),
        ),
        migrations.RunPython(find_ties, migrations.RunPython.noop),
        migrations.AddIndex(
            "ranking",
            models.Index(
                condition=Q(first_tie__isnull=False),
                fields=["run", "first_tie", "query"],
                name="ranking_with_ties",
            ),
        ),
    ]
