"""Freezes consensus grades, hashes them, and compares two states of a list."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final, NamedTuple

from django.db import connection

from judgments.base.sql import copy
from judgments.grades.sql.explanations import FACTS, JOINED_FACTS

RESERVE: Final = "SELECT nextval(pg_get_serial_sequence('judgments_version', 'id'))"

# One statement, hence one snapshot of the grades, whatever raters do meanwhile. Most of its time goes into the judgments
# behind each grade. Grouping them before the join saves a fifth, which isn't worth a second version of JOINED_FACTS.
FREEZE: Final = f"""
WITH undecided AS (
    SELECT count(*) FILTER (WHERE undecided) AS count
    FROM judgments_consensusgrade WHERE judgment_list_id = %(list)s
), frozen AS (
    INSERT INTO judgments_versiongrades (version_id, query_id, external_id, weight, documents, names, values, how, facts)
    SELECT %(version)s, query.id, query.external_id, query.weight,
           graded.documents, graded.names, graded.values, '{{}}', graded.facts
    FROM (
        SELECT grade.query_id, array_agg(grade.document_id ORDER BY grade.document_id) AS documents,
               array_agg(document.external_id::text ORDER BY grade.document_id) AS names,
               array_agg(grade.value ORDER BY grade.document_id) AS values,
               json_agg({FACTS} ORDER BY grade.document_id) AS facts
        FROM judgments_consensusgrade grade JOIN judgments_document document ON document.id = grade.document_id
        JOIN judgments_pair pair ON pair.id = grade.pair_id {JOINED_FACTS}
        WHERE grade.judgment_list_id = %(list)s AND grade.value IS NOT NULL
        GROUP BY grade.query_id
    ) graded
    JOIN judgments_query query ON query.id = graded.query_id
    RETURNING cardinality(documents) AS grades
)
SELECT (SELECT count(*) FROM frozen), (SELECT coalesce(sum(grades), 0) FROM frozen),
       (SELECT coalesce(sum(pair_count), 0) FROM judgments_listquery WHERE judgment_list_id = %(list)s),
       (SELECT count FROM undecided),
       (SELECT count(*) FROM judgments_adjudication WHERE judgment_list_id = %(list)s AND withdrawn_at IS NULL)
"""  # noqa: S608 -- joined from constants

# Backslashes, tabs, line feeds and carriage returns in IDs are escaped as in COPY, so that no ID reads as two.
_ESCAPE_ID: Final = (
    r"replace(replace(replace(replace({}, '\', '\\'), E'\t', '\t'), E'\n', '\n'), E'\r', '\r')"
)
CANONICAL: Final = f"""
SELECT (
    SELECT string_agg(
        {_ESCAPE_ID.format("frozen.external_id")} || E'\\t' || {_ESCAPE_ID.format("grade.name")} || E'\\t'
        || (grade.value + 0)::text || E'\\n', '' ORDER BY grade.name COLLATE "C"
    )
    FROM unnest(frozen.names, frozen.values) AS grade (name, value)
)
FROM judgments_versiongrades frozen WHERE frozen.version_id = %(version)s
ORDER BY frozen.external_id COLLATE "C"
"""  # noqa: S608

ELSEWHERE: Final = """
SELECT EXISTS (
    SELECT FROM judgments_versiongrades frozen LEFT JOIN judgments_query query ON query.id = frozen.query_id
    WHERE frozen.version_id = %(version)s AND (
        query.external_id IS DISTINCT FROM frozen.external_id
        OR cardinality(frozen.documents) <> cardinality(frozen.values)
        OR EXISTS (
            SELECT FROM unnest(frozen.documents, frozen.names) AS grade (document_id, name)
            LEFT JOIN judgments_document document ON document.id = grade.document_id
            WHERE document.external_id IS DISTINCT FROM grade.name
        )
    )
)
"""

GRADES: Final = """
SELECT grade.value, count(*) FROM judgments_versiongrades frozen CROSS JOIN LATERAL unnest(frozen.values) AS grade (value)
WHERE frozen.version_id = %(version)s GROUP BY grade.value
"""
_LIVE: Final = """
    SELECT query_id, document_id, value FROM judgments_consensusgrade
    WHERE judgment_list_id = %(list)s AND value IS NOT NULL
"""
# Skips queries with the same arrays in two versions, which saves unnesting them.
_FROZEN: Final = """
    SELECT frozen.query_id, grade.document_id, grade.value
    FROM judgments_versiongrades frozen
    CROSS JOIN LATERAL unnest(frozen.documents, frozen.values) AS grade (document_id, value)
    WHERE frozen.version_id = %({this})s AND NOT EXISTS (
        SELECT FROM judgments_versiongrades other
        WHERE other.version_id = %({that})s AND other.query_id = frozen.query_id
            AND other.documents = frozen.documents AND other.values = frozen.values
    )
