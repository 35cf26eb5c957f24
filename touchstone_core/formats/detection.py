"""Says what a file is: queries, documents, judgments or a run. The content decides, and the file's name where content can't."""

import json
import re
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Final

from touchstone_core.formats import cells
from touchstone_core.formats.content import documents, queries
from touchstone_core.formats.content.topics import looks_like_topics
from touchstone_core.formats.delimiters import detect_delimiter, first_line
from touchstone_core.formats.json_keys import begins_as_json, is_json_lines, keys
from touchstone_core.formats.judgments import judgment_files, judgments
from touchstone_core.formats.judgments.letor import looks_like_letor
from touchstone_core.formats.judgments.qrels import Q0, is_odd_qrels, names_columns, split_blanks
from touchstone_core.formats.judgments.wide import looks_wide
from touchstone_core.formats.preamble import without_preamble
from touchstone_core.formats.runs import table_runs, trec_shapes
from touchstone_core.formats.runs.json_runs import DOCUMENT_KEYS, QUERY_KEYS
from touchstone_core.formats.tables import Column, header_key
from touchstone_core.formats.text import Text

QUERIES: Final = "queries"
DOCUMENTS: Final = "documents"
JUDGMENTS: Final = "judgments"
RUN: Final = "run"
UNKNOWN: Final = ""

NAMES: Final = (
    (JUDGMENTS, re.compile(r"qrel|judg|rating|assess|grade|pairs")),
    (QUERIES, re.compile(r"quer|topic")),
    (DOCUMENTS, re.compile(r"corpus|doc|product|item|catalog|article|collection|passage")),
    (RUN, re.compile(r"run|result|rank|trec")),
)
PEEKED_LINES: Final = 1_000
LONGEST_LISTED: Final = 250  # characters of a query in a plain list
LONG_TEXT: Final = 120  # characters: texts of documents are longer, texts of queries shorter
MOST_SMALL: Final = 10  # whole numbers up to here are more likely grades than scores

GRADE_KEYS: Final = frozenset(
    map(header_key, (*table_runs.GRADES, "reason", "unrateable", "rel", "decided_grade"))
)
RUN_NAMES: Final = (
    *("corpora[", "searchText", "documentIds", "[.searchText", "hits{.hits[._source{.searchText"),
    *("metric_score", "snapshots[", "docs{", "hits{.hits[._id", "responses[.hits{"),
)
QUERY_NAMES: Final = ("querySetQueries", "queryText", "[.queryText", "hits{.hits[._source{.querySetQueries")


def _aliases(columns: Sequence[Column], *targets: str) -> frozenset[str]:
    return frozenset(
        header_key(alias) for column in columns if column.target in targets for alias in column.aliases
    )


QUERY_HEADERS: Final = _aliases(judgments.COLUMNS, "query", "query_text")
DOCUMENT_HEADERS: Final = _aliases(judgments.COLUMNS, "document")
RANK_HEADERS: Final = _aliases(table_runs.OTHERS, "rank", "score")
QUERY_TEXTS: Final = _aliases(queries.COLUMNS, "query") - {"text", "title"}
CONTENT_HEADERS: Final = _aliases(documents.COLUMNS, "title", "body", "url", "image") | {"text"}


def kind_of(text: Text) -> str:
    """`queries`, `documents`, `judgments` or `run`; empty for a file of which nobody can tell."""
    if text.is_blank:
        return UNKNOWN
    text = without_preamble(text)
    if begins_as_json(text) and not is_odd_qrels(text):
        return _kind_of_json_lines(text) if is_json_lines(text) else _kind_of_json(text)
    return _kind_of_words(text) or _kind_of_table(text) or _kind_of_list(text)


def _by_name(text: Text, kinds: Collection[str] = ()) -> str:
    """What the file's name says, among `kinds`; empty where it says nothing."""
    name = text.name.casefold()
    return next(
        (kind for kind, words in NAMES if (not kinds or kind in kinds) and words.search(name)), UNKNOWN
    )


