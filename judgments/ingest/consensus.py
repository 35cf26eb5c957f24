"""Consensus grades: reads judgments in chunks, writes what differs, and tells the queries that something changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection

from judgments.consensus import Consensus, Modelled, Rule, Tie, adjudicated, consensus, spread
from judgments.models.adjudication import Cause
from judgments.words import counted

CHUNK = 20_000
HOW_LENGTH = 300
ONLY_CANNOT_JUDGE = Consensus(None, "only “cannot judge”")
ONLY_LEFT_OUT = Consensus(None, "only judgments of excluded raters")

READ = """
SELECT pair.id, pair.query_id, pair.document_id, judged.judgments, judged.left_out, judged.grades,
       decided.value, coalesce(decided.cause, ''), (
           SELECT scale.level = 'nominal' FROM judgments_judgmentlist list JOIN judgments_scale scale ON scale.id = list.scale_id
           WHERE list.id = %(list)s
       ), model.value, model.likeliest, model.certainty, model.labels,
       known.pair_id IS NOT NULL, known.value, known.judgments, known.undecided, known.how,
       known.spread, known.answers
FROM judgments_pair pair
LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE NOT excluded) AS judgments, count(*) FILTER (WHERE excluded) AS left_out,
           coalesce(array_agg(value ORDER BY value) FILTER (WHERE value IS NOT NULL AND NOT excluded), '{}') AS grades
    FROM (
        SELECT value, rater_id = ANY (ARRAY(
            SELECT rater_id FROM judgments_exclusion WHERE judgment_list_id = %(list)s AND lifted_at IS NULL
              AND rater_id IS DISTINCT FROM %(included)s::bigint
            UNION ALL SELECT %(excluded)s::bigint WHERE %(excluded)s::bigint IS NOT NULL
        )) AS excluded
        FROM judgments_judgment judgment WHERE judgment.pair_id = pair.id AND judgment.gold <> 'practice'
    ) judgment
) judged ON true
LEFT JOIN judgments_adjudication decided ON decided.pair_id = pair.id AND decided.withdrawn_at IS NULL
LEFT JOIN judgments_modelgrade model ON model.pair_id = pair.id AND model.fit_id = (
    SELECT id FROM judgments_modelfit WHERE judgment_list_id = %(list)s AND rule = %(rule)s
)
LEFT JOIN judgments_consensusgrade known ON known.pair_id = pair.id
WHERE pair.judgment_list_id = %(list)s AND pair.id = ANY(%(pairs)s::bigint[])
"""

WRITE = """
INSERT INTO judgments_consensusgrade (pair_id, query_set_id, judgment_list_id, query_id, document_id,
                                      value, judgments, undecided, how, spread, answers)
SELECT pair.id, pair.query_set_id, pair.judgment_list_id, pair.query_id, pair.document_id,
       fresh.value, fresh.judgments, fresh.undecided, fresh.how, fresh.spread, fresh.answers
FROM unnest(%(pairs)s::bigint[], %(values)s::float8[], %(judgments)s::int[], %(undecided)s::bool[], %(how)s::text[],
            %(spread)s::float8[], %(answers)s::int[])
    AS fresh (pair_id, value, judgments, undecided, how, spread, answers)
JOIN judgments_pair pair ON pair.id = fresh.pair_id
ON CONFLICT (pair_id) DO UPDATE SET value = EXCLUDED.value, judgments = EXCLUDED.judgments,
    undecided = EXCLUDED.undecided, how = EXCLUDED.how, spread = EXCLUDED.spread, answers = EXCLUDED.answers
