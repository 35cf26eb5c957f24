"""TREC runs: `query Q0 document rank score tag`, with any white space between. The tag may be missing."""

import io
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from touchstone_core.formats import cells
from touchstone_core.formats.judgments.qrels import Q0, split_blanks, warn_of_comment
from touchstone_core.formats.problems import FormatError, Report, count_columns
from touchstone_core.formats.runs.options import MOST_RUNS, Options, RunRows, Trailing
from touchstone_core.formats.runs.rankings import SEVERAL_TAGS, Order, Rows
from touchstone_core.formats.runs.trec_shapes import (
    FOUR,
    NO_Q0,
    NO_TAG,
    SIX,
    THREE,
    complete,
    is_header,
    ranks_only,
    refuse_different_columns,
)
from touchstone_core.formats.text import Text

COLUMNS = 6
NOTES_START = "# ir_metadata.start"
NOTES_END = "# ir_metadata.end"


def read_trec(text: Text, report: Report, options: Options) -> RunRows:
    """One run, or one per tag by choice. The notes are the ir_metadata block without its comment signs."""
    _refuse_many_tags(text)
    if (rows_by_rank := _read_ranks(text, report, options)) is not None:
        return RunRows({"": rows_by_rank}, notes_of(text.content), by_text=options.queries == "text")
    reader = TrecReader(report, options.order, options.trailing)
    runs = reader.feed(text.content, 1, split=options.several == "split")
    if options.several != "split":
        runs = {reader.tag(): rows_by_query for rows_by_query in runs.values()}
    refuse_different_columns(report)
    if not any(runs.values()):
        _refuse_without_rows(text.name, report)
    return RunRows(runs, notes_of(text.content), by_text=options.queries == "text")


def _refuse_without_rows(name: str, report: Report) -> None:
    """Refuses judgments with one message instead of one per line. Other problems are in the report."""
    if report.ok:
        raise FormatError(f"{name} holds no rows, only comments or blank lines.")
    first = report.errors.first[0]
    if message := {"3 columns": THREE, "4 columns": FOUR}.get(first.value):
        raise FormatError(message.format(name=name), line=first.line)


def _refuse_many_tags(text: Text) -> None:
    """Refuses a file of too many runs before it takes up memory."""
    tags: set[str] = set()
    for line, row in enumerate(text.lines(), start=1):
        parts = row.rsplit(None, 1)
        if len(parts) == 2 and parts[1] not in tags and row[0] != "#" and len(row.split()) == COLUMNS:
            tags.add(parts[1])
            if len(tags) > MOST_RUNS:
                message = f"{text.name} holds more than {MOST_RUNS} runs (tags in its last column). Split it into files of at most {MOST_RUNS}."
                raise FormatError(message, line=line)


def _read_ranks(text: Text, report: Report, options: Options) -> dict[str, Rows] | None:
    """The rows of a file with queries, documents and ranks. None for any other file."""
    first = next(_words(text), (0, []))[1]
    if len(first) not in (3, 4):
        return None
    named = is_header(first)
    sure = named or options.order == "rank"
    if not ranks_only((parts for _, parts in islice(_words(text), named, None)), sure=sure):
        return None
    rows_by_query: dict[str, Rows] = {}
    for line, parts in islice(_words(text), named, None):
        query, document, rank = parts[0], parts[-2], int(parts[-1])
        if refuse_id(line, "query", query, report) or refuse_id(line, "document", document, report):
            continue
        rows_of_query = rows_by_query.setdefault(query, Rows(line))
        rows_of_query.documents.append(document)
        rows_of_query.lines.append(line)
        rows_of_query.ranks.append(rank)
    expected = "6 (the last is taken for the rank; there are no scores)"
    report.warn(None, "", count_columns(len(first)), expected, kind="no scores")
    return rows_by_query


def _words(text: Text) -> Iterator[tuple[int, list[str]]]:
    for line, row in enumerate(text.lines(), start=1):
        if row[:1] != "#" and (parts := split_blanks(row)):
            yield line, parts


