"""Hits: the retrieved documents that have a pair, matched in Python and stored with the ranking.

Joining the unpacked IDs takes PostgreSQL seconds or minutes, depending on the plan; a dict takes a moment. Statements
here and in `scores` look up rows by whole primary keys, one by one (LATERAL … OFFSET 0). Before tables are analyzed,
the planner takes a new query set for an empty one, and would compare every row with every other.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from evaluation.base.sql import unpack_documents
from judgments.base.sql import copy

_STALE: Final = """
    SELECT key.query_id, key.run_id, key.pairs_revision
    FROM unnest(%(queries)s::bigint[], %(runs)s::bigint[], %(revisions)s::bigint[]) AS key (query_id, run_id, pairs_revision)
    CROSS JOIN LATERAL (
        SELECT pairs_revision FROM evaluation_ranking
        WHERE query_set_id = %(query_set)s AND query_id = key.query_id AND run_id = key.run_id
        OFFSET 0
    ) ranking
    WHERE ranking.pairs_revision <> key.pairs_revision
"""
_PAIRS: Final = """
    SELECT query_id, string_agg(external_id, E'\\n' ORDER BY id), array_agg(id ORDER BY id)
    FROM (
        SELECT DISTINCT pair.query_id, document.external_id, document.id
        FROM judgments_pair pair JOIN judgments_document document ON document.id = pair.document_id
        WHERE pair.query_id = ANY(%(queries)s)
    ) pair
    GROUP BY query_id
"""
# Locked in the order of the keys, so that two lists that bring the same runs up to date never wait in a circle.
_DOCUMENTS: Final = """
    SELECT key.query_id, key.run_id, ranking.documents
    FROM unnest(%(queries)s::bigint[], %(runs)s::bigint[]) AS key (query_id, run_id)
    CROSS JOIN LATERAL (
        SELECT documents FROM evaluation_ranking
        WHERE query_set_id = %(query_set)s AND query_id = key.query_id AND run_id = key.run_id
        OFFSET 0 FOR NO KEY UPDATE
    ) ranking
"""
_STORE: Final = """
    UPDATE evaluation_ranking ranking
    SET hit_ranks = hits.ranks::int4[], hit_documents = hits.documents::int8[], pairs_revision = hits.revision
    FROM unnest(%(query_sets)s::bigint[], %(queries)s::bigint[], %(runs)s::bigint[], %(ranks)s::text[],
                %(documents)s::text[], %(revisions)s::bigint[])
        AS hits (query_set_id, query_id, run_id, ranks, documents, revision)
    WHERE ranking.query_set_id = hits.query_set_id
        AND ranking.query_id = hits.query_id AND ranking.run_id = hits.run_id
"""


class Key(NamedTuple):
    """One ranking of a query set."""

    query_id: int
    run_id: int


def match(documents: Sequence[str], pairs: Mapping[str, int]) -> tuple[list[int], list[int]]:
    """The ranks, from 1, and the IDs of the retrieved documents that have a pair.

    `documents` holds external IDs in evaluated order, `pairs` the IDs by external ID.
    """
    hits = [(rank, pairs[name]) for rank, name in enumerate(documents, 1) if name in pairs]
    return [rank for rank, _ in hits], [document for _, document in hits]


def refresh_hits(query_set_id: int, keys: Iterable[Key], revisions: Mapping[int, int]) -> None:
    """Matches rankings again that were matched with other pairs than those of these revisions, in four statements at most.

    The revisions, of queries, were read before the pairs. So a pair that arrives in between is matched now, or next time because
    the revision stored with it is older. A ranking matched with fewer pairs never counts as fresh.
    """
    known = [key for key in keys if key.query_id in revisions]
    of_keys = [revisions[key.query_id] for key in known]
    found = copy.rows(_STALE, **_parameters(query_set_id, known), revisions=of_keys)
    stale = {Key(query, run): revision for query, run, revision in found}
    if not stale:
        return
    pairs = _read_pairs({key.query_id for key in stale})
    columns: dict[str, Any] = {name: [] for name in ("queries", "runs", "ranks", "documents", "revisions")}
    rankings = copy.stream(_DOCUMENTS, ["int8", "int8", "bytea"], **_parameters(query_set_id, sorted(stale)))
    for query_id, run_id, block in rankings:
        ranks, documents = match(unpack_documents(block), pairs.get(query_id, {}))
        row = (query_id, run_id, _array(ranks), _array(documents), stale[Key(query_id, run_id)])
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    copy.run(_STORE, **columns, query_sets=[query_set_id] * len(stale))


def _read_pairs(query_ids: Iterable[int]) -> dict[int, dict[str, int]]:
    """IDs by external ID of each query's documents that have a pair in any list."""
    return {
        query: dict(zip(names.split("\n"), keys, strict=True))
        for query, names, keys in copy.rows(_PAIRS, queries=list(query_ids))
    }


def _parameters(query_set_id: int, keys: Iterable[Key]) -> dict[str, Any]:
    keys = list(keys)
    return {
        "query_set": query_set_id,
        "queries": [key.query_id for key in keys],
        "runs": [key.run_id for key in keys],
    }


def _array(values: Sequence[int]) -> str:
    """An array as PostgreSQL reads it: arrays of different lengths don't fit into one array of arrays."""
    return "{" + ",".join(map(str, values)) + "}"
