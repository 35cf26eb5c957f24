"""Judgments as JSON documents for other tools. What we don't use of an imported file goes back (`*_fields`, `head`)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from touchstone_core.formats.judgments.judgments import CANNOT_TELL, JudgmentRecord
from touchstone_core.formats.problems import FormatError, shorten
from touchstone_core.formats.writing import (
    Description,
    Records,
    by_query,
    document,
    id_of,
    name_of,
    number,
    plain,
    rated,
)

Fields = Mapping[str, Any]


def opensearch(records: Records, description: Description) -> Iterator[str]:
    """Ratings are texts with a point, because servers before 3.3 need that. They have three decimals unless more are needed."""
    own = {"name": description.list, "description": description.scale, "type": "IMPORT_JUDGMENT"}
    queries = (
        {"query": query, **(judgments[0].query_fields or {}), "ratings": list(map(_rating, rated(judgments)))}
        for query, judgments in by_query(records, name_of)
    )
    return document(own | {**description.head}, "judgmentRatings", queries)


def _rating(one: JudgmentRecord) -> dict[str, Any]:
    grade = float(one.grade or 0)
    text = f"{grade:.3f}"
    rating = text if float(text) == grade else repr(grade)
    return {"docId": one.document, "rating": rating, **(one.pair_fields or {})}


def rre(records: Records, description: Description) -> Iterator[str]:
    """A list from RRE goes back into its topics and groups. That needs all of it in memory."""
    head = {"id_field": "id", "index": description.query_set, "template": "template.json"}
    if description.head:
        queries_by_place = sorted(_queries_in_place(records, description), key=itemgetter(0))
        key, parts = _nest([(above, query) for _, above, query in queries_by_place])
        return document(description.head, key, parts)
    queries = (_rre_query(judgments, {}, "$query") for _, judgments in by_query(records, name_of))
    return document(head, "queries", queries)


def _queries_in_place(
    records: Records, description: Description
) -> Iterator[tuple[float, Sequence[Fields], dict[str, Any]]]:
    """Each query at each of its places: its number there, the topic and group above it, and the query itself."""
    placeholder = str(description.head.get("query_placeholder") or "$query")
    for _, judgments in by_query(records, name_of):
        places = (judgments[0].query_fields or {}).get("places") or [{"at": float("inf"), "above": ()}]
        for place in places:
            yield place["at"], place["above"], _rre_query(judgments, place, placeholder)


def _nest(queries: Sequence[tuple[Sequence[Fields], dict[str, Any]]]) -> tuple[str, list[dict[str, Any]]]:
    """The key of a list and its elements: topics or groups with their content, or the queries."""
    if not any(above for above, _ in queries):
        return "queries", [query for _, query in queries]
    parts: list[dict[str, Any]] = []
    kinds = [above[0]["key"] for above, _ in queries if above]
    # A list holds one kind of part, so queries that were added since get a part of their own.
    for fields, group in groupby(queries, lambda one: one[0][0] if one[0] else {"key": kinds[0]}):
        key, inner = _nest([(above[1:], query) for above, query in group])
        parts.append({name: value for name, value in fields.items() if name != "key"} | {key: inner})
    return kinds[0], parts


def _rre_query(judgments: Sequence[JudgmentRecord], place: Fields, placeholder: str) -> dict[str, Any]:
    fields = dict(place.get("fields") or {})
    placeholders = {**fields.pop("placeholders", {}), placeholder: name_of(judgments[0])}
    documents: dict[str, Any] = {}
    for one in rated(judgments):
        if place.get("by_gain"):
            documents.setdefault(number(one.grade or 0), []).append(one.document)
        else:
            documents[one.document] = {"gain": plain(one.grade or 0), **(one.pair_fields or {})}
    return {**fields, "placeholders": placeholders, "relevant_documents": documents}


def rank_eval(records: Records, description: Description) -> Iterator[str]:
    """Elasticsearch accepts whole numbers only. `whole_numbers` rounds the others."""
    search = {"query": {"multi_match": {"query": "{{query}}"}}}
    head = description.head or {
        "templates": [{"id": "search", "template": {"source": search}}],
        "metric": {"dcg": {"k": 10, "normalize": True}},
    }
    requests = (
        {
            "id": query,
            **(judgments[0].query_fields or _request(judgments[0], head)),
            "ratings": [
                {
                    "_index": "index",
                    **(one.pair_fields or {}),
                    "_id": one.document,
                    "rating": _whole(one, description),
                }
                for one in rated(judgments)
            ],
        }
        for query, judgments in by_query(records, id_of)
    )
    return document(head, "requests", requests)


def _request(one: JudgmentRecord, head: Fields) -> dict[str, Any]:
    """The request of a query that came from elsewhere. It uses the first template."""
    templates = head.get("templates") or [{}]
    return {"template_id": templates[0].get("id", "search"), "params": {"query": name_of(one)}}


def quepid_book(records: Records, description: Description) -> Iterator[str]:
    """Raters take the place of e-mail addresses. Quepid has no field for a reason, so it goes before the explanation."""
    return document(
        _book_head(description),
        "query_doc_pairs",
        (pair for _, judgments in by_query(records, name_of) for pair in _book_pairs(judgments)),
    )


def _book_head(description: Description) -> dict[str, Any]:
    """Replaces the book's scale by the list's if its grades differ."""
    head = {"name": description.list, **description.head}
    values = [plain(value) for value, _ in description.levels]
    if head.get("scale") != values:
        head["scale"] = values
        head["scale_with_labels"] = {number(value): label for value, label in description.levels}
    return head


def _book_pairs(judgments: Sequence[JudgmentRecord]) -> Iterator[dict[str, Any]]:
    need = _need_of([one.pair_fields or {} for one in judgments], judgments[0].information_need)
    for key, group in groupby(judgments, lambda one: one.document):
        answers = list(group)
        fields = dict(answers[0].pair_fields or {})
        raters = {one.rater for one in answers if not one.unjudged}
        waiting = [one for one in fields.pop("judgements", []) if one.get("user_email") not in raters]
        yield {
            "query_text": name_of(answers[0]),
            "doc_id": key,
            **need(fields),
            "document_fields": "{}" if answers[0].document_fields is None else answers[0].document_fields,
            "judgements": [*(_judgement(one) for one in answers if not one.unjudged), *waiting],
        }


def _need_of(fields_of_pairs: Iterable[Fields], current: str) -> Callable[[Fields], Fields]:
    """A function that sets the information need of fields, unless they have the query's already."""
    needs = {fields.get("information_need") for fields in fields_of_pairs}
    if not current or current in needs:
        return lambda fields: fields
    return lambda fields: {**fields, "information_need": current}