"""
_WITH_CHANGES: Final = """
WITH earlier AS MATERIALIZED ({earlier}), later AS MATERIALIZED ({later}),
changed AS MATERIALIZED (
    SELECT query_id, document_id, earlier.value AS was, later.value AS now
    FROM earlier FULL JOIN later USING (query_id, document_id)
    WHERE earlier.value IS DISTINCT FROM later.value
)
"""
_COUNT_CHANGES: Final = """
SELECT count(*) FILTER (WHERE was IS NULL), count(*) FILTER (WHERE was IS NOT NULL AND now IS NOT NULL),
       count(*) FILTER (WHERE now IS NULL), count(DISTINCT query_id)
FROM changed
"""
_READ_CHANGES: Final = """
SELECT query.id, query.external_id, query.text, document.id, document.external_id, document.title, changed.was, changed.now
FROM changed
JOIN judgments_query query ON query.id = changed.query_id
JOIN judgments_document document ON document.id = changed.document_id
ORDER BY abs(changed.now - changed.was) DESC NULLS LAST, query.external_id, document.external_id
LIMIT %(limit)s
"""


COUNTS = ("query_count", "grade_count", "pair_count", "undecided_count", "adjudicated_count")
"""Queries with a grade and their grades in a version, and all pairs, undecided ones and adjudicated ones of its list."""


class ChangeCounts(NamedTuple):
    """How many grades differ between two states of a list, and in how many queries."""

    added: int
    changed: int
    removed: int
    queries: int


class GradeChange(NamedTuple):
    """One grade that differs: `before` is None for an added grade, `after` for a removed one."""

    query_key: int
    query_id: str
    query: str
    document_key: int
    document_id: str
    title: str
    before: float | None
    after: float | None


def reserve_id() -> int:
    """The key of a version that is stored after its grades."""
    return int(copy.value(RESERVE))


def freeze(*, version_id: int, list_id: int) -> dict[str, int]:
    """Copies the consensus grades of the list to a version that does not exist yet, and returns its COUNTS."""
    found = copy.row(FREEZE, version=version_id, list=list_id, rule=None)
    return dict(zip(COUNTS, map(int, found), strict=True))


def canonical_lines(version_id: int) -> Iterator[str]:
    """The text of a version's hash, query by query, to be encoded as UTF-8. Needs a transaction.

    A line for each grade: query ID, tab, document ID, tab, grade, line feed; sorted by the bytes of the query ID,
    then of the document ID. The grade is the shortest decimal that reads back as the same number, as PostgreSQL
    writes it: 3, 2.5, 0.1, 1e-07; 0 for minus 0.
    """
    with connection.chunked_cursor() as cursor:
        cursor.execute(CANONICAL, {"version": version_id})
        while rows := cursor.fetchmany(100):
            yield from (text for (text,) in rows)


def content_hash(version_id: int) -> str:
    """SHA-256 of `canonical_lines` in hexadecimal digits. Needs a transaction."""
    digest = sha256()
    for text in canonical_lines(version_id):
        digest.update(text.encode())
    return digest.hexdigest()


def points_elsewhere(version_id: int) -> bool:
    """Whether a grade points to another query or document than the one whose ID is in the hash."""
    return bool(copy.value(ELSEWHERE, version=version_id))


def count_grades(version_id: int) -> dict[float, int]:
    """How often each grade occurs in a version."""
    return dict(copy.rows(GRADES, version=version_id))


def count_differences(*, list_id: int, earlier: int | None, later: int | None) -> ChangeCounts:
    """Counts changes between two versions; None stands for the live list. One statement."""
    statement = _with_changes(earlier, later) + _COUNT_CHANGES
    return ChangeCounts(*map(int, copy.row(statement, **_parameters(list_id, earlier, later))))


def read_differences(
    *, list_id: int, earlier: int | None, later: int | None, limit: int
) -> list[GradeChange]:
    """The grades that differ, greatest differences first, grades of one side only last."""
    parameters = _parameters(list_id, earlier, later) | {"limit": limit}
    statement = _with_changes(earlier, later) + _READ_CHANGES
    return [GradeChange(*row) for row in copy.rows(statement, **parameters)]


def _with_changes(earlier: int | None, later: int | None) -> str:
    return _WITH_CHANGES.format(
        earlier=_side("earlier", "later", earlier),
        later=_side("later", "earlier", later),
    )


def _side(this: str, that: str, version_id: int | None) -> str:
    return _LIVE if version_id is None else _FROZEN.format(this=this, that=that)


def _parameters(list_id: int, earlier: int | None, later: int | None) -> dict[str, Any]:
    return {"list": list_id, "earlier": earlier, "later": later}
