"""Scores: what has changed, what scoring reads, and the results by COPY. Called inside a transaction."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from django.db import connection

from evaluation.ingest.fingerprints import fingerprint
from evaluation.ingest.hits import Key

_FINGERPRINT: Final = f"""
    SELECT {fingerprint("query_id", "revision")} FROM judgments_listquery WHERE judgment_list_id = %(list)s
"""  # noqa: S608
# In one statement, hence one snapshot: the fingerprint, the revisions it stands for, and those of the scores.
# Evaluations with one fingerprint were made from the same revisions, so one of them is read for all.
_STATE: Final = f"""
    SELECT 'fingerprint', 0, 0, {fingerprint("query_id", "revision")}
    FROM judgments_listquery WHERE judgment_list_id = %(list)s
    UNION ALL
    SELECT 'present', 0, query_id, revision FROM judgments_listquery WHERE judgment_list_id = %(list)s
    UNION ALL
    SELECT 'scored', one.revision, score.query_id, score.revision
    FROM (
        SELECT MIN(id) AS id, revision FROM evaluation_evaluation WHERE id = ANY(%(evaluations)s) GROUP BY revision
    ) one
    CROSS JOIN LATERAL (
        SELECT query_id, revision FROM evaluation_score
        WHERE query_set_id = %(query_set)s AND evaluation_id = one.id
        OFFSET 0
    ) score
"""  # noqa: S608
_GRADES: Final = """
    SELECT query_id, array_agg(document_id ORDER BY document_id), array_agg(value ORDER BY document_id)
    FROM judgments_consensusgrade
    WHERE judgment_list_id = %(list)s AND query_id = ANY(%(queries)s) AND value IS NOT NULL
    GROUP BY query_id
"""
_RANKINGS: Final = """
    SELECT wanted.run_id, wanted.query_id, ranking.size, ranking.hit_ranks, ranking.hit_documents
    FROM unnest(%(queries)s::bigint[], %(runs)s::bigint[]) AS wanted (query_id, run_id)
    CROSS JOIN LATERAL (
        SELECT size, hit_ranks, hit_documents FROM evaluation_ranking
        WHERE query_set_id = %(query_set)s AND query_id = wanted.query_id AND run_id = wanted.run_id
        OFFSET 0
    ) ranking
    ORDER BY wanted.run_id
"""
_DELETE: Final = """
    DELETE FROM evaluation_score score
    USING unnest(%(query_sets)s::bigint[], %(evaluations)s::bigint[], %(queries)s::bigint[])
        AS gone (query_set_id, evaluation_id, query_id)
    WHERE score.query_set_id = gone.query_set_id
        AND score.evaluation_id = gone.evaluation_id AND score.query_id = gone.query_id
"""
_COPY: Final = """
    COPY evaluation_score (query_set_id, evaluation_id, query_id, revision, retrieved, shown, judged,
                           dcg, ideal_local, ideal_recall, ideal_global, ideal_max)
    FROM STDIN (FORMAT BINARY)
"""
_COPY_TYPES: Final = ["int8"] * 4 + ["int4"] * 3 + ["float8"] * 5
_SUMMARIES: Final = """
    UPDATE evaluation_evaluation evaluation
    SET revision = %(fingerprint)s, computed_at = now(),
        judged_queries = total.judged_queries, answered = total.answered, missing = total.missing,
        empty = total.empty, zero_ideal = total.zero_ideal, holes = total.holes,
        unjudged_queries = (
            SELECT COUNT(*) FROM evaluation_ranking ranking WHERE ranking.run_id = evaluation.run_id
        ) - total.answered - total.empty,
        ndcg_local = total.ndcg_local, ndcg_recall = total.ndcg_recall,
        ndcg_global = total.ndcg_global, ndcg_max = total.ndcg_max,
        dcg = total.dcg, judged_at_k = total.judged_at_k, sum_dcg = total.sum_dcg,
        sum_order = total.sum_order, sum_depth = total.sum_depth,
        sum_recall = total.sum_recall, sum_content = total.sum_content
    FROM (
        SELECT one.id, counted.* FROM unnest(%(evaluations)s::bigint[]) AS one (id) CROSS JOIN LATERAL (
            SELECT
                COUNT(score.query_id) AS judged_queries,
                COUNT(*) FILTER (WHERE score.retrieved > 0) AS answered,
                COUNT(*) FILTER (WHERE score.retrieved IS NULL) AS missing,
                COUNT(*) FILTER (WHERE score.retrieved = 0) AS empty,
                COUNT(*) FILTER (WHERE score.ideal_global = 0) AS zero_ideal,
                COALESCE(SUM(score.shown - score.judged), 0) AS holes,
                AVG(COALESCE(score.dcg / NULLIF(score.ideal_local, 0), 0)) AS ndcg_local,
                AVG(COALESCE(score.dcg / NULLIF(score.ideal_recall, 0), 0)) AS ndcg_recall,
                AVG(COALESCE(score.dcg / NULLIF(score.ideal_global, 0), 0)) AS ndcg_global,
                AVG(COALESCE(score.dcg / NULLIF(score.ideal_max, 0), 0)) AS ndcg_max,
                AVG(score.dcg) AS dcg,
                AVG(COALESCE(score.judged::float8 / NULLIF(score.shown, 0), 0)) AS judged_at_k,
                COALESCE(SUM(score.dcg), 0) AS sum_dcg,
                COALESCE(SUM(score.ideal_local - score.dcg), 0) AS sum_order,
                COALESCE(SUM(score.ideal_recall - score.ideal_local), 0) AS sum_depth,
                COALESCE(SUM(score.ideal_global - score.ideal_recall), 0) AS sum_recall,
                COALESCE(SUM(score.ideal_max - score.ideal_global), 0) AS sum_content
            FROM evaluation_score score
            WHERE score.query_set_id = %(query_set)s AND score.evaluation_id = one.id
        ) counted
    ) total
    WHERE evaluation.id = total.id
