"""A file of queries in any of the formats that are read, found out by its content or chosen."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from judgments.formats import cells
from judgments.formats.delimited import detect_delimiter, without_stated_delimiter
from judgments.formats.json_items import Item, items
from judgments.formats.json_keys import keys
from judgments.formats.json_records import as_text
from judgments.formats.problems import FormatError, Report
from judgments.formats.queries import COLUMNS, LINES, QueryRecord, id_of_text, read_lines, read_queries
from judgments.formats.tables import Parsed, header_key
from judgments.formats.text import Text
from judgments.formats.topics import looks_like_topics, read_topics

FORMATS: Final[Mapping[str, str]] = {
    "csv": "CSV: commas or semicolons",
    "tsv": "TSV: tabs",
    "jsonl": "JSON lines",
    LINES: "Plain list: a query on each line",
    "topics": "TREC topics (SGML or XML)",
    "opensearch": "OpenSearch query set (JSON lines or JSON)",
    "quepid": "Quepid book or case (JSON)",
}
TSV_HEADERS: Final = ("query_id", "query")
OPENSEARCH: Final = frozenset(("querySetQueries", "queryText", "[.queryText"))
QUEPID: Final = frozenset(("query_doc_pairs[", "queries["))
LISTS: Final = ("querySetQueries", "query_doc_pairs", "queries")


def read_query_text(
    text: Text, *, format: str | None = None, columns: Mapping[str, str] | None = None
) -> Parsed[QueryRecord]:
    """Raises FormatError for a file that cannot be read as a whole. Queries without ids have one made from their text."""
    chosen = format or detect_format(text)
    if chosen == LINES and not columns:
        return read_lines(text)
    if chosen not in FORMATS:
        raise FormatError(f"{chosen} is not a format to choose from: {', '.join(FORMATS)}.")
    if chosen == "topics":
        return read_topics(text)
    if chosen in ("opensearch", "quepid"):
        return _read_json(text, chosen)
    headers = TSV_HEADERS if chosen == "tsv" and not columns and _is_bare(text.start) else None
    return read_queries(text, columns=columns, format=chosen, headers=headers)


def detect_format(text: Text) -> str:
    """A key of `FORMATS`."""
    content = text.start
    if looks_like_topics(content):
        return "topics"
    if content.lstrip()[:1] in ("{", "["):
        found = keys(content)
        if OPENSEARCH & found or ("hits{" in found and '"querySetQueries"' in content):
            return "opensearch"
        return "quepid" if QUEPID & found else "jsonl"
    first = _first_line(content)
    if _is_query(first):
        return LINES
    return "tsv" if detect_delimiter(first) == "\t" else "csv"


def _is_query(line: str) -> bool:
    """Whether this first line is a query: one cell, no header, no line of a file of judgments or of a run."""
    (aliases,) = (column.aliases for column in COLUMNS if column.target == "query")
    known = {header_key(alias) for alias in aliases}
    is_table = any(sign in line for sign in ",;\t|") or header_key(line.strip(' "')) in known
    return bool(line.strip()) and not is_table and not re.match(r"\s*\S+\s+(0|Q0)\s|.*\bqid:", line)


def _is_bare(content: str) -> bool:
    """Whether the first line is a row of two cells, an id and a text, and no header."""
    parts = [part.strip().casefold() for part in _first_line(content).split("\t")]
    words = {"query", "text", "title", "q", "query_text", "query text", "keywords", "search_text"}
    return len(parts) == len(TSV_HEADERS) and not words & set(parts)


def _first_line(content: str) -> str:
    lines = (
        line
        for line in without_stated_delimiter(content).split("\n", 1000)
        if line.strip() and not line.startswith("# ")
    )
    return next(lines, "")


def _read_json(text: Text, format: str) -> Parsed[QueryRecord]:
    """Each text once: the same query again, as in a book with a pair for each document, may say what it is for."""
    report = Report()
    found: dict[str, QueryRecord] = {}
    for line, query, need in _queries(text):
        named = as_text(query)
        fault = "a query" if named is None else cells.id_fault(named)
        if fault or named is None:
            report.error(line, "query", "" if query is None else query, fault or "", kind="not an id")
        elif named not in found or not found[named].information_need:
            wanted = as_text(need) or ""
            if fault := cells.length_fault(wanted, cells.LONGEST_NEED):
                report.error(line, "information need", wanted, fault, kind="too long")
                continue
            first = found.get(named, QueryRecord(line, id_of_text(named), named, by_text=True))
            found[named] = replace(first, information_need="" if cells.text_fault(wanted) else wanted)
    if not found and report.ok:
        raise FormatError(f"{text.name} holds no queries.")
    used = {"query": "query", "information_need": "information need"}
    return Parsed(list(found.values()), report, format, [], used)


def _queries(text: Text) -> Iterator[tuple[int, Any, Any]]:
    """Line, text and information need."""
    for item in _lines(text) if _is_json_lines(text.start) else items(text, LISTS):
        if item.place is not None:
            value = item.value if isinstance(item.value, dict) else {}
            query = value.get("queryText", value.get("query_text", value.get("query")))
            yield item.line, query, value.get("information_need", value.get("referenceAnswer"))


def _is_json_lines(content: str) -> bool:
    return bool(re.match(r'\s*\{\s*"queryText"', content))


def _lines(text: Text) -> Iterator[Item]:
    for line, content in enumerate(text.lines(), start=1):
        if content.strip():
            value: dict[str, Any] = {}
            for item in items(Text(f"line {line} of {text.name}", content, text.encoding), ()):
                value[item.key] = item.value
            yield Item(line, "", line, value)
