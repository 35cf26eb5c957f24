"""Runs in JSON: one object of documents by query, or JSON lines. `engine_runs` has the results of other tools."""

import io
import json
import math
from collections.abc import Iterable
from typing import Any

from touchstone_core.formats.json_items import json_lines
from touchstone_core.formats.problems import CutOffError, FormatError, Report, shorten
from touchstone_core.formats.runs.options import Options, RunRows, refuse_query
from touchstone_core.formats.runs.rankings import Rows
from touchstone_core.formats.runs.table_runs import refuse_judgments
from touchstone_core.formats.runs.trec import refuse_id, refuse_score
from touchstone_core.formats.text import Text

SHAPE = '{"query": {"document": score}} or {"query": ["document", …]}'
LINE_SHAPE = '{"query": "q1", "results": [{"document": "d1", "score": 1.2}]}'
EXTRA_DATA = "Extra data"  # the json module's message if a second value follows the first
QUERY_KEYS = ("query", "query_id", "qid")
SCORE_KEYS = ("score", "_score")
DOCUMENT_KEYS = ("document", "document_id", "doc_id", "docid", "doc", "id", "_id")


class Pairs(list[tuple[str, object]]):
    """An object as pairs. A dict would silently keep the last of two equal keys."""

    def get(self, *keys: str) -> object:
        """The value of the first of these keys that the object has, or None."""
        members = dict(self)
        return next((members[key] for key in keys if key in members), None)


def member(value: object, *keys: str) -> Any:
    """The value of the first of these keys that an object has. None for anything else."""
    return value.get(*keys) if isinstance(value, Pairs) else None


def as_list(value: object) -> list[Any] | None:
    """The value if it's a list. None for anything else, including objects."""
    return value if isinstance(value, list) and not isinstance(value, Pairs) else None


def lists_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Pairs) for one in value)


class Lines(list[tuple[int, Pairs]]):
    """The objects of JSON lines, each with its line."""


def load(text: Text, report: Report, *, lines: bool = False) -> object:
    """The file's only value, or `Lines` if there are several. Raises FormatError for invalid JSON."""
    if not lines:
        try:
            return json.loads(text.content, object_pairs_hook=Pairs)
        except json.JSONDecodeError as error:
            content = text.content.rstrip()
            if error.pos >= len(content) or error.msg.startswith("Unterminated string"):
                raise CutOffError(text.name, content.count("\n") + 1) from None
            if error.msg != EXTRA_DATA or text.content[error.pos :].lstrip()[:1] != "{":
                message = f"{text.name} is not valid JSON: line {error.lineno}, column {error.colno}."
                raise FormatError(message, line=error.lineno) from None
        except (ValueError, RecursionError):
            message = f"{text.name} is not usable JSON: a number or the nesting is too large."
            raise FormatError(message) from None
    rows = io.StringIO(text.content, newline="\n")
    return Lines(json_lines(rows, report, Pairs, Pairs, "one JSON object on the line"))


def first_object(content: object) -> Pairs:
    """The document, or the first element of a list or of lines. An empty object if that isn't one."""
    first = content
    if elements := as_list(content):
        first = elements[0][1] if isinstance(content, Lines) else elements[0]
    return first if isinstance(first, Pairs) else Pairs()


def is_lines(content: object) -> bool:
    """Whether there are several objects, or a single one of a query with its results, or with one of them."""
    first = first_object(content)
    results = results_of(first)
    flat = results is None and is_id(first.get(*DOCUMENT_KEYS))
    several = isinstance(content, Lines) and bool(content)
    return several or (is_id(first.get(*QUERY_KEYS)) and (flat or isinstance(results, list)))


def results_of(answer: Pairs) -> object:
    """The results of a query, also those of a search answer of Elasticsearch, which are one level deeper."""
    hits = answer.get("hits")
    found = hits.get("hits") if isinstance(hits, Pairs) else hits
    results = answer.get("results", "documents")
    return as_list(found) if results is None else results


