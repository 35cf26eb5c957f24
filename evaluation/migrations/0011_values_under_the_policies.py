"""What each query is worth under the policies of its formula stands with its score: NDCGs, losses and judged@k."""

from django.db import migrations, models

IDEALS = ("local", "recall", "global", "max")
STEPS = {
    "lost_order": "ideal_local - dcg",
    "lost_depth": "ideal_recall - ideal_local",
    "lost_recall": "ideal_global - ideal_recall",
    "lost_content": "ideal_max - ideal_global",
}

COUNTED = "(retrieved IS NOT NULL OR NOT skips_missing)"


def ndcg(ideal):
    return f"""
        ndcg_{ideal} = CASE WHEN NOT {COUNTED} THEN NULL
        WHEN ideal_{ideal} > 0 THEN dcg / ideal_{ideal}
        WHEN retrieved IS NULL AND (undefined IS NOT NULL OR ideal_global > 0) THEN 0
        ELSE undefined END
    """


# A formula's text names the policies that differ from 0; `undefined` is what a query counts whose ideal is 0.
FILL = f"""
    UPDATE evaluation_score score
    SET {", ".join(map(ndcg, IDEALS))},
        {", ".join(f"{loss} = CASE WHEN {COUNTED} THEN {step} END" for loss, step in STEPS.items())},
        judged_at_k = CASE WHEN {COUNTED} THEN COALESCE(judged::float8 / NULLIF(shown, 0), 0) END,
        dcg = CASE WHEN {COUNTED} THEN dcg END
    FROM (
        SELECT id, strpos(formula, 'missing=''skip''') > 0 AS skips_missing,
            CASE WHEN strpos(formula, 'zero=''skip''') > 0 THEN NULL
            WHEN strpos(formula, 'zero=1') > 0 THEN 1 ELSE 0 END::float8 AS undefined
        FROM evaluation_evaluation
    ) evaluation
    WHERE evaluation.id = score.evaluation_id
"""
BEFORE = "UPDATE evaluation_score SET dcg = 0 WHERE dcg IS NULL"


class Migration(migrations.Migration):

    dependencies = [("evaluation", "0010_intents"), ("judgments", "0021_agreement_results")]

    operations = [
        *(
            migrations.AddField("score", name, models.FloatField(null=True))
            for name in (*(f"ndcg_{ideal}" for ideal in IDEALS), *STEPS, "judged_at_k")
        ),
        migrations.AlterField("score", "dcg", models.FloatField(null=True)),
        migrations.RunSQL(FILL, BEFORE),
        migrations.AddConstraint(
            "score",
            models.CheckConstraint(
                condition=models.Q(*((f"ndcg_{ideal}__range", (0, 1.000000001)) for ideal in IDEALS)),
                name="score_ndcg_is_a_share",
            ),
        ),
    ]