"""

REMOVE = "DELETE FROM judgments_consensusgrade WHERE pair_id = ANY(%(removed)s::bigint[])"

TELL_QUERIES = """
UPDATE judgments_listquery list_query
SET revision = list_query.revision + 1, graded_count = list_query.graded_count + changed.more
FROM unnest(%(queries)s::bigint[], %(more)s::int[]) AS changed (query_id, more)
WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id = changed.query_id
"""

NEXT_PAIRS = """
SELECT coalesce(array_agg(id), '{}') FROM (
    SELECT pair.id FROM judgments_pair pair
    WHERE pair.judgment_list_id = %(list)s AND pair.id > %(after)s
    ORDER BY pair.id LIMIT %(limit)s
) chunk
"""


class Basis(NamedTuple):
    """What the grade of a pair is made of: grades in their order, judgments of excluded raters, an admin's decision.

    `judgments` counts “cannot judge” too. `kinds`: the grades have no order. `model` is what the model of the rule
    says, if it has one.
    """

    judgments: int
    left_out: int
    grades: tuple[float, ...]
    decided: float | None
    cause: str
    kinds: bool
    model: Modelled | None

    @property
    def spread(self) -> float | None:
        return spread(self.grades, cannot=self.judgments - len(self.grades), kinds=self.kinds)


@dataclass(frozen=True, slots=True)
class Trial:
    """A rater who is taken as excluded, or as included, though the list says otherwise; for looking ahead."""

    excluded: int | None = None
    included: int | None = None


NO_TRIAL = Trial()


@dataclass(frozen=True, slots=True)
class Fresh:
    """What a pair's consensus grade should be. `found` is None where the pair has no judgment (any more)."""

    pair_id: int
    query_id: int
    document_id: int
    basis: Basis
    found: Consensus | None
    was: float | None

    @property
    def value(self) -> float | None:
        return self.found.value if self.found else None


class Settler:
    """Makes grades under one rule; each combination once: of a million pairs with four grades most are alike.

    What a model says is different for nearly every pair, and is not kept.
    """

    def __init__(self, rule: Rule, tie: Tie) -> None:
        self.rule, self._tie = rule, tie
        self._memory: dict[Basis, Consensus | None] = {}

    def __call__(self, basis: Basis) -> Consensus | None:
        if basis.model:
            return self._told(basis)
        if basis not in self._memory:
            self._memory[basis] = self._told(basis)
        return self._memory[basis]

    def _told(self, basis: Basis) -> Consensus | None:
        found = self._settle(basis)
        return found and Consensus(found.value, _shortened(found.how), found.undecided)

    def _settle(self, basis: Basis) -> Consensus | None:
        if basis.decided is not None:
            return adjudicated(basis.grades, basis.decided, Cause(basis.cause).label.lower())
        if not (basis.judgments or basis.left_out):
            return None
        if not basis.judgments:
            return ONLY_LEFT_OUT
        if not basis.grades:
            return ONLY_CANNOT_JUDGE
        found = consensus(basis.grades, rule=self.rule, tie=self._tie, model=basis.model)
        if not basis.left_out:
            return found
        how = f"{found.how}; without {counted(basis.left_out, 'judgment')} of excluded raters"
        return Consensus(found.value, how, found.undecided)


def _shortened(how: str) -> str:
    return how if len(how) <= HOW_LENGTH else f"…{how[1 - HOW_LENGTH :]}"


def refresh(*, list_id: int, rule: Rule, tie: Tie, pair_ids: Sequence[int] | None) -> int:
    """Brings the consensus grades of these pairs, or of the whole list, up to date; the number that changed in value."""
    changes = _changes(list_id, rule, tie, pair_ids)
    return sum(_apply(fresh, _queries(list_id, _more(fresh))) for fresh in changes)


def refresh_grades(
    *, list_id: int, rule: Rule, tie: Tie, pair_ids: Sequence[int], gained: dict[int, int]
) -> None:
    """The same but for the rows of queries, which every rater needs: `tell_queries` writes those later, from `gained`."""
    for fresh in _changes(list_id, rule, tie, pair_ids):
        _apply(fresh, _queries(list_id, {}))
        for query_id, more in _more(fresh).items():
            gained[query_id] = gained.get(query_id, 0) + more


def tell_queries(*, list_id: int, gained: Mapping[int, int]) -> None:
    """Tells queries that grades of theirs changed, and how many more of them have one."""
    with connection.cursor() as cursor:
        cursor.execute(TELL_QUERIES, _queries(list_id, gained))


