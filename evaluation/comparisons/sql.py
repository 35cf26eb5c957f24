"""The values of several runs, query by query, as arrays: what comparisons read. R runs, Q queries.

Every column comes as one byte string by run (see speed in docs): PostgreSQL puts the numbers together, numpy takes them apart.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from django.db.models import TextField
from django.db.models.expressions import RawSQL

from evaluation.base.sql import unpack_documents
from evaluation.scores.sql.scores import LOSS_COLUMNS, NDCGS
from judgments.base.sql import copy
from touchstone_core.metrics.types import Floats, Ints, Mask

Block: TypeAlias = bytes | None
_COLUMNS: Final = (
    *("int4send(COALESCE(retrieved, -1))", "int4send(shown)", "int4send(judged)"),
    *(f"float8send({column})" for column in ("dcg", *LOSS_COLUMNS, "ideal_max")),
    *(f"float8send(COALESCE({column}, 'NaN'))" for column in NDCGS),
)
_SCORES: Final = f"""
    SELECT evaluation_id,
        string_agg(int8send(query_id), ''::bytea ORDER BY query_id),
        {", ".join(f"string_agg({column}, ''::bytea ORDER BY query_id)" for column in _COLUMNS)}
    FROM evaluation_score
    WHERE query_set_id = %(query_set)s AND evaluation_id = ANY(%(evaluations)s)
    GROUP BY evaluation_id
"""  # noqa: S608
_MEASURES: Final = """
    SELECT evaluation_id,
        string_agg(int8send(query_id), ''::bytea ORDER BY query_id),
        string_agg(float8send(COALESCE(value, 'NaN')), ''::bytea ORDER BY query_id)
    FROM evaluation_measurescore
    WHERE query_set_id = %(query_set)s AND evaluation_id = ANY(%(evaluations)s)
    GROUP BY evaluation_id
"""
_QUERIES: Final = """
    SELECT string_agg(int8send(query.id), ''::bytea ORDER BY query.id),
        string_agg(int8send(query.id), ''::bytea ORDER BY query.external_id COLLATE "C"),
        string_agg(float8send({weight}), ''::bytea ORDER BY query.id),
        string_agg(int4send((%(tag)s = ANY(query.tags))::int), ''::bytea ORDER BY query.id)
    FROM {judged} JOIN judgments_query query ON query.id = judged.query_id
"""
_TAGS: Final = """
    SELECT sha256(convert_to(
        COALESCE(string_agg(id || ' ' || array_to_json(tags)::text, E'\n' ORDER BY id), ''), 'UTF8'
    )), (
        SELECT COALESCE(string_agg(id::text, ' ' ORDER BY id), '') FROM evaluation_run
        WHERE query_set_id = %(query_set)s AND NOT being_deleted
    )
    FROM judgments_query WHERE query_set_id = %(query_set)s AND tags <> '{}'
"""
_HELD_OUT: Final = """
    SELECT encode(sha256(convert_to(held_out.queries, 'UTF8')), 'hex') || ' ' || comparing.held_out
    FROM evaluation_comparing comparing
    CROSS JOIN LATERAL (
        SELECT COALESCE(string_agg(query.id::text, ' ' ORDER BY query.id), '') AS queries
        FROM judgments_query query
        WHERE query.query_set_id = comparing.query_set_id AND comparing.held_out = ANY(query.tags)
    ) held_out
    WHERE comparing.query_set_id = {query_set} AND comparing.held_out <> ''
"""
_PAGES: Final = """
    SELECT run.run - 1, query.query - 1, ranking.documents
    FROM unnest(%(runs)s::bigint[]) WITH ORDINALITY AS run (id, run)
    CROSS JOIN unnest(%(queries)s::bigint[]) WITH ORDINALITY AS query (id, query)
    CROSS JOIN LATERAL (
        SELECT documents FROM evaluation_ranking
        WHERE query_set_id = %(query_set)s AND query_id = query.id AND run_id = run.id
        OFFSET 0
    ) ranking
