"""TREC topics: SGML with `<top>`, or XML with `<topic number="…">`."""

import html
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from touchstone_core.formats import cells
from touchstone_core.formats.content.queries import QueryRecord
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.tables import RecordList
from touchstone_core.formats.text import Text

OPENING: Final = re.compile(r"<(topic|top)(?:\s([^>]*))?>", re.IGNORECASE)
NUMBER: Final = re.compile(r"""\b(?:number|num|id|qid)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
FIELD: Final = re.compile(r"<([A-Za-z_-]+)[^<>]*>([^<]*)")
LABEL: Final = re.compile(r"^(?:Number|Topic|Title|Description|Narrative|Query)\s*:\s*", re.IGNORECASE)
TITLES: Final = ("title", "query", "question")
NEEDS: Final = ("desc", "description", "question", "narr", "narrative")


class Topic(NamedTuple):
    line: int
    attributes: str
    content: str


def looks_like_topics(text: Text) -> bool:
    return text.start.lstrip()[:1] == "<" and bool(OPENING.search(text.start[:100_000]))


def read_topics(text: Text) -> RecordList[QueryRecord]:
    """The ID is the topic's number, the query is its title, and description and narrative are the information need.

    Raises FormatError for a file without topics. Reports topics without a number or title, and repeated ones.
    """
    report = Report()
    lines: dict[str, int] = {}
    records = [record for topic in _topics(text, report) if (record := _record(topic, lines, report))]
    if not records and report.ok:
        raise FormatError(f"{text.name} holds no topics.")
    columns = {"query_id": "number", "query": "title", "information_need": "description and narrative"}
    return RecordList(records, report, "", [], columns)


def _topics(text: Text, report: Report) -> Iterator[Topic]:
    content = text.content
    line = counted_to = at = 0
    while opening := OPENING.search(content, at):
        line += content.count("\n", counted_to, opening.start())
        counted_to = opening.start()
        closing = re.compile(f"</{opening[1]}\\s*>", re.IGNORECASE).search(content, opening.end())
        if closing is None:
            report.error(
                line + 1, "", opening[0], f"a topic that ends with </{opening[1]}>", kind="not closed"
            )
            return
        yield Topic(line + 1, opening[2] or "", content[opening.end() : closing.start()])
        at = closing.end()


def _record(topic: Topic, lines: dict[str, int], report: Report) -> QueryRecord | None:
    fields: dict[str, str] = {}
    for name, value in FIELD.findall(topic.content):
        fields.setdefault(name.lower(), _plain(value))
    number = NUMBER.search(topic.attributes)
    id = _plain(number[1]) if number else fields.get("num", fields.get("number", ""))
    title = next((fields[name] for name in TITLES if fields.get(name)), "")
    need = "\n\n".join(value for name in NEEDS if (value := fields.get(name, "")) and value != title)
    first = lines.setdefault(id, topic.line)
    fault = cells.id_fault(id)
    once = f"listed once (it is on line {first} already)"
    faults = [
        ("number", id, fault, "not an ID"),
        ("title", title, cells.query_fault(title), "empty"),
        ("title", title, cells.length_fault(title, cells.LONGEST_QUERY), "too long"),
        ("narrative", need, cells.length_fault(need, cells.LONGEST_NEED), "too long"),
        ("number", id, None if first == topic.line or fault else once, "twice in the file"),
    ]
    if report.refuse(topic.line, faults):
        return None
    return QueryRecord(topic.line, id, title, need)


def _plain(value: str) -> str:
    """Removes the label that older files have, resolves entities, and turns white space into single blanks."""
    return LABEL.sub("", " ".join(html.unescape(value).replace("\0", " ").split()))