def _judgement(one: JudgmentRecord) -> dict[str, Any]:
    explanation = one.comment
    if one.grade is None and one.reason not in ("", CANNOT_TELL):
        explanation = f"[cannot judge: {one.reason}] {explanation}".rstrip(" ")
    answer = {
        "rating": one.grade,
        "unrateable": one.grade is None,
        "judge_later": False,
        "user_email": one.rater or None,
    }
    return answer | {"explanation": explanation} if explanation else answer


def quepid_case(records: Records, description: Description) -> Iterator[str]:
    """Only a list that came from a case knows the settings of one. Otherwise Quepid gets ratings by query."""
    queries = ((query, judgments) for query, judgments in by_query(records, name_of))
    if not description.head:
        ratings = (
            {
                "query": query,
                "ratings": {one.document: plain(one.grade) for one in judgments if one.grade is not None},
            }
            for query, judgments in queries
        )
        return document({}, "queries", ratings)
    return document(
        description.head, "queries", (_case_query(query, judgments) for query, judgments in queries)
    )


def _case_query(query: str, judgments: Sequence[JudgmentRecord]) -> dict[str, Any]:
    fields = judgments[0].query_fields or {}
    ratings = [
        {"doc_id": one.document, "rating": plain(one.grade)}
        | ({"user_email": one.rater} if one.rater else {})
        for one in judgments
        if one.grade is not None
    ]
    need = _need_of([fields], judgments[0].information_need)
    return {**need(fields), "query_text": query, "ratings": ratings}


def _whole(one: JudgmentRecord, description: Description) -> int:
    grade = one.grade or 0
    if not description.whole_numbers and not float(grade).is_integer():
        raise FormatError(
            f"Elasticsearch takes whole grades only, and “{shorten(one.document)}” has {number(grade)}. "
            "Choose rounding or another format."
        )
    return round(grade)