"""
_LIVE: Final = "(SELECT query_id FROM judgments_listquery WHERE judgment_list_id = %(list)s) judged"
_FROZEN: Final = (
    "(SELECT query_id, weight FROM judgments_versiongrades WHERE version_id = %(version)s) judged"
)


class ScoreColumns(NamedTuple):
    """The stored scores of one run, by query ID; each (Q,). `retrieved` is -1 where the run lacks the query; `parts` (5, Q) are
    DCG and the losses by order, depth, recall and content, `ndcgs` (4, Q) those under each ideal."""

    query: Ints
    retrieved: Ints
    shown: Ints
    judged: Ints
    parts: Floats
    ideal_max: Floats
    ndcgs: Floats


class MeasureColumns(NamedTuple):
    """The stored values of one measure of one run, by query ID; NaN where a policy leaves the query out. Each (Q,)."""

    query: Ints
    value: Floats


class QueryColumns(NamedTuple):
    """The queries of a list by ID, their places by external ID (code points), how much each counts, and whether it has the
    tag that was asked for. Each (Q,)."""

    query: Ints
    place: Ints
    weight: Floats
    tagged: Mask


def read_scores(query_set_id: int, evaluation_ids: Sequence[int]) -> list[ScoreColumns]:
    """In the order of the evaluations, whose formula leaves no missing query out; nothing against a list without a grade."""
    by_evaluation = _by_evaluation(_SCORES, query_set_id, evaluation_ids)
    return [_scores(*by_evaluation.get(key, [None] * (1 + len(_COLUMNS)))) for key in evaluation_ids]


def _scores(query: Block, retrieved: Block, shown: Block, judged: Block, *values: Block) -> ScoreColumns:
    floats = np.array([_numbers(one, ">f8") for one in values])
    return ScoreColumns(
        query=_numbers(query, ">i8"),
        retrieved=_numbers(retrieved, ">i4"),
        shown=_numbers(shown, ">i4"),
        judged=_numbers(judged, ">i4"),
        parts=floats[:5],
        ideal_max=floats[5],
        ndcgs=floats[6:],
    )


def read_measure(query_set_id: int, evaluation_ids: Sequence[int]) -> list[MeasureColumns]:
    """The same of evaluations of a further measure."""
    by_evaluation = _by_evaluation(_MEASURES, query_set_id, evaluation_ids)
    return [
        MeasureColumns(*map(_numbers, by_evaluation.get(key, [None] * 2), (">i8", ">f8")))
        for key in evaluation_ids
    ]


def _by_evaluation(
    statement: str, query_set_id: int, evaluation_ids: Sequence[int]
) -> dict[int, list[Block]]:
    rows = copy.rows(statement, query_set=query_set_id, evaluations=list(evaluation_ids))
    return {key: columns for key, *columns in rows}


def read_queries(judgment_list_id: int, version_id: int | None, tag: str) -> QueryColumns:
    """The queries of the live list, or of a version with the weights that it froze."""
    statement = _QUERIES.format(
        judged=_FROZEN if version_id else _LIVE, weight="judged.weight" if version_id else "query.weight"
    )
    query, by_name, weight, tagged = copy.row(statement, list=judgment_list_id, version=version_id, tag=tag)
    keys = _numbers(query, ">i8")
    return QueryColumns(
        keys,
        np.argsort(np.searchsorted(keys, _numbers(by_name, ">i8"))),
        _numbers(weight, ">f8"),
        _numbers(tagged, ">i4").astype(np.bool_),
    )


def read_tags_digest(query_set_id: int) -> tuple[str, str]:
    """A number that changes with the tags of any query of the set, and the IDs of its runs."""
    digest, runs = copy.row(_TAGS, query_set=query_set_id)
    return bytes(digest).hex(), runs


def read_held_out(query_set_id: int) -> str:
    """What changes with the queries of the set that are held out, or with their tag; empty where none are."""
    rows = copy.rows(_HELD_OUT.format(query_set="%(query_set)s"), query_set=query_set_id)
    return str(rows[0][0]) if rows else ""


def held_out_of_comparison() -> RawSQL:
    """The same of the query set of each Comparison, within a statement that reads these; None where none are held out."""
    of = _HELD_OUT.format(query_set="evaluation_comparison.query_set_id")
    return RawSQL(f"({of})", (), TextField())  # noqa: S611 -- of constants


def read_pages(
    query_set_id: int, run_ids: Sequence[int], query_ids: Sequence[int], cutoff: int
) -> list[list[list[str]]]:
    """By run and query, both in their order: the external IDs of the first `cutoff` documents, best first; none where the run
    has no answer."""
    keys: dict[str, Any] = {"query_set": query_set_id, "runs": list(run_ids), "queries": list(query_ids)}
    pages: list[list[list[str]]] = [[[] for _ in query_ids] for _ in run_ids]
    for run, query, block in copy.stream(_PAGES, ["int8", "int8", "bytea"], **keys):
        pages[run][query] = unpack_documents(block, first=cutoff)
    return pages


def _numbers(data: Block, type_: str) -> Any:
    """In the machine's own order of bytes; no row at all comes as NULL."""
    numbers = np.frombuffer(data or b"", dtype=type_)
    return numbers.astype(np.float64 if numbers.dtype.kind == "f" else np.int64)