def refuse_search_answers(content: object, name: str) -> None:
    """Raises FormatError for answers of searches that don't name their queries."""
    responses = as_list(first_object(content).get("responses"))
    answers = [answer for _, answer in _objects_of(content)] if responses is None else responses
    for answer in answers:
        hits = as_list(member(member(answer, "hits"), "hits"))
        if hits is None or member(answer, *QUERY_KEYS) is not None:
            return
        if hits:  # no document in the answer says nothing of its kind
            source = member(hits[0], "_source")
            if is_id(member(hits[0], "_id")) and member(source, "searchText", "documentIds") is None:
                message = f"{name} holds answers of searches, which don’t name their queries. "
                raise FormatError(message + 'Write a line for each query: {"query": "q1", "hits": …}.')
            return


def read_json(content: object, name: str, report: Report, options: Options) -> RunRows:
    """Rows by query. A query with an empty list or object stays: nothing was retrieved for it."""
    if not isinstance(content, Pairs):
        raise FormatError(f"{name} is JSON of another shape than {SHAPE}.")
    by_text = options.queries == "text"
    rows_by_query: dict[str, Rows] = {}
    for key, results in content:
        rows = add_query(rows_by_query, key, None, report, by_text=by_text)
        if rows is not None:
            _add_results(key.strip(), results, rows, report)
    if len(content) > 1 and not report.ok and not any(rows.documents for rows in rows_by_query.values()):
        _refuse_other_shape(content, name, report)
    return RunRows({"": rows_by_query}, by_text=by_text)


def _refuse_other_shape(content: Pairs, name: str, report: Report) -> None:
    """Refuses a file of something else with one message instead of one per key."""
    if report.errors.first[0].kind == "shape":
        keys = ", ".join(f"“{shorten(key)}”" for key, _ in content[:4])
        raise FormatError(f"{name} is JSON of another shape than {SHAPE}; its first keys are {keys}.")


def read_lines(content: object, name: str, report: Report, options: Options) -> RunRows:
    """JSON lines, each with a query and its results: documents, or objects with a document and a score."""
    by_text = options.queries == "text"
    rows_by_query: dict[str, Rows] = {}
    for line, members in _objects_of(content):
        query, results = members.get(*QUERY_KEYS), results_of(members)
        documents = as_list(results)
        if results is None and is_id(query) and is_id(members.get(*DOCUMENT_KEYS)):
            if not rows_by_query:
                given = [key for key, value in members if value is not None]
                refuse_judgments(name, given, {"score" if key in SCORE_KEYS else key for key in given})
            _add_hit(str(query).strip(), line, members, rows_by_query, report, by_text=by_text)
        elif not is_id(query) or documents is None:
            report.error(line, "", brief(members), LINE_SHAPE, kind="shape")
        else:
            rows = add_query(rows_by_query, str(query), line, report, by_text=by_text)
            if rows is not None:
                _add_line(str(query).strip(), documents, rows, report)
    return RunRows({"": rows_by_query}, by_text=by_text)


def _place(line: int | None, query: str, document: str = "") -> str:
    """Where a problem is. Quotes tell it from the name of a column, which a line can have."""
    quote = "{}" if line is None else "“{}”"
    of_document = f", document {quote.format(document)}" if document else ""
    return f"query {quote.format(query)}{of_document}"


def _add_hit(
    query: str,
    line: int | None,
    members: Pairs,
    rows_by_query: dict[str, Rows],
    report: Report,
    *,
    by_text: bool,
) -> None:
    """Adds a line with one document of a query and its score, rank or both."""
    if query not in rows_by_query and add_query(rows_by_query, query, line, report, by_text=by_text) is None:
        return
    rows, score, rank = rows_by_query[query], members.get(*SCORE_KEYS), members.get("rank")
    document = str(members.get(*DOCUMENT_KEYS)).strip()
    place = _place(line, query, document)
    if refuse_id(line, _place(line, query), document, report):
        return
    for value, values, name in ((score, rows.scores, "score"), (rank, rows.ranks, "rank")):
        if rows.documents and (value is None) == bool(values):
            expected = f"a {name} in every line of a query or in none"
            report.error(line, place, brief(value), expected, kind=f"{name} missing")
            return
    if rank is not None and (not isinstance(rank, int) or isinstance(rank, bool)):
        report.error(line, place, brief(rank), "a whole number", kind="rank not a whole number")
        return
    score_value = number(score)
    if score is not None and score_value is None:
        refuse_score(line, brief(score), report, column=place)
        return
    rows.documents.append(document)
    rows.lines.append(line or 0)
    if score_value is not None:
        rows.scores.append(score_value)
    if isinstance(rank, int):
        rows.ranks.append(rank)