def kind_of_tool(text: Text) -> str:
    """What a JSON document is by the names that a tool writes. Empty for an object of documents by query, a run or grades."""
    names = keys(text.start) if begins_as_json(text) and not is_json_lines(text) else set()
    return UNKNOWN if _is_by_query(names) else _kind_of_names(names)


def _kind_of_json(text: Text) -> str:
    names = keys(text.start)
    kind = _kind_of_names(names)
    if kind:
        return kind
    if _is_by_query(names):
        return _by_name(text, (JUDGMENTS, RUN)) or (JUDGMENTS if _has_small_numbers(text) else RUN)
    if any("{" in name for name in names):
        return UNKNOWN
    return _kind_of_headers(set(map(header_key, names)), text)  # the only line of JSON lines


def _kind_of_names(names: set[str]) -> str:
    """Of the paths of names in a JSON document, as tools write them."""
    if not names.isdisjoint(QUERY_NAMES):
        return QUERIES
    if "queries[" in names:  # of Quepid, with or without ratings
        rated = any(
            name.startswith(("queries[.ratings", "queries[.relevant_documents", "queries[.placeholders"))
            for name in names
        )
        return RUN if "docs{" in names else JUDGMENTS if rated else QUERIES
    if not names.isdisjoint(name for one in judgment_files.READABLE.values() for name in one.names):
        return JUDGMENTS
    return UNKNOWN if names.isdisjoint(RUN_NAMES) else RUN


def _is_by_query(names: Collection[str]) -> bool:
    """Whether a document is an object of documents by query: `q1{`, `q1{.d1`, or `q1[`."""
    top = [name for name in names if not re.search(r"[{\[]", name)]
    flat = [name for name in top if f"{name}{{" not in names and f"{name}[" not in names]
    return (
        bool(top)
        and len(flat) <= 1 < len(names)
        and not any(re.search(r"[{\[].*[{\[]", name) for name in names)
    )


def _has_small_numbers(text: Text) -> bool:
    """Whether all values of an object by query and document are small whole numbers, as grades are."""
    values = re.findall(r":\s*(-?[\d.eE+-]+)\s*[,}]", text.start[:100_000])
    return bool(values) and all(re.fullmatch(r"-?\d+", one) and int(one) <= MOST_SMALL for one in values)


def _kind_of_json_lines(text: Text) -> str:
    try:
        first = json.loads(text.start.lstrip().split("\n", 1)[0])
    except (ValueError, RecursionError):
        return UNKNOWN
    has_query = any(key in first for key in QUERY_KEYS)
    if "searchText" in first or isinstance(first.get("hits"), dict):
        return RUN
    if has_query and any(isinstance(first.get(key), list) for key in ("results", "documents", "hits")):
        return RUN
    if "queryText" in first:
        return QUERIES
    keys = {header_key(key) for key in first}
    if has_query and not keys & GRADE_KEYS and any(key in first for key in DOCUMENT_KEYS[:5]):
        keys.add(header_key("document"))
    return _kind_of_headers(keys, text)


def _rows_of_words(text: Text, *counts: int) -> list[list[str]]:
    """The first rows as words, if all have the same number of words, one of `counts`; comments aside."""
    lines = (line for line in islice(text.start.split("\n"), PEEKED_LINES) if line[:1] != "#")
    rows = [parts for line in lines if (parts := split_blanks(line))]
    if len(rows) > 1 and len(text.start) > sum(map(len, rows[-1])) and not text.start.endswith("\n"):
        rows = rows[:-1]  # the last may be cut off
    widths = {len(row) for row in rows}
    return rows if len(widths) == 1 and widths <= set(counts) else []


