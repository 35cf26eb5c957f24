"""Runs as CSV or TSV with a header: `query, document[, rank][, score]`, in any order of columns."""

from collections.abc import Mapping

from evaluation.ingest.formats.rankings import Rows
from evaluation.ingest.formats.trec import refuse_id, refuse_score
from judgments.formats import cells
from judgments.formats.problems import FormatError, Report
from judgments.formats.tables import Column, Row, detect_delimiter, match_columns, read_table
from judgments.formats.text import Text

COLUMNS = (
    Column("query", ("query_id", "qid", "query", "query_text", "topic_id", "topic"), required=True),
    Column(
        "document",
        ("document_id", "document", "doc_id", "doc", "docno", "product_id", "asin", "sku", "item_id"),
        required=True,
    ),
    Column("rank", ("rank", "position", "doc_position", "pos")),
    Column("score", ("score", "retrieval_score", "similarity", "sim")),
)


def looks_like_table(content: str) -> bool:
    """Whether the first line that is no comment names the columns, or at least is cut by something but blanks."""
    lines = (line for line in content.split("\n", 1000) if line.strip() and not line.startswith("#"))
    first = next(lines, "")
    delimiter = detect_delimiter(first)
    headers = [cell.strip(' "') for cell in first.split(delimiter)]
    try:
        match_columns(headers, COLUMNS, {})
    except FormatError:
        parts = first.split()
        return len(headers) > 1 and len(parts) not in (5, 6) and parts[1:2] != ["Q0"]
    return True


def read_columns(
    text: Text, report: Report, *, columns: Mapping[str, str] | None, format: str
) -> tuple[str, dict[str, Rows]]:
    """csv or tsv, and the rows by query. A column that is there must be filled in every row."""
    table = read_table(text, COLUMNS, report, columns=columns, format=format)
    gathered: dict[str, Rows] = {}
    for row in table.rows:
        _add(row, gathered, report)
    return table.format, gathered


def _add(row: Row, gathered: dict[str, Rows], report: Report) -> None:
    query, document = row.cells["query"], row.cells["document"]
    score_text, rank_text = row.cells.get("score"), row.cells.get("rank")
    score = cells.number(score_text or "")
    rank = cells.number(rank_text or "")
    faults = [refuse_id(row.line, "query", query, report), refuse_id(row.line, "document", document, report)]
    if score_text is not None and score is None:
        refuse_score(row.line, score_text, report)
    if rank_text is not None and (rank is None or rank % 1):
        report.error(row.line, "rank", rank_text, "a whole number", kind="rank not a whole number")
        rank = None
    if any(faults) or (score_text is not None and score is None) or (rank_text is not None and rank is None):
        return
    rows = gathered.setdefault(query, Rows(row.line))
    rows.documents.append(document)
    rows.lines.append(row.line)
    if score is not None:
        rows.scores.append(score)
    if rank is not None:
        rows.ranks.append(int(rank))