def told(
    *, list_id: int, rule: Rule, tie: Tie, pair_ids: Sequence[int], trial: Trial = NO_TRIAL
) -> list[str]:
    """How the grades of a few pairs, of those that would change, would come to be; in this order. Writes nothing."""
    fresh = _changed(list_id, pair_ids, Settler(rule, tie), trial)
    how = {one.pair_id: one.found.how for one in fresh if one.found is not None}
    return list(dict.fromkeys(how[pair] for pair in pair_ids if pair in how))


def _changes(list_id: int, rule: Rule, tie: Tie, pair_ids: Sequence[int] | None) -> Iterator[list[Fresh]]:
    settle = Settler(rule, tie)
    for chunk in _chunks_of_list(list_id) if pair_ids is None else _chunks(pair_ids):
        yield list(_changed(list_id, chunk, settle, NO_TRIAL))


def _apply(fresh: Sequence[Fresh], told: dict[str, Any]) -> int:
    """In one message to the server, of what there is to do. How many values are others: some only came to be otherwise."""
    removed = [one.pair_id for one in fresh if one.found is None]
    written = _written(fresh)
    statements = [
        *([WRITE] if written["pairs"] else []),
        *([REMOVE] if removed else []),
        *([TELL_QUERIES] if told["queries"] else []),
    ]
    if statements:
        with connection.cursor() as cursor:
            cursor.execute(";".join(statements), written | told | {"removed": removed})
    return sum(one.value != one.was for one in fresh)


def _changed(list_id: int, pair_ids: Sequence[int], settle: Settler, trial: Trial) -> Iterator[Fresh]:
    given: dict[str, Any] = {"list": list_id, "pairs": list(pair_ids), "rule": settle.rule}
    with connection.cursor() as cursor:
        cursor.execute(READ, given | {"excluded": trial.excluded, "included": trial.included})
        rows = cursor.fetchall()
    for row in rows:
        pair_id, query_id, document_id, judgments, left_out, grades, decided, cause, kinds = row[:9]
        model = Modelled(*row[9:13]) if row[12] else None
        known, was, *rest = row[13:]
        basis = Basis(judgments, left_out, tuple(grades), decided, cause, kinds, model)
        found = settle(basis)
        if found is None:
            if known:
                yield Fresh(pair_id, query_id, document_id, basis, None, was)
            continue
        told = [len(grades), found.undecided, found.how, basis.spread, judgments]
        if not known or (found.value, told) != (was, rest):
            yield Fresh(pair_id, query_id, document_id, basis, found, was)


def _written(fresh: Sequence[Fresh]) -> dict[str, Any]:
    found = [(one.pair_id, one.basis, one.found) for one in fresh if one.found is not None]
    return {
        "pairs": [pair for pair, _, _ in found],
        "values": [grade.value for _, _, grade in found],
        "judgments": [len(basis.grades) for _, basis, _ in found],
        "undecided": [grade.undecided for _, _, grade in found],
        "how": [grade.how for _, _, grade in found],
        "spread": [basis.spread for _, basis, _ in found],
        "answers": [basis.judgments for _, basis, _ in found],
    }


def _queries(list_id: int, gained: Mapping[int, int]) -> dict[str, Any]:
    return {"list": list_id, "queries": list(gained), "more": list(gained.values())}


def _more(fresh: Sequence[Fresh]) -> dict[int, int]:
    """How many more grades the queries have of which some changed. Scores depend on the value alone, so only that counts."""
    more: dict[int, int] = {}
    for one in fresh:
        if one.value != one.was:
            gained = int(one.value is not None) - int(one.was is not None)
            more[one.query_id] = more.get(one.query_id, 0) + gained
    return more


def _chunks(pair_ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(pair_ids), CHUNK):
        yield pair_ids[start : start + CHUNK]


def _chunks_of_list(list_id: int) -> Iterator[Sequence[int]]:
    after = 0
    chunk: list[int] = []
    while not after or len(chunk) == CHUNK:  # one that is not full was the last
        with connection.cursor() as cursor:
            cursor.execute(NEXT_PAIRS, {"list": list_id, "after": after, "limit": CHUNK})
            row = cursor.fetchone()
        chunk = row[0] if row else []
        if not chunk:
            return
        yield chunk
        after = max(chunk)