@dataclass(slots=True)
class TrecReader:
    """Reads a file in one or several pieces. `trailing` says what happens to words after the tag."""

    report: Report
    order: Order = "score"
    trailing: Trailing = "refuse"
    tags: dict[str, int] = field(default_factory=dict)

    def feed(self, content: str, start: int, *, split: bool = False) -> dict[str, dict[str, Rows]]:
        """The rows of whole lines by query. `start` is the number of the first line.

        They are one run without a name. If `split` is true, each tag is a run, and so are the rows without one.
        """
        runs: dict[str, dict[str, Rows]] = {}
        for line, parts in self._rows(content, start):
            tag = parts[COLUMNS - 1] if split and len(parts) >= COLUMNS else ""
            _add(line, parts, runs.setdefault(tag, {}), self.report, self.order)
        return runs

    def _rows(self, content: str, start: int) -> Iterator[tuple[int, list[str]]]:
        split: Callable[[str], list[str]] = str.split if content.isascii() else split_blanks
        first = start == 1
        for line, row in enumerate(io.StringIO(content, newline="\n"), start=start):
            parts = split(row)
            if not parts:
                continue
            if row[0] == "#":
                if len(parts) == COLUMNS and parts[1] in Q0 and cells.number(parts[4]) is not None:
                    warn_of_comment(line, parts[0], self.report)
                continue
            if first:
                first = False
                if is_header(parts):
                    self.report.warn(line, "", "names of columns", "a row (left out)", kind="header")
                    continue
            if len(parts) == COLUMNS:
                self.tags.setdefault(parts[5], line)
            elif whole_row := self._other_width(line, parts):
                parts = whole_row
            else:
                continue
            yield line, parts

    def tag(self) -> str:
        """The tag of the first row that has one. Reports every other tag."""
        first, *others = self.tags or {"": 0}
        for tag in others:
            expected = f"the tag “{first}” of line {self.tags[first]} (one run in one file, unless you choose to split it)"
            self.report.error(self.tags[tag], "tag", tag, expected, kind=SEVERAL_TAGS)
        return first

    def _other_width(self, line: int, parts: list[str]) -> list[str] | None:
        """The row if it can be read: without a tag or Q0, or with words after the tag. Otherwise reports it."""
        if whole := complete(parts):
            row, lacks = whole
            if len(row) == COLUMNS:
                self.tags.setdefault(row[5], line)
            kind = NO_TAG if row is parts else NO_Q0
            self.report.warn(line, "", f"{len(parts)} columns", f"6 ({lacks})", kind=kind)
            return row
        width = count_columns(len(parts))
        if self.trailing == "skip" and len(parts) > COLUMNS and parts[3].lstrip("+-").isdecimal():
            self.tags.setdefault(parts[5], line)
            self.report.warn(
                line, "", width, "6 (what follows the tag is left out)", kind="words behind the tag"
            )
            return parts
        hint = " (it may lack Q0 or the tag: add what it lacks)" if len(parts) == COLUMNS - 1 else ""
        if len(parts) > COLUMNS and parts[3].isdecimal() and cells.number(parts[4]) is not None:
            hint = " (if the tag has blanks, write _ in place of them)"
        if len(parts) > 2 and not any(map(cells.resembles_number, parts)):
            hint = " (if it names the columns, leave it out)"
        self.report.error(line, "", width, SIX + hint, kind="wrong number of columns")
        return None


def _add(line: int, parts: list[str], rows_by_query: dict[str, Rows], report: Report, order: Order) -> None:
    query, _, document, rank_text, score_text = parts[:5]
    score = cells.number(cells.with_point(score_text, sure=False))
    if score is None:
        refuse_score(line, score_text, report)
        return
    rows = rows_by_query.get(query)
    if rows is None:
        if refuse_id(line, "query", query, report):
            return
        rows = rows_by_query[query] = Rows(line)
    if not (
        document.isascii() and document.isprintable() and len(document) <= cells.LONGEST_ID
    ) and refuse_id(line, "document", document, report):
        return
    rows.documents.append(document)
    rows.scores.append(score)
    rows.lines.append(line)
    rows.ranks.append(read_rank(line, rank_text, report, order))


def read_rank(line: int, text: str, report: Report, order: Order) -> int:
    """The rank, or 0 if it isn't a whole number: that's an error if ranks decide, and a warning otherwise."""
    try:
        return int(text)
    except ValueError:
        tell = report.error if order == "rank" else report.warn
        tell(line, "rank", text, "a whole number", kind="rank not a whole number")
        return 0


def refuse_score(line: int | None, value: str, report: Report, *, column: str = "score") -> None:
    """Reports a bad score. nan and infinity get a message of their own, since many readers accept them as numbers."""
    try:
        finite = math.isfinite(float(value))
    except ValueError:
        finite = True
    if finite:
        expected = cells.A_NUMBER if "," in value else "a number"
        report.error(line, column, value, expected, kind="score not a number")
    else:
        report.error(line, column, value, "a finite number", kind="score not finite")


def refuse_id(line: int | None, column: str, value: str, report: Report) -> bool:
    fault = cells.id_fault(value)
    if fault:
        report.error(line, column, value, fault, kind="not an ID")
    return bool(fault)


def notes_of(content: str) -> str:
    """The first ir_metadata block, without its comment signs. Empty if there is none."""
    start = content.find(NOTES_START)
    if start < 0:
        return ""
    notes = []
    for line in content[start:].split("\n")[1:]:
        if not line.startswith("#") or line.startswith(NOTES_END):
            break
        notes.append(line[1:].removeprefix(" "))
    return "\n".join(notes)
