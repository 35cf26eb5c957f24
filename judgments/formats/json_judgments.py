"""Judgments as JSON documents of other tools: OpenSearch, RRE, Elasticsearch rank_eval, Quepid, grades by query.

Every reader takes the items of one document (see `json_items`) and yields good records; the rest goes into the report.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from judgments.formats.json_items import Item, items
from judgments.formats.json_records import Builder, as_text
from judgments.formats.judgments import CANNOT_TELL, JudgmentRecord
from judgments.formats.problems import FormatError, Report
from judgments.formats.tables import Opened
from judgments.formats.text import Text

Records = Iterator[JudgmentRecord]
PLACEHOLDER: Final = "$query"


def opensearch(found: Iterator[Item], build: Builder) -> Records:
    """`judgmentRatings[].ratings[]`, the list alone, or the answer of a search for it."""
    for item in found:
        if item.key == "hits":
            for hit in build.listed(
                item.line, "hits", build.named(item.line, "hits", item.value).get("hits")
            ):
                source = build.named(item.line, "_source", build.named(item.line, "hits", hit).get("_source"))
                for one in build.listed(item.line, "judgmentRatings", source.get("judgmentRatings")):
                    yield from _opensearch_query(item.line, one, build)
        elif item.place is not None:
            yield from _opensearch_query(item.line, item.value, build)


def _opensearch_query(line: int, value: object, build: Builder) -> Records:
    query = build.named(line, "judgmentRatings", value)
    for rating in build.listed(line, "ratings", query.get("ratings", [])) if query else []:
        one = build.named(line, "ratings", rating)
        if one and (record := build.record(line, query.get("query"), one.get("docId"), one.get("rating"))):
            yield record


def rre(found: Iterator[Item], build: Builder) -> Records:
    """Topics and groups are expanded: every query of a group has the group's documents, unless it has its own.

    The placeholder that holds the query may be named behind the queries; they wait until it is known.
    """
    placeholder, waiting = PLACEHOLDER, []
    for item in found:
        if item.key == "query_placeholder":
            placeholder = as_text(item.value) or PLACEHOLDER
        elif item.place is not None:
            waiting.append(item)
    for item in waiting:
        yield from _rre_node(item.line, item.value, None, placeholder, build)


def _rre_node(line: int, value: object, inherited: object, placeholder: str, build: Builder) -> Records:
    """A topic, a group or a query."""
    node = build.named(line, "queries", value)
    documents = node.get("relevant_documents", inherited)
    inner = [key for key in ("topics", "query_groups", "queries") if key in node]
    for key in inner:
        for one in build.listed(line, key, node[key]):
            yield from _rre_node(line, one, documents, placeholder, build)
    if node and not inner:
        query = build.named(line, "placeholders", node.get("placeholders")).get(placeholder)
        for document, rating in _rre_documents(line, documents, build):
            if record := build.record(line, query, document, rating):
                yield record


def _rre_documents(line: int, value: object, build: Builder) -> Iterator[tuple[object, object]]:
    """Documents with their gains: by document (`gain` or `rating`), or by gain, with a list of documents."""
    for key, content in build.named(line, "relevant_documents", value).items():
        if isinstance(content, list):
            yield from ((document, key) for document in content)
        elif isinstance(content, dict):
            yield key, content.get("gain", content.get("rating", content))
        else:
            yield key, content


def rank_eval(found: Iterator[Item], build: Builder) -> Records:
    """Elasticsearch: `requests[].ratings[]`, the query known by the request's id."""
    for item in found:
        if item.place is None:
            continue
        request = build.named(item.line, "requests", item.value)
        for rating in build.listed(item.line, "ratings", request.get("ratings", [])) if request else []:
            one = build.named(item.line, "ratings", rating)
            if one and (
                record := build.record(item.line, request.get("id"), one.get("_id"), one.get("rating"))
            ):
                yield record


