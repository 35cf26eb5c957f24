"""Computes consensus grades by a rule and writes those that differ. A preview is the same without writing.

The database groups pairs with the same answers and packs their columns into byte strings, so that each combination of
answers is settled once, and no pair becomes an object: of a million pairs with four grades most are alike.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from judgments.base.sql.copy import rows, run
from touchstone_core.grades.consensus import Floats, Ints, grades_among, settle, spread
from touchstone_core.grades.rules import ConsensusRule
from touchstone_core.metrics.averages import none_for_nan

CHUNK: Final = 20_000

WHOLE_LIST: Final = "true"
# An array, not a subquery, which a planner that doesn't know the list yet may read once for each pair.
OF_RATER: Final = """pair.id = ANY(ARRAY(
    SELECT pair_id FROM judgments_judgment WHERE judgment_list_id = %(list)s AND rater_id = %(rater)s
))"""
OF_PAIRS: Final = "pair.id = ANY(%(pairs)s::bigint[])"

# All aggregates of a group see its pairs in one order, so that the columns match. The stored columns follow from the
# answers, so that they hardly make more groups. Answers are gathered pair by pair, whatever the planner assumes about a list
# that was filled a moment ago: gathered at once, it may look through all of them for each pair.
READ: Final = """
SELECT coalesce(judged.answers, '{{}}'), (
           SELECT scale.level = 'nominal' FROM judgments_judgmentlist list JOIN judgments_scale scale ON scale.id = list.scale_id
           WHERE list.id = %(list)s
       ),
       known.judgments, known.answers, known.spread, known.undecided,
       string_agg(int8send(pair.id), ''), string_agg(int8send(pair.query_id), ''), string_agg(int8send(pair.document_id), ''),
       string_agg(float8send(coalesce(known.value, 'NaN')), ''), string_agg(float8send(coalesce(decided.value, 'NaN')), ''),
       string_agg(float8send({model}), '')
FROM judgments_pair pair
CROSS JOIN LATERAL (
    SELECT array_agg(judgment.value ORDER BY judgment.value) AS answers
    FROM judgments_countingjudgment judgment WHERE judgment.pair_id = pair.id
) judged
LEFT JOIN judgments_adjudication decided ON decided.pair_id = pair.id AND decided.withdrawn_at IS NULL
LEFT JOIN judgments_consensusgrade known ON known.pair_id = pair.id
{models}
WHERE pair.judgment_list_id = %(list)s AND {pairs}
GROUP BY judged.answers, known.judgments, known.answers, known.spread, known.undecided
"""
MODELS: Final = """
LEFT JOIN judgments_modelgrade model ON model.pair_id = pair.id AND model.fit_id = (
    SELECT id FROM judgments_modelfit WHERE judgment_list_id = %(list)s AND rule = %(rule)s
)
"""

WRITE: Final = """
INSERT INTO judgments_consensusgrade (pair_id, query_set_id, judgment_list_id, query_id, document_id,
                                      value, judgments, undecided, spread, answers)
SELECT pair.id, pair.query_set_id, pair.judgment_list_id, pair.query_id, pair.document_id,
       fresh.value, fresh.judgments, fresh.undecided, fresh.spread, fresh.answers
FROM unnest(%(pairs)s::bigint[], %(values)s::float8[], %(judgments)s::int[], %(undecided)s::bool[],
            %(spreads)s::float8[], %(answers)s::int[])
    AS fresh (pair_id, value, judgments, undecided, spread, answers)
JOIN judgments_pair pair ON pair.id = fresh.pair_id
ON CONFLICT (pair_id) DO UPDATE SET value = EXCLUDED.value, judgments = EXCLUDED.judgments,
    undecided = EXCLUDED.undecided, spread = EXCLUDED.spread, answers = EXCLUDED.answers
