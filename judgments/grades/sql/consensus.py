"""Consensus grades: what they would be by the rule, and writing those that differ. Looking ahead is the same without writing.

The database puts pairs with the same answers together and packs their columns into byte strings, so that each combination
of answers is settled once, and no pair becomes an object: of a million pairs with four grades most are alike.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from touchstone_core.grades.consensus import ConsensusRule, Floats, Ints, grades_among, settle, spread

CHUNK: Final = 20_000

# What the judgments of a pair are worth is gathered first, whole: joined row by row, it is gathered again by every process
# that helps.
GATHERED: Final = """(
    WITH gathered AS MATERIALIZED (
        SELECT judgment.pair_id, array_agg(judgment.value ORDER BY judgment.value) AS answers
        FROM judgments_countingjudgment judgment WHERE judgment.judgment_list_id = %(list)s AND {pairs}
        GROUP BY judgment.pair_id
    )
    SELECT * FROM gathered
)"""
# Pair by pair, whatever the planner believes of tables that were filled a moment ago.
PAIR_BY_PAIR: Final = """LATERAL (
    SELECT judgment.pair_id, array_agg(judgment.value ORDER BY judgment.value) AS answers
    FROM judgments_countingjudgment judgment WHERE judgment.pair_id = pair.id GROUP BY judgment.pair_id
)"""
_OF_RATER: Final = "{} IN (SELECT pair_id FROM judgments_judgment WHERE judgment_list_id = %(list)s AND rater_id = %(rater)s)"
WHOLE_LIST: Final = {"judged": GATHERED.format(pairs="true"), "pairs": "true"}
OF_RATER: Final = {
    "judged": GATHERED.format(pairs=_OF_RATER.format("judgment.pair_id")),
    "pairs": _OF_RATER.format("pair.id"),
}
OF_PAIRS: Final = {"judged": PAIR_BY_PAIR, "pairs": "pair.id = ANY(%(pairs)s::bigint[])"}

# All aggregates of a group see its pairs in one order, so that the columns belong together. What is stored follows from the
# answers, so that it makes hardly any more groups.
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
LEFT JOIN {judged} judged ON judged.pair_id = pair.id
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
    """Grades that would be other ones, each (N,), in the order of the pairs; NaN where there is none, before or after."""

    pairs: Ints
    queries: Ints
    documents: Ints
    was: Floats
    values: Floats
    alike: Ints
    """Pairs with the same answers have the same number."""

    def real(self) -> "Changes":
        """Without those that are none, by pair."""
        rows = np.flatnonzero(differ(self.values, self.was))
        return self.at(rows[np.argsort(self.pairs[rows])])

    def at(self, rows: Ints) -> "Changes":
        """Those in these places."""
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
    def gained(self) -> dict[int, int]:
        """How many more grades each query has of which some changed. Scores depend on the value alone, so only that counts."""
        queries, place = np.unique(self.queries, return_inverse=True)
        more = np.bincount(place, np.isnan(self.was) * 1.0 - np.isnan(self.values), len(queries))
        return dict(zip(queries.tolist(), more.astype(np.int64).tolist(), strict=True))

    def examples(self, most: int) -> list[int]:
        """The pairs that were added first, no two of which have the same answers."""
        order = np.argsort(self.pairs)
        _, first = np.unique(self.alike[order], return_index=True)
        return [int(pair) for pair in self.pairs[order[np.sort(first)[:most]]]]


@dataclass(frozen=True, slots=True, eq=False)
class Refreshed:
    """The `changes` of value, and the rows that are to be written or `removed` for any reason."""

    changes: Changes
    rows: dict[str, list[Any]]
    removed: list[int]


def look_ahead(*, list_id: int, rule: ConsensusRule, rater_id: int | None = None) -> Changes:
    """What `refresh` would change in value, of the whole list or of the pairs that a rater judged. Writes nothing."""
    return _read(list_id, rule, WHOLE_LIST if rater_id is None else OF_RATER, rater=rater_id).changes


def refresh(
    *,
    list_id: int,
    rule: ConsensusRule,
    pair_ids: Sequence[int] | None = None,
    rater_id: int | None = None,
    gained: dict[int, int] | None = None,
) -> int:
    """Brings consensus grades up to date: of these pairs, of those that a rater judged, or of the whole list.

    The number that changed in value. With `gained` the rows of queries, which every rater needs, are left for later, when
    `tell_queries` writes them from what was added to it.
    """
    changed = 0
    for refreshed in _refreshed(list_id, rule, pair_ids, rater_id):
        told = refreshed.changes.gained
        if gained is not None:
            gained |= {query: gained.get(query, 0) + more for query, more in told.items()}
            told = {}
        _write(refreshed, _queries(list_id, told))
        changed += refreshed.changes.total
    return changed


def tell_queries(*, list_id: int, gained: Mapping[int, int]) -> None:
    """Tells queries that grades of theirs changed, and how many more of them have one."""
    with connection.cursor() as cursor:
        cursor.execute(TELL_QUERIES, _queries(list_id, gained))


def model_of(rule: ConsensusRule) -> dict[str, str]:
    """What a statement needs to read what the rule's model says of a pair, NaN where it says nothing."""
    if rule.has_model:
        return {"models": MODELS, "model": "coalesce(model.value, 'NaN')"}
    return {"models": "", "model": "'NaN'::float8"}


