"""Scores: what has changed, what scoring reads, and the results by COPY. Called inside a transaction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.db import connection

from evaluation.scores.sql.hits import Key
from judgments.base.sql import copy
from judgments.base.sql.fingerprints import fingerprint
from judgments.models import Version
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.ladder import LOSSES

# Rankings that are fetched together: ten times fewer than the driver's own number of round trips.
AT_ONCE: Final = 1000
FINGERPRINT: Final = f"""
    SELECT {fingerprint("query_id", "revision")} FROM judgments_listquery WHERE judgment_list_id = %(list)s
"""  # noqa: S608
_FINGERPRINTS: Final = f"""
    SELECT judgment_list_id, {fingerprint("query_id", "revision")}
    FROM judgments_listquery WHERE judgment_list_id = ANY(%(lists)s) GROUP BY judgment_list_id
"""  # noqa: S608
VERSION_FINGERPRINT: Final = "%(fingerprint)s::bigint"
_LIST: Final = f"""
    SELECT {fingerprint("query_id", "revision")}, (
        SELECT COUNT(*) FROM judgments_consensusgrade WHERE judgment_list_id = %(list)s AND value IS NOT NULL
    )
    FROM judgments_listquery WHERE judgment_list_id = %(list)s
"""  # noqa: S608
NDCGS: Final = tuple(f"ndcg_{ideal}" for ideal in IDEALS)
LOSS_COLUMNS: Final = tuple(f"lost_{loss}" for loss in LOSSES)


class ScoreTables(NamedTuple):
    """The tables of one kind of value: evaluations and their scores, with the columns of scores after the key."""

    evaluations: str
    scores: str
    columns: tuple[str, ...]
    types: tuple[str, ...]


SCORES: Final = ScoreTables(
    "evaluation_evaluation",
    "evaluation_score",
    (
        *("revision", "retrieved", "shown", "judged"),
        *(*(f"ideal_{ideal}" for ideal in IDEALS), "dcg", *NDCGS, *LOSS_COLUMNS, "judged_at_k", "coverage"),
    ),
    ("int8", *["int4"] * 3, *["float8"] * 15),
)
MEASURE_SCORES: Final = ScoreTables(
    "evaluation_measureevaluation", "evaluation_measurescore", ("revision", "value"), ("int8", "float8")
)
KEY: Final = ("query_set_id", "evaluation_id", "query_id")

# In one statement, hence one snapshot: the fingerprint, the revisions it stands for, those of the scores, and the queries.
# Evaluations with one fingerprint were made from the same revisions, so one of them is read for all. To read the revisions twice
# takes a fifth less time than to keep them.
_PRESENT_FINGERPRINT: Final = f"SELECT {fingerprint('query_id', 'revision')} FROM present"  # noqa: S608
_LIVE: Final = "SELECT query_id, revision FROM judgments_listquery WHERE judgment_list_id = %(list)s"
_FROZEN: Final = (
    "SELECT query_id, 0::bigint AS revision FROM judgments_versiongrades WHERE version_id = %(version)s"
)
_STATE: Final = """
    WITH present AS NOT MATERIALIZED ({revisions}), made AS MATERIALIZED (
        SELECT MIN(id) AS id, revision FROM {evaluations} WHERE id = ANY(%(evaluations)s) GROUP BY revision
    ), changed AS MATERIALIZED (
        SELECT made.revision AS made_at, either.query_id, either.revision
        FROM made CROSS JOIN LATERAL (
            SELECT query_id, COALESCE(present.revision, -1) AS revision
            FROM present FULL JOIN (
                SELECT query_id, revision FROM {scores}
                WHERE query_set_id = %(query_set)s AND evaluation_id = made.id
                OFFSET 0
            ) score USING (query_id)
            WHERE present.revision IS DISTINCT FROM score.revision
        ) either
    )
    SELECT 'fingerprint', 0, 0, ({fingerprint})
    UNION ALL
    SELECT 'queries', COUNT(*), 0, COALESCE(MAX(id), 0) FROM judgments_query WHERE query_set_id = %(query_set)s
    UNION ALL
    SELECT 'changed', made_at, query_id, revision FROM changed
    UNION ALL
    SELECT 'pairs', 0, query_id, lists.pairs
    FROM (SELECT DISTINCT query_id FROM changed) one CROSS JOIN LATERAL (
        SELECT {pairs} AS pairs FROM judgments_listquery WHERE query_id = one.query_id HAVING COUNT(*) > 0
    ) lists
"""
_GRADES: Final = """
    SELECT query_id, array_agg(document_id ORDER BY document_id), array_agg(value ORDER BY document_id)
    FROM judgments_consensusgrade
    WHERE judgment_list_id = %(list)s AND value IS NOT NULL
      AND (%(queries)s::bigint[] IS NULL OR query_id = ANY(%(queries)s::bigint[]))
    GROUP BY query_id
"""
_FROZEN_GRADES: Final = """
    SELECT query_id, documents, values FROM judgments_versiongrades
    WHERE version_id = %(version)s AND (%(queries)s::bigint[] IS NULL OR query_id = ANY(%(queries)s::bigint[]))
"""
_RANKINGS: Final = """
    SELECT key.run_id, key.query_id, ranking.size, ranking.hit_ranks, ranking.hit_documents,
        ranking.pairs_revision <> key.pairs_revision
    FROM unnest(%(queries)s::bigint[], %(runs)s::bigint[], %(revisions)s::bigint[]) AS key (query_id, run_id, pairs_revision)
    CROSS JOIN LATERAL (
        SELECT size, hit_ranks, hit_documents, pairs_revision FROM evaluation_ranking
        WHERE query_set_id = %(query_set)s AND query_id = key.query_id AND run_id = key.run_id
        OFFSET 0
    ) ranking
    ORDER BY key.run_id
