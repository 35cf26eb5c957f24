"""Writes judgments as text for other tools, piece by piece. `json_writers` writes JSON.

A writer takes records sorted by query and document, as its format `holds` them (see `judgment_files`). It raises
FormatError for what the format can't hold.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Final

from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.judgments.qrels import ITERATION
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.spreadsheet import neutralize
from touchstone_core.formats.writing import (
    Description,
    Records,
    as_json,
    name_of,
    number,
    refuse_blanks,
    refuse_comment,
)

TOUCHSTONE: Final = (
    "query",
    "document",
    "rater",
    "grade",
    "reason",
    "comment",
    "judged_at",
    "seconds",
    "selection",
)


def qrels(records: Records, description: Description) -> Iterator[str]:
    """`query iteration document grade`, without a comment, which trec_eval wouldn't understand."""
    for one in records:
        refuse_blanks((one.query, one.document), "TREC qrels")
        refuse_comment(one.query, "TREC qrels")
        iteration = (one.pair_fields or {}).get("iteration", ITERATION)
        yield f"{one.query} {iteration} {one.document} {_grade(one)}\n"


def letor(records: Records, description: Description) -> Iterator[str]:
    """`grade qid:query # document text`."""
    yield description.comment()
    for one in records:
        refuse_blanks((one.query, one.document), "LETOR")
        if "#" in one.query:
            raise FormatError(
                f"LETOR can’t hold the query ID “{one.query}”: # begins a comment. Choose another format."
            )
        if one.document == "docid":
            raise FormatError(
                "LETOR can’t hold the document ID “docid”, which names a field there. Choose another format."
            )
        text = " ".join(one.query_text.split())
        yield f"{_grade(one)} qid:{one.query} # {one.document} {text}".rstrip(" ") + "\n"


def quepid(records: Records, description: Description) -> Iterator[str]:
    """`query,docid,rating`, with the query's text. Quepid needs exactly this first line, and line feeds."""
    yield "query,docid,rating\n"
    for one in records:
        yield _csv_line([neutralize(name_of(one)), neutralize(one.document), _grade(one)])


def touchstone(records: Records, description: Description) -> Iterator[str]:
    yield description.comment()
    yield _csv_line(TOUCHSTONE)
    for one in records:
        texts = map(neutralize, (one.query, one.document, one.rater))
        grade = "" if one.grade is None else number(one.grade)
        rest = (one.judged_at.isoformat() if one.judged_at else "", _seconds(one), one.selection)
        yield _csv_line([*texts, grade, one.reason, neutralize(one.comment), *rest])


def jsonl(records: Records, description: Description) -> Iterator[str]:
    for one in records:
        values = {
            "query": one.query,
            "query_text": one.query_text,
            "document": one.document,
            "rater": one.rater,
            "grade": one.grade,
            "reason": one.reason,
            "comment": one.comment,
            "judged_at": one.judged_at.isoformat() if one.judged_at else None,
            "seconds": one.seconds,
            "selection": one.selection,
        }
        yield as_json({name: value for name, value in values.items() if value not in (None, "")}) + "\n"


def _csv_line(row: Sequence[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(row)
    return buffer.getvalue()


def _grade(one: JudgmentRecord) -> str:
    return number(one.grade or 0)


def _seconds(one: JudgmentRecord) -> str:
    return "" if one.seconds is None else number(one.seconds)
