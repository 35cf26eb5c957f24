"""Runs as one JSON object: `{"query": {"document": score}}` or `{"query": ["document", …]}`, best first."""

import json
import math

from evaluation.ingest.formats.rankings import Rows
from evaluation.ingest.formats.trec import refuse_id, refuse_score
from judgments.formats.problems import FormatError, Report
from judgments.formats.text import Text

SHAPE = '{"query": {"document": score}} or {"query": ["document", …]}'


class Pairs(list[tuple[str, object]]):
    """An object as its pairs: a dict would keep the last of two equal keys without a word."""


def read_json(text: Text, report: Report) -> dict[str, Rows]:
    """Rows by query. An empty list or object is a query that was answered with nothing, and is kept."""
    content = _load(text)
    if not isinstance(content, Pairs):
        raise FormatError(f"{text.name} is JSON of another shape than {SHAPE}.")
    gathered: dict[str, Rows] = {}
    for key, results in content:
        query = key.strip()
        if refuse_id(None, "query", query, report):
            continue
        if query in gathered:
            report.error(None, "query", query, "each query once", kind="a query twice")
            continue
        gathered[query] = _rows(query, results, report)
    return gathered


def _load(text: Text) -> object:
    try:
        return json.loads(text.content, object_pairs_hook=Pairs)
    except json.JSONDecodeError as error:
        message = f"{text.name} is not valid JSON: line {error.lineno}, column {error.colno}."
        raise FormatError(message, line=error.lineno) from None
    except (ValueError, RecursionError):
        raise FormatError(f"{text.name} is not usable JSON: a number or the nesting is too large.") from None


def _rows(query: str, results: object, report: Report) -> Rows:
    rows = Rows(None)
    if isinstance(results, Pairs):
        for document, score in results:
            _add_scored(query, document.strip(), score, rows, report)
    elif isinstance(results, list):
        for listed in results:
            _add_listed(query, listed, rows, report)
    else:
        found = json.dumps(results)
        report.error(
            None, f"query {query}", found, "documents with scores, or a list of documents", kind="shape"
        )
    return rows


def _add_scored(query: str, document: str, score: object, rows: Rows, report: Report) -> None:
    place = f"query {query}, document {document}"
    if refuse_id(None, f"query {query}", document, report):
        return
    parsed = _number(score)
    if parsed is None:
        refuse_score(None, json.dumps(score), report, column=place)
        return
    rows.documents.append(document)
    rows.scores.append(parsed)


def _number(score: object) -> float | None:
    """JSON numbers only: no text, no truth values, no NaN, nothing beyond float64."""
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return None
    try:
        parsed = float(score)
    except OverflowError:
        return None
    return parsed if math.isfinite(parsed) else None


def _add_listed(query: str, listed: object, rows: Rows, report: Report) -> None:
    document = (
        str(listed).strip() if isinstance(listed, (str, int)) and not isinstance(listed, bool) else None
    )
    if document is None:
        report.error(None, f"query {query}", json.dumps(listed), "a document id", kind="shape")
    elif not refuse_id(None, f"query {query}", document, report):
        rows.documents.append(document)