def _kind_of_words(text: Text) -> str:
    """Of files in TREC's, LETOR's and MS MARCO's own forms, which have no header."""
    if looks_like_topics(text):
        return QUERIES
    if looks_like_letor(text):
        return JUDGMENTS
    start = [line for line in text.start[:10_000].split("\n") if line.strip() and line[:1] != "#"]
    first = split_blanks(start[0]) if start else []
    if first and (trec_shapes.is_header(first) or (len(first) in (5, 6) and _is_result(first))):
        return RUN
    if names_columns(first) and "\t" not in start[0]:
        return JUDGMENTS
    rows = _rows_of_words(text, 3, 4, 5)
    if not rows or not all(cells.resembles_number(row[-1]) for row in rows):
        is_qrel = len(first) == 4 and first[1] in Q0 and cells.resembles_number(first[3])
        return JUDGMENTS if is_qrel else UNKNOWN
    if any("," in word or ";" in word for word in rows[0][:-1]):
        return UNKNOWN  # a table
    counts_up = trec_shapes.ranks_only(iter(rows), sure=False)
    if trec_shapes.complete(rows[0]) or counts_up:
        return RUN
    return _by_name(text, (JUDGMENTS, RUN)) if len(rows[0]) == 3 and len(rows) < 3 else JUDGMENTS


def _is_result(parts: Sequence[str]) -> bool:
    """Whether a row is one of a TREC run: two of Q0, a rank and a score. The third may be what is wrong with the file."""
    return sum((parts[1] in Q0, *map(cells.resembles_number, parts[3:5]))) >= 2


def _kind_of_table(text: Text) -> str:
    if table_runs.looks_like_snapshots(text):
        return RUN
    line = first_line(text)
    delimiter = detect_delimiter(line)
    headers = [cell.strip(' "\n\r') for cell in line.split(delimiter)]
    if len(headers) < 2:
        return QUERIES if header_key(headers[0]) in QUERY_TEXTS else UNKNOWN
    kind = _kind_of_headers({header_key(header) for header in headers}, text)
    if kind:
        return kind
    if len(headers) == 3 and cells.resembles_number(headers[2]):
        return JUDGMENTS  # OpenSearch's CSV has no header
    bare = delimiter == "\t" and documents.BARE_ID.fullmatch(headers[0])
    if bare and len(headers) == 4:
        return DOCUMENTS
    if bare and len(headers) == 2:
        is_long = len(headers[1]) > LONG_TEXT
        return _by_name(text, (QUERIES, DOCUMENTS)) or (DOCUMENTS if is_long else QUERIES)
    return _by_name(text)


def _kind_of_headers(headers: set[str], text: Text) -> str:
    """Of the names of columns, as `header_key` writes them."""
    if headers & QUERY_HEADERS and headers & DOCUMENT_HEADERS:
        if headers & GRADE_KEYS or "corpusid" in headers:  # qrels of BEIR have scores
            return JUDGMENTS
        if headers & RANK_HEADERS:
            return RUN
        return JUDGMENTS if looks_wide(text) else _by_name(text, (JUDGMENTS, RUN)) or RUN
    if headers & QUERY_TEXTS:
        return QUERIES
    has_content = bool(headers & CONTENT_HEADERS)
    if headers & DOCUMENT_HEADERS and (has_content or not headers & QUERY_HEADERS):
        return DOCUMENTS
    if headers & CONTENT_HEADERS == {"text"} or (has_content and headers & QUERY_HEADERS):
        return _by_name(text, (QUERIES, DOCUMENTS)) or QUERIES
    return DOCUMENTS if has_content else UNKNOWN


def _kind_of_list(text: Text) -> str:
    """A plain list of queries has one short line for each, and a name that says so or the ending of a text."""
    lines = [line.strip() for line in text.start.split("\n", PEEKED_LINES)[:PEEKED_LINES] if line.strip()]
    is_prose = lines[0].startswith(("#", "<", "%", "```")) or any(
        len(line) > LONGEST_LISTED for line in lines
    )
    by_name = _by_name(text, (QUERIES,))
    listed = bool(by_name) or (
        text.name.endswith(".txt") and not any(line.endswith((".", ":")) for line in lines)
    )
    return QUERIES if listed and not is_prose else UNKNOWN
