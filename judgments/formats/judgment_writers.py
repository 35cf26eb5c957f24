"""Judgments to text in the formats of other tools, made piece by piece.

A writer takes records sorted by query and document. Those of `GRADES` take one grade for each pair, those of
`JUDGMENTS` every rater's judgment and the pairs that are to be judged. What a format cannot hold raises FormatError.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from judgments.formats.judgments import JudgmentRecord
from judgments.formats.problems import FormatError, shorten
from judgments.formats.spreadsheet import neutralized

Records = Iterable[JudgmentRecord]
TOUCHSTONE: Final = ("query", "document", "rater", "grade", "reason", "comment", "judged_at", "seconds")
BLANK: Final = re.compile(r"[ \t\n\r\v\f]")


@dataclass(frozen=True, slots=True)
class Description:
    """What an export says of itself, in its first line or in a file beside it. `levels` are grades with labels."""

    list: str
    query_set: str = ""
    version: str = "live"
    rule: str = ""
    tie: str = ""
    scale: str = ""
    levels: Sequence[tuple[float, str]] = ()
    exported_at: str = ""
    whole_numbers: bool = False
    """Round grades where a format holds whole numbers only."""

    def as_json(self) -> dict[str, Any]:
        return {
            "list": self.list,
            "query_set": self.query_set,
            "version": self.version,
            "consensus_rule": self.rule,
            "tie_rule": self.tie,
            "scale": {"name": self.scale, "grades": {number(value): label for value, label in self.levels}},
            "exported_at": self.exported_at,
        }

    def comment(self) -> str:
        return f"# touchstone: {json.dumps(self.as_json(), ensure_ascii=False)}\n"


def number(value: float) -> str:
    """Every digit that there is, and no fraction where there is none."""
    return repr(float(value)).removesuffix(".0")


def qrels(records: Records, description: Description) -> Iterator[str]:
    """`query 0 document grade`, without a comment: trec_eval knows none."""
    for one in records:
        _refuse_blanks(one, "TREC qrels")
        if one.query.startswith("#"):
            raise FormatError(f"The query id “{one.query}” would begin a comment in TREC qrels.")
        yield f"{one.query} 0 {one.document} {_grade(one)}\n"


def letor(records: Records, description: Description) -> Iterator[str]:
    """`grade qid:query # document text`."""
    yield description.comment()
    for one in records:
        _refuse_blanks(one, "LETOR")
        if "#" in one.query or one.document == "docid":
            raise FormatError(f"“{one.query}” and “{one.document}” cannot stand together on a line of LETOR.")
        text = " ".join(one.query_text.split())
        yield f"{_grade(one)} qid:{one.query} # {one.document} {text}".rstrip(" ") + "\n"


def quepid(records: Records, description: Description) -> Iterator[str]:
    """`query,docid,rating`, the query by its text; Quepid wants just this first line, and line feeds."""
    yield "query,docid,rating\n"
    for one in records:
        yield _csv_line([neutralized(_name(one)), neutralized(one.document), _grade(one)])


def touchstone(records: Records, description: Description) -> Iterator[str]:
    yield description.comment()
    yield _csv_line(TOUCHSTONE)
    for one in records:
        texts = map(neutralized, (one.query, one.document, one.rater))
        grade = "" if one.grade is None else number(one.grade)
        rest = (one.judged_at.isoformat() if one.judged_at else "", _seconds(one))
        yield _csv_line([*texts, grade, one.reason, neutralized(one.comment), *rest])


def jsonl(records: Records, description: Description) -> Iterator[str]:
    for one in records:
        found = {
            "query": one.query,
            "query_text": one.query_text,
            "document": one.document,
            "rater": one.rater,
            "grade": one.grade,
            "reason": one.reason,
            "comment": one.comment,
            "judged_at": one.judged_at.isoformat() if one.judged_at else None,
            "seconds": one.seconds,
        }
        yield _json({name: value for name, value in found.items() if value not in (None, "")}) + "\n"


def opensearch(records: Records, description: Description) -> Iterator[str]:
    """Ratings are texts with a point: servers before 3.3 want them so."""
    head = {"name": description.list, "description": description.scale, "type": "IMPORT_JUDGMENT"}
    queries = (
        {
            "query": query,
            "ratings": [{"docId": one.document, "rating": repr(float(one.grade or 0))} for one in found],
        }
        for query, found in _by_query(records, _name)
    )
    return _document(head, "judgmentRatings", queries)


def rre(records: Records, description: Description) -> Iterator[str]:
    head = {"id_field": "id", "index": description.query_set, "template": "template.json"}
    queries = (
        {
            "placeholders": {"$query": query},
            "relevant_documents": {one.document: {"gain": _value(one)} for one in found},
        }
        for query, found in _by_query(records, _name)
    )
    return _document(head, "queries", queries)


def rank_eval(records: Records, description: Description) -> Iterator[str]:
    """Elasticsearch takes whole numbers only; with `whole_numbers` others are rounded."""
    search = {"query": {"multi_match": {"query": "{{query}}"}}}
    head = {
        "templates": [{"id": "search", "template": {"source": search}}],
        "metric": {"dcg": {"k": 10, "normalize": True}},
    }
    requests = (
        {
            "id": query,
            "template_id": "search",
            "params": {"query": found[0].query_text or query},
            "ratings": [
                {"_index": "index", "_id": one.document, "rating": _whole(one, description)} for one in found
            ],
        }
        for query, found in _by_query(records, _id)
    )
    return _document(head, "requests", requests)


def quepid_book(records: Records, description: Description) -> Iterator[str]:
    """Raters stand where Quepid has e-mail addresses; a reason has a name of its own beside “unrateable”."""
    head = {
        "name": description.list,
        "scale": [_plain(value) for value, _ in description.levels],
        "scale_with_labels": {number(value): label for value, label in description.levels},
    }
    pairs = (
        {
            "query_text": query,
            "doc_id": document,
            "document_fields": {},
            "judgements": [_judgement(one) for one in found if not one.unanswered],
        }
        for (query, document), found in groupby(records, lambda one: (_name(one), one.document))
    )
    return _document(head, "query_doc_pairs", pairs)


def _judgement(one: JudgmentRecord) -> dict[str, Any]:
    answer = {
        "rating": one.grade,
        "unrateable": one.grade is None,
        "judge_later": False,
        "user_email": one.rater or None,
        "explanation": one.comment or None,
    }
    return answer | {"reason": one.reason} if one.reason else answer


Writer = Callable[[Records, Description], Iterator[str]]
GRADES: Final[Mapping[str, Writer]] = {
    "qrels": qrels,
    "quepid": quepid,
    "opensearch": opensearch,
    "rre": rre,
    "letor": letor,
    "rank-eval": rank_eval,
}
JUDGMENTS: Final[Mapping[str, Writer]] = {
    "touchstone": touchstone,
    "jsonl": jsonl,
    "quepid-book": quepid_book,
}
BY_TEXT: Final = frozenset({"quepid", "opensearch", "rre", "quepid-book"})
"""Formats that know a query by its text, so that no two may share one."""
NO_COMMENT: Final = frozenset({*GRADES, *JUDGMENTS} - {"letor", "touchstone"})
"""Formats that cannot say where they come from; a file beside them does."""
SUFFIX: Final[Mapping[str, str]] = {
    "qrels": "qrels",
    "quepid": "csv",
    "opensearch": "json",
    "rre": "json",
    "letor": "txt",
    "rank-eval": "json",
    "touchstone": "csv",
    "jsonl": "jsonl",
    "quepid-book": "json",
}


def _document(head: Mapping[str, Any], key: str, parts: Iterable[Any]) -> Iterator[str]:
    """A JSON object whose last member is a list, one element on a line."""
    yield f"{_json(head)[:-1]}, {_json(key)}: ["
    for place, part in enumerate(parts):
        yield (",\n" if place else "\n") + _json(part)
    yield "\n]}\n"


def _by_query(
    records: Records, name: Callable[[JudgmentRecord], str]
) -> Iterator[tuple[str, list[JudgmentRecord]]]:
    return ((query, list(found)) for query, found in groupby(records, name))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _csv_line(row: Sequence[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(row)
    return buffer.getvalue()


def _name(one: JudgmentRecord) -> str:
    return one.query_text or one.query


def _id(one: JudgmentRecord) -> str:
    return one.query


def _grade(one: JudgmentRecord) -> str:
    return number(one.grade or 0)


def _value(one: JudgmentRecord) -> float | int:
    return _plain(one.grade or 0)


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value


def _seconds(one: JudgmentRecord) -> str:
    return "" if one.seconds is None else number(one.seconds)


def _whole(one: JudgmentRecord, description: Description) -> int:
    grade = one.grade or 0
    if not description.whole_numbers and not float(grade).is_integer():
        raise FormatError(
            f"Elasticsearch takes whole grades only, and “{shorten(one.document)}” has {number(grade)}; "
            "choose rounding, or another format."
        )
    return round(grade)


def _refuse_blanks(one: JudgmentRecord, format: str) -> None:
    for id in (one.query, one.document):
        if BLANK.search(id):
            raise FormatError(
                f"The id “{shorten(id)}” holds a blank, which cuts columns in {format}; choose another format."
            )
