"""A file of judgments in any of the formats that are read, found out by its content or chosen."""

import json
from collections.abc import Mapping
from typing import Final

from judgments.formats import json_judgments
from judgments.formats.delimited import detect_delimiter, without_stated_delimiter
from judgments.formats.judgments import COLUMNS, JudgmentRecord, open_judgments
from judgments.formats.letor import looks_like_letor, open_letor
from judgments.formats.problems import FormatError
from judgments.formats.qrels import COLUMNS as QRELS_COLUMNS
from judgments.formats.qrels import open_qrels, split_blanks
from judgments.formats.tables import Opened, match_columns
from judgments.formats.text import Text
from judgments.formats.wide import looks_wide, open_wide

FORMATS: Final[Mapping[str, str]] = {
    "csv": "CSV: commas or semicolons (Touchstone, Quepid, OpenSearch, ESCI)",
    "tsv": "TSV: tabs",
    "wide": "CSV with a column for each rater",
    "jsonl": "JSON lines",
    "qrels": "TREC qrels",
    "letor": "LETOR, RankLib",
    "quepid-book": "Quepid book (JSON)",
    "quepid-case": "Quepid case or ratings (JSON)",
    "opensearch": "OpenSearch judgments (JSON)",
    "rre": "RRE ratings (JSON)",
    "rank-eval": "Elasticsearch rank_eval ratings (JSON)",
    "json": "JSON: grades by query and document",
}
OPENSEARCH_HEADERS: Final = ("query", "docid", "rating")


def open_judgment_text(
    text: Text, *, format: str | None = None, columns: Mapping[str, str] | None = None
) -> Opened[JudgmentRecord]:
    """Raises FormatError for a file that cannot be read as a whole, also while its records are read."""
    if text.is_blank:
        raise FormatError(f"{text.name} is empty.")
    chosen = format or detect_format(text)
    if chosen not in FORMATS:
        raise FormatError(f"{chosen} is not a format to choose from: {', '.join(FORMATS)}.")
    if chosen in json_judgments.READERS:
        return json_judgments.open_json(text, chosen)
    if chosen == "qrels":
        return open_qrels(text)
    if chosen == "letor":
        return open_letor(text)
    if chosen == "wide":
        return open_wide(text, columns=columns)
    given = {target: header for target, header in (columns or {}).items() if target != "raters"}
    return open_judgments(text, columns=given, format=chosen, headers=_missing_headers(text, chosen, given))


def detect_format(text: Text) -> str:
    """A key of `FORMATS`. Never raises: what is none of the others is read as a table, whose reader says what it lacks."""
    content = text.start
    start = content.lstrip()[:1]
    if start in ("{", "[") and not _is_odd_qrels(content):
        return "jsonl" if start == "{" and _is_json_lines(content) else json_judgments.detect(content)
    if looks_like_letor(content[:100_000]):
        return "letor"
    if looks_like_qrels(text):
        return "qrels"
    if looks_wide(text):
        return "wide"
    return "tsv" if detect_delimiter(_first_line(content)) == "\t" else "csv"


def looks_like_qrels(text: Text) -> bool:
    """The first line with content has three to five parts between blanks, of which the fourth or last is a number.

    Three and five are no qrels; but whoever gives such a file meant them, and is told what they need.
    """
    for line in text.start[:10_000].split("\n"):
        parts = split_blanks(line)
        if parts and not line.startswith("#"):
            columns = QRELS_COLUMNS - 1 <= len(parts) <= QRELS_COLUMNS + 1
            if parts[1:2] in (["0"], ["Q0"]) and len(parts) == QRELS_COLUMNS:
                return _is_number(parts[3])
            return columns and not _cut(line) and _is_number(parts[3] if len(parts) > 3 else parts[-1])
    return False


def _is_odd_qrels(content: str) -> bool:
    """Qrels whose first query id begins like JSON."""
    parts = split_blanks(_first_line(content))
    return len(parts) == QRELS_COLUMNS and parts[1] in ("0", "Q0") and _is_number(parts[3])


def _cut(line: str) -> bool:
    """Whether commas or semicolons cut a line, outside of quotes, into the three parts of a row of judgments."""
    delimiter = detect_delimiter(line)
    return delimiter != "\t" and line.count(delimiter) >= 2


def _is_json_lines(content: str) -> bool:
    """The first line is an object of its own with another one behind it, or the only one and flat."""
    lines = [line.strip() for line in content.lstrip().split("\n", 20)[:20] if line.strip()]
    first = lines[0]
    if not first.endswith("}") or (len(lines) > 1 and not lines[1].startswith("{")):
        return False
    return len(lines) > 1 or _is_flat(first)


def _is_flat(line: str) -> bool:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and not any(isinstance(value, dict | list) for value in found.values())


def _missing_headers(text: Text, format: str, columns: Mapping[str, str]) -> tuple[str, ...] | None:
    """OpenSearch's own CSV needs no header: its three columns, where the first line is a row of them."""
    parts = [part.strip(' "\n') for part in _first_line(text.start).split(",")]
    if format != "csv" or columns or len(parts) != len(OPENSEARCH_HEADERS) or not _is_number(parts[2]):
        return None
    try:
        match_columns(parts, COLUMNS, {})
    except FormatError:
        return OPENSEARCH_HEADERS
    return None


def _first_line(content: str) -> str:
    lines = (
        line
        for line in without_stated_delimiter(content[:1_000_000]).split("\n", 1000)
        if line.strip() and not line.startswith("# ")
    )
    return next(lines, "")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
