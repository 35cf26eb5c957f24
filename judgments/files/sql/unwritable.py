"""What a format cannot hold of a list's grades, looked for in the database: an export is refused before its first byte."""

from typing import Final, NamedTuple

from judgments.base.sql import copy
from touchstone_core.formats.judgments.judgment_files import JudgmentFormat

LIVE: Final = """
SELECT query.external_id AS query, document.external_id AS document, grade.value
FROM judgments_consensusgrade grade
JOIN judgments_query query ON query.id = grade.query_id JOIN judgments_document document ON document.id = grade.document_id
WHERE grade.judgment_list_id = %(list)s AND grade.value IS NOT NULL
"""
FROZEN: Final = """
SELECT frozen.external_id AS query, named.document, named.value
FROM judgments_versiongrades frozen CROSS JOIN unnest(frozen.names, frozen.values) AS named (document, value)
WHERE frozen.version_id = %(version)s
"""
# The writers of the formats refuse the same; they have the words for it.
UNWRITABLE: Final = """
graded.query ~ %(no_query)s OR graded.document ~ %(no_document)s
OR %(whole)s AND graded.value <> floor(graded.value)
"""
FIRST: Final = 'SELECT * FROM ({graded}) graded WHERE {refused} ORDER BY query, document COLLATE "C" LIMIT 1'


class GradeRow(NamedTuple):
    query: str
    document: str
    value: float


def first_unwritable(
    format: JudgmentFormat, *, list_id: int, version_id: int | None, whole_numbers: bool
) -> GradeRow | None:
    """The first grade, of the live list or of a version, that the writer of the format refuses."""
    whole = format.whole and not whole_numbers
    if not (format.no_query or format.no_document or whole):
        return None
    statement = FIRST.format(graded=LIVE if version_id is None else FROZEN, refused=UNWRITABLE)
    patterns = {"no_query": format.no_query or None, "no_document": format.no_document or None}
    rows = copy.rows(statement, list=list_id, version=version_id, whole=whole, **patterns)
    return GradeRow(*rows[0]) if rows else None
