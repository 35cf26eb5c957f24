"""TREC runs: `query Q0 document rank score tag`, any white space between; the tag may be missing."""

import io
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from evaluation.ingest.formats.options import Found, Options, Trailing
from evaluation.ingest.formats.rankings import Order, Rows
from judgments.formats import cells
from judgments.formats.problems import FormatError, Report
from judgments.formats.qrels import split_blanks
from judgments.formats.text import Text

COLUMNS = 6
NO_TAG = "no tag"
NOTES_START = "# ir_metadata.start"
NOTES_END = "# ir_metadata.end"


def read_trec(text: Text, report: Report, options: Options) -> Found:
    """One run, or by choice one for each tag. The notes are the ir_metadata block without its comment signs."""
    reader = TrecReader(report, options.order, options.trailing)
    if options.several == "split":
        runs = reader.feed_by_tag(text.content, 1)
    else:
        gathered = reader.feed(text.content, 1)
        runs = {reader.tag(): gathered} if gathered else {}
    if not any(runs.values()):
        _refuse_without_rows(text.name, report)
    return Found("trec", runs, _notes(text.content), by_text=options.queries == "text")


def _refuse_without_rows(name: str, report: Report) -> None:
    """Says in one sentence what a hundred would say of judgments; what else is wrong stands in the report."""
    if report.ok:
        raise FormatError(f"{name} holds no rows, only comments or blank lines.")
    first = report.errors.first[0]
    if first.value == "4 columns":
        message = f"{name} has four columns, as judgments (TREC qrels) have; a run has six: query, Q0, document, rank, score and tag."
        raise FormatError(message, line=first.line)


@dataclass(slots=True)
class TrecReader:
    """Reads a file in one or several pieces. `trailing` says what becomes of words behind the tag."""

    report: Report
    order: Order = "score"
    trailing: Trailing = "refuse"
    tags: dict[str, int] = field(default_factory=dict)

    def feed(self, content: str, start: int) -> dict[str, Rows]:
        """The rows of whole lines by query; the first line has the number `start`."""
        gathered: dict[str, Rows] = {}
        for line, parts in self._rows(content, start):
            _add(line, parts, gathered, self.report, self.order)
        return gathered

    def feed_by_tag(self, content: str, start: int) -> dict[str, dict[str, Rows]]:
        """The rows by tag and query; those of rows without a tag have the empty one."""
        runs: dict[str, dict[str, Rows]] = {}
        for line, parts in self._rows(content, start):
            tag = parts[COLUMNS - 1] if len(parts) >= COLUMNS else ""
            _add(line, parts, runs.setdefault(tag, {}), self.report, self.order)
        return runs

    def _rows(self, content: str, start: int) -> Iterator[tuple[int, list[str]]]:
        split: Callable[[str], list[str]] = str.split if content.isascii() else split_blanks
        for line, row in enumerate(io.StringIO(content, newline="\n"), start=start):
            parts = split(row)
            if not parts or row[0] == "#":
                continue
            if len(parts) == COLUMNS:
                self.tags.setdefault(parts[5], line)
            elif not self._other_width(line, parts):
                continue
            yield line, parts

    def tag(self) -> str:
        """The tag of the first row that has one; every other one is an error."""
        first, *others = self.tags or {"": 0}
        for tag in others:
            expected = f"the tag “{first}” of line {self.tags[first]} (one run in one file)"
            self.report.error(self.tags[tag], "tag", tag, expected, kind="several tags")
        return first

    def _other_width(self, line: int, parts: list[str]) -> bool:
        """Whether the row can be read all the same: without a tag, or with words behind it."""
        if len(parts) == COLUMNS - 1:
            self.report.warn(line, "", "5 columns", "6 (the tag is missing)", kind=NO_TAG)
            return True
        found = "1 column" if len(parts) == 1 else f"{len(parts)} columns"
        if self.trailing == "skip" and len(parts) > COLUMNS and parts[3].lstrip("+-").isdecimal():
            self.tags.setdefault(parts[5], line)
            self.report.warn(
                line, "", found, "6 (what follows the tag is left out)", kind="words behind the tag"
            )
            return True
        self.report.error(
            line, "", found, "query, Q0, document, rank, score and tag", kind="wrong number of columns"
        )
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