def _objects_of(content: object) -> Iterable[tuple[int | None, Pairs]]:
    """The objects with their lines. A file of one line was read as one value, and a list has no lines."""
    if isinstance(content, Lines):
        return content
    if isinstance(content, Pairs):
        return [(1, content)]
    elements = content if isinstance(content, list) else []
    return [(None, one if isinstance(one, Pairs) else Pairs()) for one in elements]


def add_query(
    rows_by_query: dict[str, Rows], key: str, line: int | None, report: Report, *, by_text: bool
) -> Rows | None:
    """Adds a query without rows yet. None, with an error, for a bad or repeated query."""
    query = key.strip()
    if refuse_query(line, query, report, by_text=by_text):
        return None
    if query in rows_by_query:
        report.error(line, "query", query, "listed once", kind="a query twice")
        return None
    rows_by_query[query] = Rows(line)
    return rows_by_query[query]


def add_document(query: str, value: object, rows: Rows, report: Report) -> bool:
    """Adds a document by its ID. Its place in the list is its rank."""
    if not is_id(value):
        report.error(rows.line, _place(rows.line, query), brief(value), "a document ID", kind="shape")
        return False
    document = str(value).strip()
    if refuse_id(rows.line, f"query {query}", document, report):
        return False
    _append(rows, document)
    return True


def is_id(value: object) -> bool:
    """Whether it can be an ID. In JSON, IDs may be numbers."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def brief(value: object) -> str:
    """A value as JSON text for a message. Includes only the first items of a list, which may have any length."""
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{json.dumps(key)}: {brief(member)}" for key, member in value[:4]) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(brief(one) for one in value[:4]) + "]"
    return json.dumps(value, ensure_ascii=False)


def number(value: object) -> float | None:
    """A JSON number as a float. None for texts, truth values, NaN and anything beyond float64."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None


def _add_results(query: str, results: object, rows: Rows, report: Report) -> None:
    if isinstance(results, Pairs):
        for document, score in results:
            _add_scored(query, document.strip(), score, rows, report)
    elif isinstance(results, list):
        for document in results:
            add_document(query, document, rows, report)
    else:
        expected = "documents with scores, or a list of documents"
        report.error(None, f"query {query}", brief(results), expected, kind="shape")


def _add_line(query: str, results: list[object], rows: Rows, report: Report) -> None:
    """Adds the results of a query. Either all or none have scores, because nobody knows where to put the others."""
    scores = [member(result, *SCORE_KEYS) for result in results]
    if None in scores and any(score is not None for score in scores):
        expected = "given with a score, as the query’s other documents are"
        value = brief(results[scores.index(None)])
        report.error(rows.line, _place(rows.line, query), value, expected, kind="score missing")
        return
    for result, score in zip(results, scores, strict=True):
        document = result.get(*DOCUMENT_KEYS) if isinstance(result, Pairs) else result
        if score is None or not is_id(document):
            add_document(query, document, rows, report)
        else:
            _add_scored(query, str(document).strip(), score, rows, report)


def _add_scored(query: str, document: str, score: object, rows: Rows, report: Report) -> None:
    place = _place(rows.line, query, document)
    if refuse_id(rows.line, _place(rows.line, query), document, report):
        return
    value = number(score)
    if value is None:
        refuse_score(rows.line, brief(score), report, column=place)
        return
    _append(rows, document)
    rows.scores.append(value)


def _append(rows: Rows, document: str) -> None:
    rows.documents.append(document)
    if rows.line is not None:
        rows.lines.append(rows.line)