def quepid_case(found: Iterator[Item], build: Builder) -> Records:
    """`queries[].ratings`: a list of ratings, or grades by document. A query without ratings comes alone."""
    for item in found:
        if item.place is None:
            continue
        query = build.named(item.line, "queries", item.value)
        name = query.get("query_text", query.get("query"))
        ratings = query.get("ratings", [])
        if isinstance(ratings, dict):
            ratings = [{"doc_id": document, "rating": rating} for document, rating in ratings.items()]
        listed = build.listed(item.line, "ratings", ratings) if query else []
        if query and ratings == [] and (record := build.query(item.line, name)):
            yield record
        for rating in listed:
            one = build.named(item.line, "ratings", rating)
            if one and (record := _quepid(item.line, name, one.get("doc_id"), one, build)):
                yield record


def quepid_book(found: Iterator[Item], build: Builder) -> Records:
    """`query_doc_pairs[].judgements[]`; a pair without a judgement is to be judged."""
    for item in found:
        if item.place is None:
            continue
        pair = build.named(item.line, "query_doc_pairs", item.value)
        query, document = pair.get("query_text"), pair.get("doc_id")
        for judgment in build.listed(item.line, "judgements", pair.get("judgements") or [{}]) if pair else []:
            one = build.named(item.line, "judgements", judgment)
            if record := _quepid(item.line, query, document, one, build):
                yield record


def _quepid(
    line: int, query: object, document: object, one: Mapping[str, Any], build: Builder
) -> JudgmentRecord | None:
    """A rating; “unrateable” becomes a reason, “judge later” and nothing at all a pair to be judged."""
    rating = one.get("rating")
    if rating is not None:
        more = {"rater": one.get("user_email"), "comment": one.get("explanation")}
        return build.record(line, query, document, rating, **more)
    if one.get("unrateable") is True:
        more = {
            "rater": one.get("user_email"),
            "comment": one.get("explanation"),
            "reason": one.get("reason", CANNOT_TELL),
        }
        return build.record(line, query, document, None, **more)
    return build.record(line, query, document, None)


def by_query(found: Iterator[Item], build: Builder) -> Records:
    """`{"query": {"document": grade}}`, as ranx, pytrec_eval and BEIR keep qrels."""
    for item in found:
        if item.place is not None:
            build.refuse(item.line, "", "a list", "an object of grades by query")
            continue
        grades = build.named(item.line, "query", item.value).items()
        yield from filter(None, (build.record(item.line, item.key, *grade) for grade in grades))


READERS: Final[Mapping[str, tuple[Callable[[Iterator[Item], Builder], Records], tuple[str, ...]]]] = {
    "opensearch": (opensearch, ("judgmentRatings",)),
    "rre": (rre, ("topics", "query_groups", "queries")),
    "rank-eval": (rank_eval, ("requests",)),
    "quepid-book": (quepid_book, ("query_doc_pairs",)),
    "quepid-case": (quepid_case, ("queries",)),
    "json": (by_query, ()),
}
"""By format: the reader, and the lists that it takes apart."""

TELLING: Final = (
    ("opensearch", re.compile(r'"judgmentRatings"\s*:|^\s*\[\s*\{[^{}]*"ratings"\s*:')),
    ("quepid-book", re.compile(r'"query_doc_pairs"\s*:')),
    ("rank-eval", re.compile(r'"requests"\s*:')),
    ("rre", re.compile(r'"relevant_documents"\s*:|"placeholders"\s*:|"query_groups"\s*:')),
    ("quepid-case", re.compile(r'"queries"\s*:\s*\[')),
)


def detect(content: str) -> str:
    """The JSON format of a document, by the names at its start; grades by query where there is none of them."""
    start = content[:20_000]
    return next((name for name, telling in TELLING if telling.search(start)), "json")


def open_json(text: Text, format: str) -> Opened[JudgmentRecord]:
    """Reading raises FormatError for a document that is not JSON, with the line, or that holds no judgments."""
    report = Report()
    return Opened(_records(text, format, report), report, format, [], {})


def _records(text: Text, format: str, report: Report) -> Records:
    read, lists = READERS[format]
    empty = True
    for record in read(items(text, lists), Builder(report)):
        empty = False
        yield record
    if empty and report.ok:
        raise FormatError(f"{text.name} holds no judgments.")
