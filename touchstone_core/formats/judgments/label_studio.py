"""Label Studio's JSON export: https://labelstud.io/guide/task_format. A task is a pair, each of its annotations a judgment."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from touchstone_core.formats.json_items import Item, elements
from touchstone_core.formats.json_records import Builder, as_text
from touchstone_core.formats.judgments.judgments import NO_ID, JudgmentRecord

Records = Iterator[JudgmentRecord]
QUERY_IDS: Final = ("query_id", "qid", "topic_id")
QUERY_TEXTS: Final = ("query", "query_text")
DOCUMENT_IDS: Final = ("document_id", "doc_id", "docid", "docno", "product_id", "document", "doc")
GRADES: Final = {"rating": "rating", "choices": "choices"}
COMMENTS: Final = {"textarea": "text"}


def label_studio(parts: Iterator[Item], build: Builder) -> Records:
    """`[].annotations[].result[]`. A task that nobody answered is a pair to be judged: annotators may skip tasks."""
    for item in elements(parts):
        task = build.as_object(item.line, "task", item.value)
        data = build.as_object(item.line, "data", task.get("data"))
        annotations = build.as_list(item.line, "annotations", task.get("annotations", []))
        answers = [one for one in annotations if not (isinstance(one, dict) and one.get("was_cancelled"))]
        for answer in answers or [{}]:
            one = build.as_object(item.line, "annotations", answer)
            results = build.as_list(item.line, "result", one.get("result", []))
            if record := _judgment(item.line, data, one.get("completed_by"), results, build):
                yield record


def _judgment(
    line: int, data: Mapping[str, Any], rater: object, results: list[Any], build: Builder
) -> JudgmentRecord | None:
    grades = _values(line, results, GRADES, build)
    if len(grades) > 1:
        build.refuse(line, "result", ", ".join(map(str, grades)), "one rating or choice in each annotation")
        return None
    more: dict[str, object] = {}
    if grades:
        more = {
            "rater": _name(rater),
            "comment": "\n".join(map(str, _values(line, results, COMMENTS, build))),
        }
    query, text = _first(data, QUERY_IDS), _first(data, QUERY_TEXTS)
    if query is not None:
        more["query_text"] = text
    name = text if query is None else query
    record = build.record(line, name, _first(data, DOCUMENT_IDS), *(grades or [None]), **more)
    by_text = query is None and ("query" not in data or bool(NO_ID.search(str(text))))
    return record and record._replace(by_text=by_text)


def _values(line: int, results: list[Any], members: Mapping[str, str], build: Builder) -> list[object]:
    """What results of these types say: a rating, or each of the choices or texts."""
    values: list[object] = []
    for result in results:
        one = build.as_object(line, "result", result)
        if one.get("type") in members:
            content = build.as_object(line, "value", one.get("value")).get(members[one["type"]], [])
            values += content if isinstance(content, list) else [content]
    return values


def _name(rater: object) -> object:
    """Label Studio writes the number of a user, or an object with the e-mail address."""
    return (rater.get("email") or rater.get("id")) if isinstance(rater, dict) else rater


def _first(data: Mapping[str, Any], names: tuple[str, ...]) -> object:
    return next((data[name] for name in names if as_text(data.get(name))), None)
