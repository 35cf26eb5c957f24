"""Explains consensus grades from the facts when somebody looks. Only versions store the facts."""

from collections.abc import Sequence
from typing import Any, Final

from judgments.base.sql.copy import rows
from judgments.models.adjudication import Cause
from touchstone_core.grades.consensus import Facts, ModelGrade, explain
from touchstone_core.grades.rules import ConsensusRule, Rule, Tie

# The facts of a `pair`, as one JSON value that `facts_from` reads and versions keep. Excluded raters are counted, too.
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
    """By pair, of any lists and in this order: the grade by the list's rule or another one, and its explanation.

    One statement.
    """
    if not pair_ids:
        return {}
    by_pair = {
        pair_id: explain(facts_from(facts), rule or ConsensusRule(Rule(name), Tie(tie)))
        for pair_id, name, tie, facts in rows(READ, pairs=list(pair_ids), rule=rule.rule if rule else None)
    }
    return {pair_id: by_pair[pair_id] for pair_id in pair_ids if pair_id in by_pair}


def facts_from(columns: Sequence[Any]) -> Facts:
    """Reads the JSON value of FACTS."""
    answers, left_out, decision, cause, *model = columns
    return Facts(
        answers=answers or (),
        left_out=left_out,
        decided=decision,
        cause=Cause(cause).label.lower() if cause else "",
        model=ModelGrade(*model) if model[0] is not None else None,
    )
