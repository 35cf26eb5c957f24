"""The IDs of documents in the answer of a search engine, in its order."""

from collections.abc import Iterator
from typing import Any, Final

HITS: Final = (
    *("hits.hits", "response.docs", "hits", "results", "documents", "docs"),
    *("items", "data"),
)
"""Where engines put their results: Elasticsearch and OpenSearch, Solr, then many others."""
IDS: Final = ("_id", "id", "objectID", "document.id", "doc_id", "document_id", "docid", "uid")
"""How they call a document: Elasticsearch and OpenSearch, Solr, Algolia, Typesense, and others."""
PARTIAL: Final = {
    "timed_out": "The engine ran out of time, so its results are only a part.",
    "responseHeader.partialResults": "The engine’s results are only a part.",
}
MOST_KEYS: Final = 10
MISSING: Final = object()


class AnswerError(Exception):
    """An answer without usable results. The message is a sentence."""


def document_ids(answer: object, hits_at: str = "", id_at: str = "") -> list[str]:
    """The IDs of all results, best first; a document that comes twice comes twice here. No results are no error.

    `hits_at` and `id_at` are paths such as `hits.hits` and `_source.sku`, by default the first of `HITS` and `IDS` that fits.
    Raises AnswerError.
    """
    for path, sentence in PARTIAL.items():
        if _at(answer, path) is True:
            raise AnswerError(sentence)
    failed = _at(answer, "_shards.failed")
    if isinstance(failed, int) and failed > 0:
        raise AnswerError(f"{failed} of the index’s shards failed, so its results are only a part.")
    return [_id(hit, id_at, place) for place, hit in enumerate(_hits(answer, hits_at), start=1)]


def _hits(answer: object, path: str) -> list[Any]:
    paths = [path] if path else HITS
    found = [answer] if isinstance(answer, list) and not path else [_at(answer, one) for one in paths]
    for hits in found:
        if isinstance(hits, list):
            return hits
    where = f"at “{path}”" if path else "where engines usually have it"
    raise AnswerError(
        f"The answer has no list of results {where}. {_keys(answer)} Say where it is with “hits”."
    )


def _id(hit: object, path: str, place: int) -> str:
    for found in _ids(hit, path):
        text = str(found).strip() if isinstance(found, str | int) and not isinstance(found, bool) else ""
        if text:
            return text
    where = f"at “{path}”" if path else "where engines usually have it"
    raise AnswerError(f"Result {place} has no ID {where}. {_keys(hit)} Say where it is with “id”.")


def _ids(hit: object, path: str) -> Iterator[object]:
    if isinstance(hit, dict):
        yield from (_at(hit, one) for one in ([path] if path else IDS))
    elif not path:
        yield hit


def _at(content: object, path: str) -> object:
    """What stands at the end of the path. A key may contain the dots itself."""
    if not isinstance(content, dict):
        return MISSING
    if path in content:
        return content[path]
    key, _, rest = path.partition(".")
    return _at(content.get(key), rest) if rest else MISSING


def _keys(content: object) -> str:
    if not isinstance(content, dict):
        return "It isn’t an object."
    names = ", ".join(f"“{key}”" for key in list(content)[:MOST_KEYS])
    return f"It has {names}." if names else "It is empty."