"""


class State(NamedTuple):
    """The revisions of a list's queries, and those at which the queries were scored.

    `scored` has a revision by query for each fingerprint that some of the evaluations were made at.
    """

    fingerprint: int
    present: dict[int, int]
    scored: dict[int, dict[int, int]]

    def changed(self, made_at: int) -> dict[int, int]:
        """The queries without a score of their revision in evaluations made at this fingerprint, with that revision.

        -1 stands for the revision of a query that has left the list.
        """
        scored = self.scored.get(made_at, {})
        gone = dict.fromkeys(scored.keys() - self.present.keys(), -1)
        return gone | {
            query: revision for query, revision in self.present.items() if scored.get(query) != revision
        }


class QueryGrades(NamedTuple):
    """The consensus grades of a query, by document id."""

    query_id: int
    documents: list[int]
    values: list[float]


class QueryHits(NamedTuple):
    """What scoring reads of a ranking: its length, and the ranks at which documents with a pair stand."""

    run_id: int
    query_id: int
    size: int
    ranks: list[int]
    documents: list[int]


class ScoreRow(NamedTuple):
    """A row of evaluation_score."""

    query_set_id: int
    evaluation_id: int
    query_id: int
    revision: int
    retrieved: int | None
    shown: int
    judged: int
    dcg: float
    ideal_local: float
    ideal_recall: float
    ideal_global: float
    ideal_max: float


def read_fingerprint(judgment_list_id: int) -> int:
    """What Evaluation.revision must be for its scores to be right."""
    with connection.cursor() as cursor:
        cursor.execute(_FINGERPRINT, {"list": judgment_list_id})
        return int(cursor.fetchone()[0])


def read_state(query_set_id: int, judgment_list_id: int, evaluation_ids: Sequence[int]) -> State:
    """What the list's queries are at now, and what the scores of these evaluations were made at, in one snapshot."""
    parameters: dict[str, Any] = {
        "query_set": query_set_id,
        "list": judgment_list_id,
        "evaluations": list(evaluation_ids),
    }
    state = State(0, {}, {})
    with connection.cursor() as cursor:
        cursor.execute(_STATE, parameters)
        for kind, made_at, query_id, revision in cursor:
            if kind == "fingerprint":
                state = state._replace(fingerprint=revision)
            elif kind == "present":
                state.present[query_id] = revision
            else:
                state.scored.setdefault(made_at, {})[query_id] = revision
    return state


def read_grades(judgment_list_id: int, query_ids: Iterable[int]) -> dict[int, QueryGrades]:
    """The judged ones of these queries."""
    with connection.cursor() as cursor:
        cursor.execute(_GRADES, {"list": judgment_list_id, "queries": list(query_ids)})
        return {row[0]: QueryGrades(*row) for row in cursor}


def read_hits(query_set_id: int, keys: Sequence[Key]) -> Iterator[QueryHits]:
    """What these rankings hold, run by run; nothing where a run has no ranking for a query."""
    parameters: dict[str, Any] = {
        "query_set": query_set_id,
        "queries": [key.query_id for key in keys],
        "runs": [key.run_id for key in keys],
    }
    with connection.chunked_cursor() as cursor:
        cursor.execute(_RANKINGS, parameters)
        for row in cursor:
            yield QueryHits(*row)


def delete_scores(query_set_id: int, evaluations_and_queries: Sequence[tuple[int, int]]) -> None:
    parameters: dict[str, Any] = {
        "query_sets": [query_set_id] * len(evaluations_and_queries),
        "evaluations": [evaluation for evaluation, _ in evaluations_and_queries],
        "queries": [query for _, query in evaluations_and_queries],
    }
    with connection.cursor() as cursor:
        cursor.execute(_DELETE, parameters)


def copy_scores(rows: Iterable[ScoreRow]) -> None:
    with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
        copy.set_types(_COPY_TYPES)
        for row in rows:
            copy.write_row(row)


def store_summaries(query_set_id: int, evaluation_ids: Sequence[int], value: int) -> None:
    """Means, sums and counts of these evaluations from their scores, and the fingerprint that they stand for."""
    parameters: dict[str, Any] = {
        "query_set": query_set_id,
        "evaluations": list(evaluation_ids),
        "fingerprint": value,
    }
    with connection.cursor() as cursor:
        cursor.execute(_SUMMARIES, parameters)
