"""Consensus grades: reads judgments in chunks, writes what differs, and tells the queries that something changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from judgments.consensus import Consensus, Rule, Tie, consensus

CHUNK = 20_000
HOW_LENGTH = 300
ONLY_CANNOT_JUDGE = Consensus(None, "only “cannot judge”")

READ = """
SELECT pair.id, pair.query_id, judged.judgments, judged.grades,
       known.pair_id IS NOT NULL, known.value, known.judgments, known.undecided, known.how
FROM judgments_pair pair
LEFT JOIN LATERAL (
    SELECT count(*) AS judgments,
           coalesce(array_agg(value ORDER BY value) FILTER (WHERE value IS NOT NULL), '{}') AS grades
    FROM judgments_judgment judgment WHERE judgment.pair_id = pair.id
) judged ON true
LEFT JOIN judgments_consensusgrade known ON known.pair_id = pair.id
WHERE pair.judgment_list_id = %(list)s AND pair.id = ANY(%(pairs)s::bigint[])
"""

WRITE = """
INSERT INTO judgments_consensusgrade (pair_id, query_set_id, judgment_list_id, query_id, document_id,
                                      value, judgments, undecided, how)
SELECT pair.id, pair.query_set_id, pair.judgment_list_id, pair.query_id, pair.document_id,
       fresh.value, fresh.judgments, fresh.undecided, fresh.how
FROM unnest(%(pairs)s::bigint[], %(values)s::float8[], %(judgments)s::int[], %(undecided)s::bool[], %(how)s::text[])
    AS fresh (pair_id, value, judgments, undecided, how)
JOIN judgments_pair pair ON pair.id = fresh.pair_id
ON CONFLICT (pair_id) DO UPDATE SET value = EXCLUDED.value, judgments = EXCLUDED.judgments,
    undecided = EXCLUDED.undecided, how = EXCLUDED.how
"""

REMOVE = "DELETE FROM judgments_consensusgrade WHERE pair_id = ANY(%(pairs)s::bigint[])"

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


@dataclass(frozen=True, slots=True)
class Fresh:
    """What a pair's consensus grade should be. `found` is None where the pair has no judgment (any more)."""

    pair_id: int
    query_id: int
    grades: int
    found: Consensus | None
    was: float | None

    @property
    def value(self) -> float | None:
        return self.found.value if self.found else None


def refresh(*, list_id: int, rule: Rule, tie: Tie, pair_ids: Sequence[int] | None) -> int:
    """Brings the consensus grades of these pairs, or of the whole list, up to date; the number that changed."""
    chunks = _chunks_of_list(list_id) if pair_ids is None else _chunks(pair_ids)
    memory: dict[tuple[float, ...], Consensus] = {}
    return sum(_refresh_chunk(list_id, chunk, rule, tie, memory) for chunk in chunks)


def _refresh_chunk(
    list_id: int, pair_ids: Sequence[int], rule: Rule, tie: Tie, memory: dict[tuple[float, ...], Consensus]
) -> int:
    fresh = list(_changed(list_id, pair_ids, rule, tie, memory))
    if fresh:
        _write([one for one in fresh if one.found is not None])
        _remove([one for one in fresh if one.found is None])
        _tell_queries(list_id, [one for one in fresh if one.value != one.was])
    return len(fresh)


def _changed(
    list_id: int, pair_ids: Sequence[int], rule: Rule, tie: Tie, memory: dict[tuple[float, ...], Consensus]
) -> Iterator[Fresh]:
    with connection.cursor() as cursor:
        cursor.execute(READ, {"list": list_id, "pairs": list(pair_ids)})
        rows = cursor.fetchall()
    for pair_id, query_id, judgments, grades, known, was, *rest in rows:
        if not judgments:
            if known:
                yield Fresh(pair_id, query_id, 0, None, was)
            continue
        found = _consensus(tuple(grades), rule, tie, memory)
        if not known or (found.value, len(grades), found.undecided, found.how) != (was, *rest):
            yield Fresh(pair_id, query_id, len(grades), found, was)


def _consensus(
    grades: tuple[float, ...], rule: Rule, tie: Tie, memory: dict[tuple[float, ...], Consensus]
) -> Consensus:
    """Computed once for each combination of grades: of a million pairs with four grades most are alike."""
    if not grades:
        return ONLY_CANNOT_JUDGE
    if grades not in memory:
        found = consensus(grades, rule=rule, tie=tie)
        how = found.how if len(found.how) <= HOW_LENGTH else f"…{found.how[1 - HOW_LENGTH :]}"
        memory[grades] = Consensus(found.value, how, found.undecided)
    return memory[grades]


def _write(fresh: Sequence[Fresh]) -> None:
    found = [(one.pair_id, one.grades, one.found) for one in fresh if one.found is not None]
    if not found:
        return
    values: dict[str, Any] = {
        "pairs": [pair for pair, _, _ in found],
        "values": [grade.value for _, _, grade in found],
        "judgments": [grades for _, grades, _ in found],
        "undecided": [grade.undecided for _, _, grade in found],
        "how": [grade.how for _, _, grade in found],
    }
    with connection.cursor() as cursor:
        cursor.execute(WRITE, values)


def _remove(fresh: Sequence[Fresh]) -> None:
    if fresh:
        with connection.cursor() as cursor:
            cursor.execute(REMOVE, {"pairs": [one.pair_id for one in fresh]})


def _tell_queries(list_id: int, fresh: Sequence[Fresh]) -> None:
    """Scores depend on the value alone, so only a changed value makes them stale."""
    more: dict[int, int] = {}
    for one in fresh:
        gained = int(one.value is not None) - int(one.was is not None)
        more[one.query_id] = more.get(one.query_id, 0) + gained
    if more:
        values: dict[str, Any] = {"list": list_id, "queries": list(more), "more": list(more.values())}
        with connection.cursor() as cursor:
            cursor.execute(TELL_QUERIES, values)


def _chunks(pair_ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(pair_ids), CHUNK):
        yield pair_ids[start : start + CHUNK]


def _chunks_of_list(list_id: int) -> Iterator[Sequence[int]]:
    after = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(NEXT_PAIRS, {"list": list_id, "after": after, "limit": CHUNK})
            row = cursor.fetchone()
        chunk: list[int] = row[0] if row else []
        if not chunk:
            return
        yield chunk
        after = max(chunk)