"""

REMOVE: Final = "DELETE FROM judgments_consensusgrade WHERE pair_id = ANY(%(removed)s::bigint[])"

TELL_QUERIES: Final = """
UPDATE judgments_listquery list_query
SET revision = list_query.revision + 1, graded_count = list_query.graded_count + changed.more
FROM unnest(%(queries)s::bigint[], %(more)s::int[]) AS changed (query_id, more)
WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id = changed.query_id
"""


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Grades that change, each (N,), in the order of the pairs; NaN for no grade, before or after."""

    pairs: Ints
    queries: Ints
    documents: Ints
    was: Floats
    values: Floats
    alike: Ints
    """Pairs with the same answers have the same number."""

    def real(self) -> "Changes":
        """Only those whose grade differs, ordered by pair."""
        rows = np.flatnonzero(differ(self.values, self.was))
        return self.at(rows[np.argsort(self.pairs[rows])])

    def at(self, rows: Ints) -> "Changes":
        """Those at these positions."""
        return Changes(*(getattr(self, column.name)[rows] for column in fields(self)))

    @property
    def total(self) -> int:
        return len(self.pairs)

    @property
    def added(self) -> int:
        return int(np.isnan(self.was).sum())

    @property
    def removed(self) -> int:
        return int(np.isnan(self.values).sum())

    @property
    def changed(self) -> int:
        return self.total - self.added - self.removed

    @property
    def query_count(self) -> int:
        return len(np.unique(self.queries))

    @property
    def count_changes(self) -> dict[int, int]:
        """By query with a changed grade, how many more grades it has. Scores depend only on the values."""
        queries, index = np.unique(self.queries, return_inverse=True)
        more = np.bincount(index, np.isnan(self.was) * 1.0 - np.isnan(self.values), len(queries))
        return dict(zip(queries.tolist(), more.astype(np.int64).tolist(), strict=True))

    def examples(self, most: int) -> list[int]:
        """The oldest pairs, no two of which have the same answers."""
        order = np.argsort(self.pairs)
        _, first = np.unique(self.alike[order], return_index=True)
        return [int(pair) for pair in self.pairs[order[np.sort(first)[:most]]]]


@dataclass(frozen=True, slots=True, eq=False)
class Refresh:
    """The `changes` of value, and for any reason the rows to write and the pairs whose rows to remove."""

    changes: Changes
    rows: dict[str, list[Any]]
    pairs_to_remove: list[int]


def look_ahead(*, list_id: int, rule: ConsensusRule, rater_id: int | None = None) -> Changes:
    """The grades that `refresh` would change, of the whole list or of the pairs that a rater judged. Writes nothing."""
    return _read(list_id, rule, WHOLE_LIST if rater_id is None else OF_RATER, rater=rater_id).changes


def refresh(
    *,
    list_id: int,
    rule: ConsensusRule,
    pair_ids: Sequence[int] | None = None,
    rater_id: int | None = None,
    count_changes: dict[int, int] | None = None,
) -> int:
    """Brings consensus grades up to date: of these pairs, of those that a rater judged, or of the whole list.

    Returns how many changed in value. With `count_changes` the rows of queries, which every rater needs, are written
    later: `tell_queries` writes them from the counts that are added to it.
    """
    total = 0
    for part in _read_parts(list_id, rule, pair_ids, rater_id):
        counts = part.changes.count_changes
        if count_changes is not None:
            count_changes |= {query: count_changes.get(query, 0) + more for query, more in counts.items()}
            counts = {}
        _write(part, _queries(list_id, counts))
        total += part.changes.total
    return total


def tell_queries(*, list_id: int, count_changes: Mapping[int, int]) -> None:
    """Raises the revisions of queries whose grades changed, and adds to their counts of grades."""
    run(TELL_QUERIES, **_queries(list_id, count_changes))


def model_of(rule: ConsensusRule) -> dict[str, str]:
    """The parts of a statement that read the model's grade of a pair, NaN if there is none."""
    if rule.has_model:
        return {"models": MODELS, "model": "coalesce(model.value, 'NaN')"}
    return {"models": "", "model": "'NaN'::float8"}


def differ(some: Floats, others: Floats) -> NDArray[np.bool_]:
    """Where two columns differ; NaN is the same as NaN."""
    differences: NDArray[np.bool_] = (some != others) & ~(np.isnan(some) & np.isnan(others))
    return differences


