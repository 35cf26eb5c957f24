"""Reads judgments from JSON documents of other tools: OpenSearch, RRE, Elasticsearch rank_eval, grades by query.

Every reader takes the items of one document (see `json_items`), yields the good records and reports the others.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from touchstone_core.formats.json_items import Item, elements, items
from touchstone_core.formats.json_keys import HIT
from touchstone_core.formats.json_records import Builder, as_text, json_fault, others
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.judgments.quepid import without_secrets
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.tables import RecordStream
from touchstone_core.formats.text import Text

Records = Iterator[JudgmentRecord]
Reader = Callable[[Iterator[Item], Builder], Records]
PLACEHOLDER: Final = "$query"
RATINGS: Final = ("judgmentRatings", "judgmentScores")
OPENSEARCH_NAMES: Final = (*RATINGS, *(f"{HIT}.{name}" for name in RATINGS), "[.ratings")
RRE_LISTS: Final = ("topics", "query_groups", "queries")
NO_HEAD: Final = frozenset({"hits", "took", "timed_out", "_shards"})
"""What a search response says besides the stored documents."""
LONGEST_HEAD: Final = 1_000_000  # characters


def opensearch(parts: Iterator[Item], build: Builder) -> Records:
    """`judgmentRatings[].ratings[]`, the list alone, or a search response with it.

    Before version 3.1 it was `judgmentScores`, an object of lists by query. Both names may have both shapes.
    """
    for item in parts:
        if item.key == "hits":
            for hit in build.as_list(
                item.line, "hits", build.as_object(item.line, "hits", item.value).get("hits")
            ):
                source = build.as_object(
                    item.line, "_source", build.as_object(item.line, "hits", hit).get("_source")
                )
                ratings = next((source[name] for name in RATINGS if name in source), None)
                yield from _opensearch_queries(item.line, ratings, build)
        elif item.place is not None:
            yield from _opensearch_query(item.line, item.value, build)
        elif item.key in RATINGS:
            yield from _opensearch_queries(item.line, item.value, build)


def _opensearch_queries(line: int, value: object, build: Builder) -> Records:
    if isinstance(value, dict):
        value = [{"query": query, "ratings": ratings} for query, ratings in value.items()]
    for one in build.as_list(line, "judgmentRatings", value):
        yield from _opensearch_query(line, one, build)


def _opensearch_query(line: int, value: object, build: Builder) -> Records:
    query = build.as_object(line, "judgmentRatings", value)
    fields = build.fields_to_store(line, "judgmentRatings", others(query, ("query", "ratings")))
    ratings = query.get("ratings", [])
    if query and ratings == []:
        yield from build.unrated(line, query.get("query"), fields)
    for rating in build.as_list(line, "ratings", ratings):
        one = build.as_object(line, "ratings", rating)
        grade = one.get("rating", one.get("score"))
        if one and (record := build.record(line, query.get("query"), one.get("docId"), grade)):
            own = build.fields_to_store(line, "ratings", others(one, ("docId", "rating", "score")))
            yield record._replace(query_fields=fields, pair_fields=own)


def rre(parts: Iterator[Item], build: Builder) -> Records:
    """Expands topics and groups: every query of a group has the group's documents, unless it has its own.

    The file may name the placeholder of queries after the queries, so they wait until the end. Each query keeps its place
    among topics and groups.
    """
    placeholder, waiting = PLACEHOLDER, []
    for item in parts:
        if item.key == "query_placeholder":
            placeholder = as_text(item.value) or PLACEHOLDER
        elif item.place is not None:
            waiting.append(item)
    queries = [
        query for item in waiting for query in _rre_queries(item.line, item.key, item.value, None, (), build)
    ]
    places: dict[object, list[Mapping[str, Any]]] = {}
    names = [_rre_name(query, placeholder, build) for query in queries]
    for at, (name, query) in enumerate(zip(names, queries, strict=True)):
        if isinstance(name, str):
            place = {"at": at, "above": query.above, "fields": query.fields, "by_gain": _by_gain(query)}
            places.setdefault(name, []).append(place)
    for name, query in zip(names, queries, strict=True):
        fields = {"places": places[name]} if isinstance(name, str) else None
        if query.documents in ({}, None):
            yield from build.unrated(query.line, name, fields)
            continue
        for document, rating, more in _rre_documents(query.line, query.documents, build):
            if record := build.record(query.line, name, document, rating):
                own = build.fields_to_store(query.line, "relevant_documents", more)
                yield record._replace(query_fields=fields, pair_fields=own)


class _RreQuery(NamedTuple):
    """A query with its relevant documents, and the topic and group `above` it."""

    line: int
    fields: Mapping[str, Any]
    documents: object
    above: tuple[Mapping[str, Any], ...]


def _rre_queries(
    line: int,
    key: str,
    value: object,
    outer_documents: object,
    above: tuple[Mapping[str, Any], ...],
    build: Builder,
) -> Iterator[_RreQuery]:
    """The queries of a topic, of a group, or the query itself."""
    node = build.as_object(line, "queries", value)
    documents = node.get("relevant_documents", outer_documents)
    inner = [key for key in RRE_LISTS if key in node]
    fields = build.fields_to_store(line, "queries", others(node, (*RRE_LISTS, "relevant_documents"))) or {}
    for name in inner:
        for one in build.as_list(line, name, node[name]):
            yield from _rre_queries(line, name, one, documents, (*above, {"key": key, **fields}), build)
    if node and not inner:
        yield _RreQuery(line, fields, documents, above)


def _rre_name(query: _RreQuery, placeholder: str, build: Builder) -> object:
    return build.as_object(query.line, "placeholders", query.fields.get("placeholders")).get(placeholder)


def _by_gain(query: _RreQuery) -> bool:
    """Whether documents are listed under their gains, as in older files."""
    documents = query.documents
    return isinstance(documents, dict) and any(isinstance(content, list) for content in documents.values())


def _rre_documents(
    line: int, value: object, build: Builder
) -> Iterator[tuple[object, object, Mapping[str, Any]]]:
    """Documents with their gains and what else is said of them: by document (`gain` or `rating`), or by gain, with a list."""
    for key, content in build.as_object(line, "relevant_documents", value).items():
        if isinstance(content, list):
            yield from ((document, key, {}) for document in content)
        elif isinstance(content, dict):
            gain = content.get("gain", content.get("rating", content))
            yield key, gain, others(content, ("gain", "rating"))
        else:
            yield key, content, {}


def rank_eval(parts: Iterator[Item], build: Builder) -> Records:
    """Elasticsearch: `requests[].ratings[]`. The request's ID is the query's."""
    for item in elements(parts):
        request = build.as_object(item.line, "requests", item.value)
        fields = build.fields_to_store(item.line, "requests", others(request, ("id", "ratings")))
        params = request.get("params")
        query_text = params.get("query") if isinstance(params, dict) else None
        text = query_text if isinstance(query_text, str) else None
        ratings = request.get("ratings", [])
        if request and ratings == []:
            yield from build.unrated(item.line, request.get("id"), fields, query_text=text)
        for rating in build.as_list(item.line, "ratings", ratings):
            one = build.as_object(item.line, "ratings", rating)
            key, grade = one.get("_id"), one.get("rating")
            if one and (record := build.record(item.line, request.get("id"), key, grade, query_text=text)):
                own = build.fields_to_store(item.line, "ratings", others(one, ("_id", "rating")))
                yield record._replace(query_fields=fields, pair_fields=own)


def by_query(parts: Iterator[Item], build: Builder) -> Records:
    """`{"query": {"document": grade}}`, as in ranx, pytrec_eval and BEIR."""
    for item in parts:
        if item.place is not None:
            build.refuse(item.line, "", "a list", "an object of grades by query")
            continue
        grades = build.as_object(item.line, "query", item.value).items()
        if item.value == {}:
            yield from build.unrated(item.line, item.key, None)
        yield from filter(None, (build.record(item.line, item.key, *grade) for grade in grades))


def open_json(
    text: Text, read: Reader, lists: tuple[str, ...], *, by_text: bool
) -> RecordStream[JudgmentRecord]:
    """Reads `lists` item by item. Raises FormatError for invalid JSON, with the line, and for a file without judgments."""
    builder = Builder(Report(), by_text)
    head: dict[str, Any] = {}
    return RecordStream(_records(text, read, lists, builder, head), builder.report, "", [], {}, head)


def _records(
    text: Text, read: Reader, lists: tuple[str, ...], builder: Builder, head: dict[str, Any]
) -> Records:
    report = builder.report
    empty = True
    rest: dict[str, Any] = {}
    for record in read(_split_head(items(text, lists), lists, rest), builder):
        empty = False
        yield record
    if empty and report.ok:
        raise FormatError(f"{text.name} holds no judgments.")
    if lists:
        head |= _head(rest, report)


def _split_head(parts: Iterator[Item], lists: tuple[str, ...], head: dict[str, Any]) -> Iterator[Item]:
    """The items. Adds those outside of lists to `head`: they are about the file as a whole."""
    for item in parts:
        if lists and item.place is None and item.key not in lists and item.key not in NO_HEAD:
            head[item.key] = item.value
        yield item


def _head(members: dict[str, Any], report: Report) -> dict[str, Any]:
    """What we store about a file as a whole. If it's more than people write by hand: nothing, with a warning."""
    fault = json_fault(members)
    if not fault and len(json.dumps(members)) > LONGEST_HEAD:
        fault = f"at most {LONGEST_HEAD:,} characters beside queries and judgments"
    if fault:
        report.warn(None, "", ", ".join(members), f"{fault} (left out)", kind="not kept")
    return {} if fault else without_secrets(members, report)