"""
_DELETE: Final = """
    DELETE FROM {scores} score
    USING unnest(%(evaluations)s::bigint[], %(queries)s::bigint[]) AS key (evaluation_id, query_id)
    WHERE score.query_set_id = %(query_set)s
        AND score.evaluation_id = key.evaluation_id AND score.query_id = key.query_id
"""
_COPY: Final = "COPY {scores} ({columns}) FROM STDIN (FORMAT BINARY)"


class State(NamedTuple):
    """What has changed since evaluations were made, by the fingerprint that each of them was made at.

    `changes` are the queries whose score isn't current, with their revision (0 in a version); -1 if removed. `pairs` has the
    fingerprint of its pairs for each changed query that is in any list. `queries` are the number of the query set's queries,
    and the last one's ID.
    """

    fingerprint: int
    changes: dict[int, dict[int, int]]
    pairs: dict[int, int]
    queries: tuple[int, int]


class StaleHitsError(Exception):
    """Rankings have to be matched with their queries' pairs again."""


class QueryGrades(NamedTuple):
    """The consensus grades of a query, by document ID."""

    query_id: int
    documents: list[int]
    values: list[float]


class QueryHits(NamedTuple):
    """What scoring reads of a ranking: its length, and the ranks and IDs of documents with a pair."""

    run_id: int
    query_id: int
    size: int
    ranks: list[int]
    documents: list[int]


def read_fingerprint(judgment_list_id: int, version: Version | None = None) -> int:
    """What Evaluation.revision is while its scores are current. A version has its own."""
    if version is not None:
        return version.fingerprint
    return int(copy.value(FINGERPRINT, list=judgment_list_id))


def read_fingerprints(judgment_list_ids: Iterable[int]) -> dict[int, int]:
    """The fingerprints of several live lists. One without a query is absent; its fingerprint is 0."""
    return dict(copy.rows(_FINGERPRINTS, lists=list(judgment_list_ids)))


def read_fingerprint_and_grades(judgment_list_id: int) -> tuple[int, int]:
    """The fingerprint of a live list, and how many consensus grades it has."""
    value, grades = copy.row(_LIST, list=judgment_list_id)
    return int(value), int(grades)


def read_state(
    tables: ScoreTables,
    query_set_id: int,
    judgment_list_id: int,
    evaluation_ids: Sequence[int],
    version: Version | None = None,
) -> State:
    """The fingerprint of the list, and what differs between its queries' revisions and those of the scores, in one snapshot."""
    parameters: dict[str, Any] = {
        "version": version and version.pk,
        "fingerprint": version and version.fingerprint,
        "query_set": query_set_id,
        "list": judgment_list_id,
        "evaluations": list(evaluation_ids),
    }
    state = State(0, {}, {}, (0, 0))
    statement = _STATE.format(
        revisions=_FROZEN if version else _LIVE,
        fingerprint=VERSION_FINGERPRINT if version else _PRESENT_FINGERPRINT,
        evaluations=tables.evaluations,
        scores=tables.scores,
        pairs=fingerprint("judgment_list_id", "pairs_revision"),
    )
    for kind, made_at, query_id, number in copy.rows(statement, **parameters):
        if kind == "fingerprint":
            state = state._replace(fingerprint=number)
        elif kind == "queries":
            state = state._replace(queries=(made_at, number))
        elif kind == "pairs":
            state.pairs[query_id] = number
        else:
            state.changes.setdefault(made_at, {})[query_id] = number
    return state


def read_grades(
    judgment_list_id: int, query_ids: Iterable[int] | None, version: Version | None = None
) -> dict[int, QueryGrades]:
    """The grades of these queries (None: of all) in the live list or in a version of it."""
    rows = copy.rows(
        _FROZEN_GRADES if version else _GRADES,
        list=judgment_list_id,
        version=version and version.pk,
        queries=None if query_ids is None else list(query_ids),
    )
    return {row[0]: QueryGrades(*row) for row in rows}


def read_hits(
    query_set_id: int, keys: Sequence[Key], pairs: Mapping[int, int] | None = None
) -> Iterator[QueryHits]:
    """The hits of these rankings, run by run; nothing where a run has no ranking for a query.

    Raises StaleHitsError at one that was matched with other pairs than those of these revisions, by query.
    """
    parameters: dict[str, Any] = {
        "query_set": query_set_id,
        "queries": [key.query_id for key in keys],
        "runs": [key.run_id for key in keys],
        "revisions": [pairs and pairs.get(key.query_id) for key in keys],
    }
    with connection.chunked_cursor() as cursor:
        cursor.execute(_RANKINGS, parameters)
        while rows := cursor.fetchmany(AT_ONCE):
            if any(is_stale for *_, is_stale in rows):
                raise StaleHitsError
            yield from (QueryHits(*row) for *row, _ in rows)


def delete_scores(
    tables: ScoreTables, query_set_id: int, evaluations_and_queries: Sequence[tuple[int, int]]
) -> None:
    copy.run(
        _DELETE.format(scores=tables.scores),
        query_set=query_set_id,
        evaluations=[evaluation for evaluation, _ in evaluations_and_queries],
        queries=[query for _, query in evaluations_and_queries],
    )


def copy_scores(tables: ScoreTables, rows: Iterable[Sequence[int | float | None]]) -> None:
    """Rows of query set, evaluation, query and the columns of the table."""
    statement = _COPY.format(scores=tables.scores, columns=", ".join((*KEY, *tables.columns)))
    with connection.cursor() as cursor, cursor.copy(statement) as stream:
        stream.set_types(["int8"] * len(KEY) + list(tables.types))
        for row in rows:
            stream.write_row(row)
