"""Writes queries and documents as CSV and JSON lines, which we can import again, and as a BEIR folder."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.spreadsheet import csv_lines
from touchstone_core.formats.writing import as_json, number

QUERY_COLUMNS: Final = ("query_id", "query", "information_need", "weight", "tags")
HISTORY: Final = "who changed what"
"""What no format has."""
NOT_IN_CSV: Final = f"{HISTORY}, carriage returns in texts"
DOCUMENT_COLUMNS: Final = ("document_id", "title", "body", "url", "image")


def queries_csv(records: Iterable[QueryRecord]) -> Iterator[str]:
    yield from csv_lines([QUERY_COLUMNS])
    for one in records:
        row = (one.query_id, one.query, one.information_need, number(one.weight), _tags(one.tags))
        yield from csv_lines([row])


def queries_jsonl(records: Iterable[QueryRecord]) -> Iterator[str]:
    for one in records:
        values = {
            "query_id": one.query_id,
            "query": one.query,
            "information_need": one.information_need,
            "weight": one.weight,
            "tags": list(one.tags),
        }
        yield f"{as_json(values)}\n"


def documents_csv(records: Iterable[DocumentRecord], names: Sequence[str]) -> Iterator[str]:
    """`names` are all further fields. Each is a column."""
    yield from csv_lines([(*DOCUMENT_COLUMNS, *names)])
    for one in records:
        own = (one.document_id, one.title, one.body, one.url, one.image)
        yield from csv_lines([(*own, *(written_value(one.fields.get(name, "")) for name in names))])


def documents_jsonl(records: Iterable[DocumentRecord]) -> Iterator[str]:
    """Further fields are members like the others. Title and body are always there, so that an import can empty them."""
    for one in records:
        own = {"document_id": one.document_id, "title": one.title, "body": one.body}
        addresses = {name: text for name, text in (("url", one.url), ("image", one.image)) if text}
        yield f"{as_json({**one.fields, **own, **addresses})}\n"


def beir_queries(records: Iterable[QueryRecord]) -> Iterator[str]:
    """`queries.jsonl`."""
    for one in records:
        more = {"information_need": one.information_need, "weight": one.weight, "tags": list(one.tags)}
        yield f"{as_json({'_id': one.query_id, 'text': one.query, 'metadata': more})}\n"


def beir_corpus(records: Iterable[DocumentRecord]) -> Iterator[str]:
    """`corpus.jsonl`."""
    for one in records:
        more: Mapping[str, Any] = {**one.fields, "url": one.url, "image": one.image}
        metadata = {name: value for name, value in more.items() if value}
        yield f"{as_json({'_id': one.document_id, 'title': one.title, 'text': one.body, 'metadata': metadata})}\n"


def beir_qrels(records: Iterable[JudgmentRecord]) -> Iterator[str]:
    """`qrels/test.tsv`. Its reader takes whole numbers only, and quotes as in CSV."""
    yield "query-id\tcorpus-id\tscore\n"
    for one in records:
        yield "\t".join((_quoted(one.query), _quoted(one.document), f"{number(one.grade or 0)}\n"))


def _quoted(id: str) -> str:
    return '"' + id.replace('"', '""') + '"' if '"' in id else id


def _tags(tags: Sequence[str]) -> str:
    """Tags between semicolons, or as a JSON list if a tag contains a separator."""
    cut = any(letter in tag for tag in tags for letter in ";,[")
    return json.dumps(tags, ensure_ascii=False) if cut else "; ".join(tags)


def written_value(value: object) -> str:
    """A further field of a document as text: what isn't text, as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
