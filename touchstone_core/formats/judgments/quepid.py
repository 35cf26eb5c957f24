"""Quepid's books and cases as it exports them: https://github.com/o19s/quepid, `app/views/api/v1/export`.

Queries and pairs keep what Touchstone has no column for, and exports write it back.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from touchstone_core.formats.json_items import Item, elements
from touchstone_core.formats.json_records import Builder, others
from touchstone_core.formats.judgments.judgments import CANNOT_TELL, JudgmentRecord
from touchstone_core.formats.problems import Report

Records = Iterator[JudgmentRecord]
OWN_OF_PAIR: Final = ("query_text", "doc_id", "document_fields", "judgements")
OWN_OF_QUERY: Final = ("query_text", "query", "ratings")
SECRETS: Final = ("basic_auth_credential", "custom_headers")
"""Credentials of a search endpoint. They give access to a server, so we never store them."""
REASON: Final = re.compile(r"\[cannot judge: ([a-z_]+)\] ?")


def quepid_case(parts: Iterator[Item], build: Builder) -> Records:
    """`queries[].ratings`: a list of ratings, or grades by document. A query without ratings is a record of its own."""
    for item in elements(parts):
        query = build.as_object(item.line, "queries", item.value)
        name, need = query.get("query_text", query.get("query")), query.get("information_need")
        ratings = query.get("ratings", [])
        if isinstance(ratings, dict):
            ratings = [{"doc_id": document, "rating": rating} for document, rating in ratings.items()]
        fields = build.fields_to_store(item.line, "queries", others(query, OWN_OF_QUERY))
        if query and ratings == []:
            yield from build.unrated(item.line, name, fields, information_need=need)
        for rating in build.as_list(item.line, "ratings", ratings):
            one = build.as_object(item.line, "ratings", rating)
            if one and (record := _answer(item.line, (name, one.get("doc_id"), need), one, build)):
                yield record._replace(query_fields=fields)


def quepid_book(parts: Iterator[Item], build: Builder) -> Records:
    """`query_doc_pairs[].judgements[]`. A pair without judgements is to be judged."""
    for item in elements(parts):
        pair = build.as_object(item.line, "query_doc_pairs", item.value)
        keys = (pair.get("query_text"), pair.get("doc_id"), pair.get("information_need"))
        judgments = build.as_list(item.line, "judgements", pair.get("judgements") or [])
        answers = [one for one in judgments if not (isinstance(one, dict) and _is_put_off(one))]
        fields = others(pair, OWN_OF_PAIR)
        if len(answers) < len(judgments):
            fields["judgements"] = [one for one in judgments if isinstance(one, dict) and _is_put_off(one)]
        pair_fields = build.fields_to_store(item.line, "query_doc_pairs", fields)
        for judgment in answers or [{}] if pair else []:
            one = build.as_object(item.line, "judgements", judgment)
            if record := _answer(item.line, keys, one, build):
                yield record._replace(pair_fields=pair_fields)


def without_secrets(head: dict[str, Any], report: Report) -> dict[str, Any]:
    """What a case says about itself, without the credentials of its search endpoint. Warns if there are any."""
    attempt = head.get("try")
    endpoint = attempt.get("search_endpoint") if isinstance(attempt, dict) else None
    if not isinstance(attempt, dict) or not isinstance(endpoint, dict):
        return head
    for name in SECRETS:
        if endpoint.get(name):
            expected = "entered again in Quepid (credentials aren’t kept)"
            report.warn(None, name, "…", expected, kind="not kept")
    public = {name: None if name in SECRETS and value else value for name, value in endpoint.items()}
    return head | {"try": attempt | {"search_endpoint": public}}


def _is_put_off(one: Mapping[str, Any]) -> bool:
    """Whether it isn't an answer: “judge later”, or nothing but a rater."""
    return bool(one) and one.get("rating") is None and one.get("unrateable") is not True


def _answer(
    line: int, keys: tuple[object, object, object], one: Mapping[str, Any], build: Builder
) -> JudgmentRecord | None:
    """A rating. “Unrateable” becomes a reason, and no rating at all a pair to be judged."""
    query, document, need = keys
    rating = one.get("rating")
    if rating is None and one.get("unrateable") is not True:
        return build.record(line, query, document, None, information_need=need)
    more = {"rater": one.get("user_email"), "comment": one.get("explanation"), "information_need": need}
    if rating is None:
        more |= _reason(one)
    return build.record(line, query, document, rating, **more)


def _reason(one: Mapping[str, Any]) -> dict[str, object]:
    """The reason for no grade. Quepid has no field for it, so it's before the explanation: “[cannot judge: language] …”."""
    explanation = one.get("explanation")
    if match := REASON.match(explanation) if isinstance(explanation, str) else None:
        return {"reason": match[1], "comment": str(explanation)[match.end() :]}
    return {"reason": one.get("reason", CANNOT_TELL)}