def differ(some: Floats, others: Floats) -> NDArray[np.bool_]:
    """Where two columns differ; NaN is the same as NaN."""
    found: NDArray[np.bool_] = (some != others) & ~(np.isnan(some) & np.isnan(others))
    return found


def ints(parts: Iterable[bytes]) -> Ints:
    """Numbers that int8send has packed."""
    return np.frombuffer(b"".join(parts), dtype=">i8").astype(np.int64)


def floats(parts: Iterable[bytes]) -> Floats:
    """Numbers that float8send has packed."""
    return np.frombuffer(b"".join(parts), dtype=">f8").astype(np.float64)


def _refreshed(
    list_id: int, rule: ConsensusRule, pair_ids: Sequence[int] | None, rater_id: int | None
) -> Iterator[Refreshed]:
    if pair_ids is None:
        yield _read(list_id, rule, WHOLE_LIST if rater_id is None else OF_RATER, rater=rater_id)
        return
    for start in range(0, len(pair_ids), CHUNK):
        yield _read(list_id, rule, OF_PAIRS, pairs=list(pair_ids[start : start + CHUNK]))


def _read(list_id: int, rule: ConsensusRule, which: Mapping[str, str], **given: Any) -> Refreshed:
    """One statement, which reads every judgment of these pairs once."""
    with connection.cursor() as cursor:
        cursor.execute(READ.format(**which, **model_of(rule)), given | {"list": list_id, "rule": rule.name})
        groups = cursor.fetchall()
    answers = [group[0] for group in groups]
    sizes = np.array([len(group[6]) // 8 for group in groups], dtype=np.int64)
    pairs, queries, documents = (ints(group[place] for group in groups) for place in (6, 7, 8))
    was, decided, model = (floats(group[place] for group in groups) for place in (9, 10, 11))
    settled = settle(answers, sizes, rule, model=model, decided=decided)
    counts = [(len(grades_among(each)), len(each)) for each in answers]
    spreads = [spread(each, kinds=group[1]) for each, group in zip(answers, groups, strict=True)]
    same = [
        (*count, apart) == group[2:5] for count, apart, group in zip(counts, spreads, groups, strict=True)
    ]
    number = np.repeat(np.arange(len(groups)), sizes)
    there = np.array([bool(each) for each in answers], dtype=np.bool_)[number] | ~np.isnan(decided)
    known = np.array([group[2] is not None for group in groups], dtype=np.bool_)[number]
    waiting = np.array([bool(group[5]) for group in groups], dtype=np.bool_)[number]
    as_stored = np.array(same, dtype=np.bool_)[number] & (settled.undecided == waiting)
    other = np.where(there, ~as_stored, known)
    rows = np.flatnonzero(other | differ(settled.values, was))
    removed, written = rows[~there[rows]], rows[there[rows]]
    return Refreshed(
        Changes(pairs, queries, documents, was, settled.values, number).real(),
        {
            "pairs": pairs[written].tolist(),
            "values": _nullable(settled.values[written]),
            "judgments": [counts[one][0] for one in number[written].tolist()],
            "undecided": settled.undecided[written].tolist(),
            "spreads": [spreads[one] for one in number[written].tolist()],
            "answers": [counts[one][1] for one in number[written].tolist()],
        },
        pairs[removed].tolist(),
    )


def _nullable(values: Floats) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


def _write(refreshed: Refreshed, told: dict[str, Any]) -> None:
    """The first part in one message to the server with all else that there is to do, which mostly is everything."""
    rows = refreshed.rows
    for start in range(0, max(1, len(rows["pairs"])), CHUNK):
        part = {name: column[start : start + CHUNK] for name, column in rows.items()}
        statements = [WRITE] if part["pairs"] else []
        if not start:
            statements += [REMOVE] if refreshed.removed else []
            statements += [TELL_QUERIES] if told["queries"] else []
        if statements:
            with connection.cursor() as cursor:
                cursor.execute(";".join(statements), part | told | {"removed": refreshed.removed})


def _queries(list_id: int, gained: Mapping[int, int]) -> dict[str, Any]:
    return {"list": list_id, "queries": list(gained), "more": list(gained.values())}
