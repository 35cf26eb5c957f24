"""TREC runs: `query Q0 document rank score tag`, any white space between; the tag may be missing."""

import io
import math
from collections.abc import Callable

from evaluation.ingest.formats.rankings import Order, Rows
from judgments.formats import cells
from judgments.formats.problems import FormatError, Report
from judgments.formats.qrels import split_blanks
from judgments.formats.text import Text

COLUMNS = 6
NOTES_START = "# ir_metadata.start"
NOTES_END = "# ir_metadata.end"


def read_trec(text: Text, report: Report, *, order: Order) -> tuple[str, str, dict[str, Rows]]:
    """Tag, notes (the ir_metadata block without its comment signs), and the rows by query."""
    gathered: dict[str, Rows] = {}
    tags: dict[str, int] = {}
    split: Callable[[str], list[str]] = str.split if text.content.isascii() else split_blanks
    for line, content in enumerate(io.StringIO(text.content, newline="\n"), start=1):
        parts = split(content)
        if not parts or content[0] == "#":
            continue
        if len(parts) == COLUMNS:
            tags.setdefault(parts[5], line)
        elif not _without_tag(line, parts, report):
            continue
        _add(line, parts, gathered, report, order)
    if not gathered and report.ok:
        raise FormatError(f"{text.name} holds no rows, only comments or blank lines.")
    return _tag(tags, report), _notes(text.content), gathered


def _without_tag(line: int, parts: list[str], report: Report) -> bool:
    if len(parts) == COLUMNS - 1:
        report.warn(line, "", "5 columns", "6 (the tag is missing)", kind="no tag")
        return True
    expected = "query, Q0, document, rank, score and tag"
    found = "1 column" if len(parts) == 1 else f"{len(parts)} columns"
    report.error(line, "", found, expected, kind="wrong number of columns")
    return False


def _add(line: int, parts: list[str], gathered: dict[str, Rows], report: Report, order: Order) -> None:
    query, _, document, rank_text, score_text = parts[:5]
    score = cells.number(score_text)
    if score is None:
        refuse_score(line, score_text, report)
        return
    rows = gathered.get(query)
    if rows is None:
        if refuse_id(line, "query", query, report):
            return
        rows = gathered[query] = Rows(line)
    if not (document.isprintable() and len(document) <= cells.LONGEST_ID) and refuse_id(
        line, "document", document, report
    ):
        return
    rows.documents.append(document)
    rows.scores.append(score)
    rows.lines.append(line)
    rows.ranks.append(read_rank(line, rank_text, report, order))


def read_rank(line: int, text: str, report: Report, order: Order) -> int:
    """The rank; where it is no whole number, an error if ranks decide, else a warning and 0."""
    try:
        return int(text)
    except ValueError:
        tell = report.error if order == "rank" else report.warn
        tell(line, "rank", text, "a whole number", kind="rank not a whole number")
        return 0


def refuse_score(line: int | None, value: str, report: Report, *, column: str = "score") -> None:
    """nan and infinity are numbers to many readers, so they are named apart from what is no number at all."""
    try:
        finite = math.isfinite(float(value))
    except ValueError:
        finite = True
    if finite:
        report.error(line, column, value, "a number", kind="score not a number")
    else:
        report.error(line, column, value, "a finite number", kind="score not finite")


def refuse_id(line: int | None, column: str, value: str, report: Report) -> bool:
    fault = cells.id_fault(value)
    if fault:
        report.error(line, column, value, fault, kind="not an id")
    return bool(fault)


def _tag(tags: dict[str, int], report: Report) -> str:
    first, *others = tags or {"": 0}
    for tag in others:
        expected = f"the tag “{first}” of line {tags[first]} (one run in one file)"
        report.error(tags[tag], "tag", tag, expected, kind="several tags")
    return first


def _notes(content: str) -> str:
    start = content.find(NOTES_START)
    if start < 0:
        return ""
    notes = []
    for line in content[start:].split("\n")[1:]:
        if not line.startswith("#") or line.startswith(NOTES_END):
            break
        notes.append(line[1:].removeprefix(" "))
    return "\n".join(notes)
