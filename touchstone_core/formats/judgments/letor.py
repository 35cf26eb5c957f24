"""LETOR and RankLib: `3 qid:1 1:0.5 2:7 # 7555 rambo`. Warns that features are left out."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from touchstone_core.formats import cells
from touchstone_core.formats.delimiters import BLANKS
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.judgments.qrels import split_blanks
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.tables import RecordStream
from touchstone_core.formats.text import Text

COLUMNS: Final = {"query": "qid", "document": "# document", "grade": "grade"}
DOC_ID: Final = re.compile(r"[ \t]*docid[ \t]+=[ \t]+([^ \t\n\v\f]+)")
QUERY_NAME: Final = re.compile(r"#\s*qid:\s*(?P<qid>\S+?)\s*:\s*(?P<text>.*?)(?:\*[0-9.]+)?\s*$")
FEATURE: Final = re.compile(r"[ \t][0-9]+:")
NOT_KEPT: Final = "not kept"
LOOKS: Final = re.compile(r"\s*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?\s+qid:\S", re.ASCII)


def looks_like_letor(text: Text) -> bool:
    """Whether the first line that isn't a comment begins with a grade and a `qid:`."""
    lines = (line for line in text.start[:100_000].split("\n") if line.strip() and not line.startswith("#"))
    return bool(LOOKS.match(next(lines, "")))


def open_letor(text: Text) -> RecordStream[JudgmentRecord]:
    """The document is the first word after #, or the value of `docid = `, as in LETOR's own data.

    The next words are the query's text, which can also be in a comment: `# qid:1: rambo`. If a file names no documents at
    all, such as MSLR-WEB's, their IDs are the query and a number: `1-2`. Reading raises FormatError if there are no rows.
    """
    report = Report()
    return RecordStream(_records(text, report), report, "", ["grade", "qid", "# document"], dict(COLUMNS))


def _records(text: Text, report: Report) -> Iterator[JudgmentRecord]:
    names: dict[str, str] = {}
    places: Counter[str] | None = None if _names_documents(text) else Counter()
    if places is not None:
        expected = "# and the ID of a document (they are called after query and place, such as 1-2)"
        report.warn(None, "#", "no documents", expected, kind="documents without ids")
    empty = True
    for line, content in enumerate(text.lines(), start=1):
        if content.startswith("#"):
            if match := QUERY_NAME.match(content):
                names[match["qid"]] = match["text"]
        elif content.strip(BLANKS):
            empty = False
            if record := _row(line, content, names, places, report):
                yield record
            if NOT_KEPT not in report.warnings.counts and (
                features := FEATURE.findall(content.partition("#")[0])
            ):
                count = "1 feature" if len(features) == 1 else f"{len(features)} features"
                expected = "only a grade, a query and a document (features aren’t kept, so keep the file that has them)"
                report.warn(line, "", count, expected, kind=NOT_KEPT)
    if empty:
        raise FormatError(f"{text.name} holds no judgments.")


def _names_documents(text: Text) -> bool:
    """Whether any row names its document. If one does, a row that doesn't is a mistake."""
    rows = (content for content in text.lines() if not content.startswith("#"))
    return any("#" in content for content in rows) or text.is_blank


def _row(
    line: int, content: str, names: dict[str, str], places: Counter[str] | None, report: Report
) -> JudgmentRecord | None:
    data, _, comment = content.partition("#")
    grade, *rest = split_blanks(data) or [""]
    query = rest[0].removeprefix("qid:") if rest and rest[0].startswith("qid:") else ""
    document, words = _document(comment)
    if places is not None:
        places[query] += 1
        document = f"{query}-{places[query]}"
    faults = [
        ("grade", grade, None if cells.number(grade) is not None else "a number", "not a number"),
        ("qid", " ".join(rest[:1]), cells.id_fault(query) and "qid: and the ID of a query", "no query"),
        ("#", document, cells.id_fault(document) and "# and the ID of a document", "no document"),
    ]
    if report.refuse(line, faults):
        return None
    text = words or names.get(query, "")
    return JudgmentRecord(line, query, document, grade, cells.number(grade), query_text=text)


def _document(comment: str) -> tuple[str, str]:
    """The document and the words after it."""
    if match := DOC_ID.match(comment):
        return match[1], ""
    parts = re.split(f"[{BLANKS}]+", comment.strip(BLANKS), maxsplit=1)
    return parts[0], parts[1].strip(BLANKS) if len(parts) > 1 else ""