def ints(parts: Iterable[bytes]) -> Ints:
    """Numbers packed by int8send."""
    return np.frombuffer(b"".join(parts), dtype=">i8").astype(np.int64)


def floats(parts: Iterable[bytes]) -> Floats:
    """Numbers packed by float8send."""
    return np.frombuffer(b"".join(parts), dtype=">f8").astype(np.float64)


def _read_parts(
    list_id: int, rule: ConsensusRule, pair_ids: Sequence[int] | None, rater_id: int | None
) -> Iterator[Refresh]:
    if pair_ids is None:
        yield _read(list_id, rule, WHOLE_LIST if rater_id is None else OF_RATER, rater=rater_id)
        return
    for start in range(0, len(pair_ids), CHUNK):
        yield _read(list_id, rule, OF_PAIRS, pairs=list(pair_ids[start : start + CHUNK]))


def _read(list_id: int, rule: ConsensusRule, which: str, **parameters: Any) -> Refresh:
    """One statement, which reads every judgment of these pairs once."""
    groups = rows(READ.format(pairs=which, **model_of(rule)), list=list_id, rule=rule.rule, **parameters)
    answers = [group[0] for group in groups]
    sizes = np.array([len(group[6]) // 8 for group in groups], dtype=np.int64)
    pairs, queries, documents = (ints(group[column] for group in groups) for column in (6, 7, 8))
    was, decisions, model = (floats(group[column] for group in groups) for column in (9, 10, 11))
    grades = settle(answers, sizes, rule, model=model, decided=decisions)
    counts = [(len(grades_among(each)), len(each)) for each in answers]
    spreads = [spread(each, kinds=group[1]) for each, group in zip(answers, groups, strict=True)]
    same = [
        (*count, apart) == group[2:5] for count, apart, group in zip(counts, spreads, groups, strict=True)
    ]
    number = np.repeat(np.arange(len(groups)), sizes)
    has_grade = np.array([bool(each) for each in answers], dtype=np.bool_)[number] | ~np.isnan(decisions)
    has_row = np.array([group[2] is not None for group in groups], dtype=np.bool_)[number]
    was_undecided = np.array([bool(group[5]) for group in groups], dtype=np.bool_)[number]
    as_stored = np.array(same, dtype=np.bool_)[number] & (grades.undecided == was_undecided)
    outdated = np.where(has_grade, ~as_stored, has_row)
    to_change = np.flatnonzero(outdated | differ(grades.values, was))
    to_remove, to_write = to_change[~has_grade[to_change]], to_change[has_grade[to_change]]
    return Refresh(
        Changes(pairs, queries, documents, was, grades.values, number).real(),
        {
            "pairs": pairs[to_write].tolist(),
            "values": none_for_nan(grades.values[to_write]),
            "judgments": [counts[group][0] for group in number[to_write].tolist()],
            "undecided": grades.undecided[to_write].tolist(),
            "spreads": [spreads[group] for group in number[to_write].tolist()],
            "answers": [counts[group][1] for group in number[to_write].tolist()],
        },
        pairs[to_remove].tolist(),
    )


def _write(refresh: Refresh, queries: dict[str, Any]) -> None:
    """Writes the first chunk in one message with everything else. Most often there is no other chunk."""
    for start in range(0, max(1, len(refresh.rows["pairs"])), CHUNK):
        chunk = {name: column[start : start + CHUNK] for name, column in refresh.rows.items()}
        statements = [WRITE] if chunk["pairs"] else []
        if not start:
            statements += [REMOVE] if refresh.pairs_to_remove else []
            statements += [TELL_QUERIES] if queries["queries"] else []
        if statements:
            run(";".join(statements), **chunk, **queries, removed=refresh.pairs_to_remove)


def _queries(list_id: int, count_changes: Mapping[int, int]) -> dict[str, Any]:
    return {"list": list_id, "queries": list(count_changes), "more": list(count_changes.values())}
