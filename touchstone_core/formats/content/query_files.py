"""The formats of queries, each declared once, and a reader for all of them. The content tells the format, or a person does.

Files are compared with the formats in this order.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from touchstone_core.formats import cells
from touchstone_core.formats.content import content_writers
from touchstone_core.formats.content.queries import COLUMNS, QueryRecord, id_of_text, read_lines, read_queries
from touchstone_core.formats.content.topics import looks_like_topics, read_topics
from touchstone_core.formats.delimiters import first_line, is_cut_by_tabs
from touchstone_core.formats.file_format import WrittenFormat, by_name, detect_format, find_format, neither
from touchstone_core.formats.json_items import Item, items
from touchstone_core.formats.json_keys import HIT, begins_as_json
from touchstone_core.formats.json_records import as_text
from touchstone_core.formats.preamble import preamble_left_out, tell_preamble
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.tables import RecordList, header_key
from touchstone_core.formats.text import Text

Columns = Mapping[str, str] | None
(QUERY_HEADERS,) = (column.aliases for column in COLUMNS if column.target == "query")
TSV_HEADERS: Final = ("query_id", "query")
LISTS: Final = ("querySetQueries", "query_doc_pairs", "queries")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFormat(WrittenFormat):
    """`read` takes a text and the columns that a person chose."""

    read: Callable[[Text, Columns], RecordList[QueryRecord]]
    write: Callable[[Iterable[QueryRecord]], Iterator[str]] = neither


def _looks_like_lines(text: Text) -> bool:
    """Whether the first line is a query: a single cell, not a header, and not a line of judgments or of a run."""
    line = first_line(text)
    query_headers = {header_key(alias) for alias in QUERY_HEADERS}
    is_table = any(sign in line for sign in ",;\t|") or header_key(line.strip(' "')) in query_headers
    return bool(line.strip()) and not is_table and not re.match(r"\s*\S+\s+(0|Q0)\s|.*\bqid:", line)


def _lines(text: Text, columns: Columns) -> RecordList[QueryRecord]:
    """With columns it's a table of one column."""
    return read_queries(text, columns=columns, format="csv") if columns else read_lines(text)


def _tabs(text: Text, columns: Columns) -> RecordList[QueryRecord]:
    headers = TSV_HEADERS if not columns and _is_bare(text) else None
    return read_queries(text, columns=columns, format="tsv", headers=headers)


def _is_bare(text: Text) -> bool:
    """Whether the first line is an ID and a text rather than a header."""
    parts = [part.strip().casefold() for part in first_line(text).split("\t")]
    return len(parts) == len(TSV_HEADERS) and not {*QUERY_HEADERS, "query text"} & set(parts)


def _read_json(text: Text, _: Columns) -> RecordList[QueryRecord]:
    """Each text once. A book repeats the query in every pair, and any of them may have the information need."""
    report = Report()
    records: dict[str, QueryRecord] = {}
    for line, query, need in _queries(text):
        name = as_text(query)
        fault = "a query" if name is None else cells.id_fault(name)
        if fault or name is None:
            report.error(line, "query", "" if query is None else query, fault or "", kind="not an ID")
        elif name not in records or not records[name].information_need:
            need_text = as_text(need) or ""
            if fault := cells.length_fault(need_text, cells.LONGEST_NEED):
                report.error(line, "information need", need_text, fault, kind="too long")
                continue
            first = records.get(name, QueryRecord(line, id_of_text(name), name, by_text=True))
            records[name] = replace(first, information_need="" if cells.text_fault(need_text) else need_text)
    if not records and report.ok:
        raise FormatError(f"{text.name} holds no queries.")
    columns = {"query": "query", "information_need": "information need"}
    return RecordList(list(records.values()), report, "", [], columns)


def _queries(text: Text) -> Iterator[tuple[int, Any, Any]]:
    """Line, text and information need."""
    for item in _json_lines(text) if _is_json_lines(text.start) else items(text, LISTS):
        if item.place is not None:
            value = item.value if isinstance(item.value, dict) else {}
            query = value.get("queryText", value.get("query_text", value.get("query")))
            yield item.line, query, value.get("information_need", value.get("referenceAnswer"))


def _is_json_lines(content: str) -> bool:
    return bool(re.match(r'\s*\{\s*"queryText"', content))


def _json_lines(text: Text) -> Iterator[Item]:
    for line, content in enumerate(text.lines(), start=1):
        if content.strip():
            value: dict[str, Any] = {}
            for item in items(Text(f"line {line} of {text.name}", content, text.encoding), ()):
                value[item.key] = item.value
            yield Item(line, "", line, value)


FORMATS: Final = by_name(
    [
        QueryFormat(
            name="opensearch",
            label="OpenSearch query set (JSON lines or JSON)",
            example='{"queryText": "red shoes"}\n{"queryText": "boots"}\n',
            names=("querySetQueries", "queryText", "[.queryText", f"{HIT}.querySetQueries"),
            read=_read_json,
        ),
        QueryFormat(
            name="quepid",
            label="Quepid book or case (JSON)",
            example="""{"queries": [
  {"query_text": "red shoes",
   "information_need": "for running"}]}
""",
            names=("query_doc_pairs[", "queries["),
            read=_read_json,
        ),
        QueryFormat(
            name="jsonl",
            label="JSON lines",
            example='{"query_id": "q1", "query": "red shoes", "weight": 120, "tags": ["shoes"]}\n',
            looks=begins_as_json,
            read=lambda text, columns: read_queries(text, columns=columns, format="jsonl"),
            columns=True,
            write=content_writers.queries_jsonl,
            ending="jsonl",
            leaves_out=content_writers.HISTORY,
        ),
        QueryFormat(
            name="topics",
            label="TREC topics (SGML or XML)",
            example='<topic number="1"><title>red shoes</title><narrative>for running</narrative></topic>\n',
            looks=looks_like_topics,
            read=lambda text, _: read_topics(text),
        ),
        QueryFormat(
            name="lines",
            label="Plain list",
            note="a query on each line",
            example="red shoes\nboots\n",
            looks=_looks_like_lines,
            read=_lines,
        ),
        QueryFormat(
            name="tsv",
            label="TSV",
            note="tabs; two columns without a header are ID and text (MS MARCO)",
            example="q1\tred shoes\nq2\tboots\n",
            looks=is_cut_by_tabs,
            read=_tabs,
            columns=True,
        ),
        QueryFormat(
            name="csv",
            label="CSV",
            note="commas or semicolons",
            example="query_id,query,information_need,weight,tags\nq1,red shoes,for running,120,shoes;sport\n",
            read=lambda text, columns: read_queries(text, columns=columns, format="csv"),
            columns=True,
            write=content_writers.queries_csv,
            ending="csv",
            leaves_out=content_writers.NOT_IN_CSV,
        ),
    ]
)


def read_query_text(
    text: Text, *, format: str | None = None, columns: Mapping[str, str] | None = None
) -> RecordList[QueryRecord]:
    """Raises FormatError if the file can't be read at all. Queries without IDs get one made from their text."""
    with preamble_left_out(text, columns) as table:
        file_format = find_format(format, FORMATS) if format else detect_format(table, FORMATS)
        queries = file_format.read(table, columns)
    tell_preamble(table, queries.report)
    return replace(queries, format=queries.format or file_format.name)
