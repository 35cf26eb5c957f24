"""The grades that a list would have without each of its raters, computed in one pass. Writes nothing."""

from collections.abc import Collection
from typing import Final

import numpy as np

from judgments.base.sql import copy
from judgments.grades.sql.consensus import Changes, floats, ints, model_of
from touchstone_core.grades.consensus import settle
from touchstone_core.grades.rules import ConsensusRule

# Only pairs that one of the raters judged are read, without decided ones, which keep their grade. Judgments of excluded
# raters don't count anyway. Pairs with the same grades from the same raters are grouped, as in `consensus`.
GROUPS: Final = """
WITH judged AS MATERIALIZED (
    SELECT pair_id, array_agg(rater_id ORDER BY value, rater_id) AS raters,
           array_agg(value ORDER BY value, rater_id) AS answers
    FROM judgments_countingjudgment
    WHERE judgment_list_id = %(list)s
    GROUP BY pair_id HAVING array_agg(rater_id) && %(raters)s::bigint[]
)
SELECT judged.raters, judged.answers, string_agg(int8send(pair.id), ''), string_agg(int8send(pair.query_id), ''),
       string_agg(int8send(pair.document_id), ''), string_agg(float8send(coalesce(known.value, 'NaN')), ''),
       string_agg(float8send({model}), '')
FROM judged
JOIN judgments_pair pair ON pair.id = judged.pair_id
LEFT JOIN judgments_consensusgrade known ON known.pair_id = pair.id
{models}
WHERE NOT EXISTS (
    SELECT FROM judgments_adjudication decided WHERE decided.pair_id = pair.id AND decided.withdrawn_at IS NULL
)
GROUP BY judged.raters, judged.answers
"""


def grades_without_each(list_id: int, rater_ids: Collection[int], rule: ConsensusRule) -> dict[int, Changes]:
    """By rater. One statement. If the rule uses a model, its grades stay the same: it isn't fitted again without the rater."""
    statement = GROUPS.format(**model_of(rule))
    groups = copy.rows(statement, list=list_id, raters=list(rater_ids), rule=rule.rule)
    remaining = sorted(
        (rater, number, [*answers[:place], *answers[place + 1 :]])
        for number, (raters, answers, *_) in enumerate(groups)
        for place, rater in enumerate(raters)
        if rater in rater_ids
    )
    sizes = np.array([len(group[2]) // 8 for group in groups], dtype=np.int64)
    number = np.array([number for _, number, _ in remaining], dtype=np.int64)
    each = sizes[number]
    within = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    rows = np.repeat((np.cumsum(sizes) - sizes)[number], each) + within
    pairs, queries, documents = (ints(group[place] for group in groups)[rows] for place in (2, 3, 4))
    was, model = (floats(group[place] for group in groups)[rows] for place in (5, 6))
    nothing = np.full(len(rows), np.nan)
    values = settle([answers for *_, answers in remaining], each, rule, model=model, decided=nothing).values
    changes = Changes(pairs, queries, documents, was, values, np.repeat(number, each))
    of_rater = np.repeat(np.array([rater for rater, *_ in remaining], dtype=np.int64), each)
    return {rater: changes.at(np.flatnonzero(of_rater == rater)).real() for rater in rater_ids}
