"""How consensus grades came to be, made from the facts when somebody looks. Nothing of it is stored but in versions."""

from collections.abc import Sequence
from typing import Any, Final

from django.db import connection

from judgments.models.adjudication import Cause
from touchstone_core.grades.consensus import ConsensusRule, Facts, ModelGrade, explain

# The facts of a `pair`, as one JSON value that `facts_from` reads; versions keep it. Excluded raters are counted, too.
FACTS: Final = """json_build_array(
    judged.answers, coalesce(judged.left_out, 0), decided.value, decided.cause,
    model.value, model.likeliest, model.certainty, model.labels
)"""
JOINED_FACTS: Final = """
JOIN judgments_judgmentlist list ON list.id = pair.judgment_list_id
LEFT JOIN LATERAL (
    SELECT array_agg(value ORDER BY value) FILTER (WHERE NOT excluded) AS answers,
           count(*) FILTER (WHERE excluded) AS left_out
    FROM judgments_realjudgment judgment WHERE judgment.pair_id = pair.id
) judged ON true
LEFT JOIN judgments_adjudication decided ON decided.pair_id = pair.id AND decided.withdrawn_at IS NULL
LEFT JOIN judgments_modelfit fit ON fit.judgment_list_id = list.id AND fit.rule = coalesce(%(rule)s, list.rule)
LEFT JOIN judgments_modelgrade model ON model.fit_id = fit.id AND model.pair_id = pair.id
"""
READ: Final = f"""
SELECT pair.id, list.rule, list.tie, {FACTS}
FROM judgments_pair pair {JOINED_FACTS}
WHERE pair.id = ANY(%(pairs)s::bigint[])
"""  # noqa: S608 -- joined from constants


def explanations(
    pair_ids: Sequence[int], rule: ConsensusRule | None = None
) -> dict[int, tuple[float | None, str]]:
    """By pair, of whichever lists and in this order: the grade that the facts make, by the list's rule or another one, and how.

    One statement.
    """
    if not pair_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(READ, {"pairs": list(pair_ids), "rule": rule.name if rule else None})
        found = {
            pair_id: explain(facts_from(facts), rule or ConsensusRule(name, tie))
            for pair_id, name, tie, facts in cursor.fetchall()
        }
    return {pair_id: found[pair_id] for pair_id in pair_ids if pair_id in found}


def facts_from(told: Sequence[Any]) -> Facts:
    """Reads what FACTS makes."""
    answers, left_out, decided, cause, *model = told
    return Facts(
        answers=answers or (),
        left_out=left_out,
        decided=decided,
        cause=Cause(cause).label.lower() if cause else "",
        model=ModelGrade(*model) if model[0] is not None else None,
    )
