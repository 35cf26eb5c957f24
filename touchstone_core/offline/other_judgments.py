"""Reads judgments of every format as one grade per query and document. TREC qrels have a reader of their own, which is faster."""

from typing import Final, NamedTuple

from touchstone_core.formats import cells
from touchstone_core.formats.delimiters import first_line
from touchstone_core.formats.file_format import detect_format
from touchstone_core.formats.judgments.judgment_files import (
    FORMATS,
    READABLE,
    JudgmentFormat,
    open_judgment_text,
)
from touchstone_core.formats.judgments.judgments import TARGETED, JudgmentRecord
from touchstone_core.formats.judgments.qrels import ITERATION, split_blanks, twice
from touchstone_core.formats.preamble import without_preamble
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.text import Text

QRELS: Final = FORMATS["qrels"]
SEVERAL: Final = "given one grade (its raters differ: the median counts, of two in the middle the lower)"


def judgment_format(text: Text) -> JudgmentFormat:
    """The format of the file. Lines that nothing cuts into cells, and those with 0 as their second word, are qrels with errors."""
    text = without_preamble(text)
    found = detect_format(text, READABLE)
    line = first_line(text)
    is_cut = any(mark in line for mark in ",;\t|") and split_blanks(line)[1:2] != [ITERATION]
    return QRELS if text.is_blank or (found.name in ("csv", "tsv") and not is_cut) else found


class OtherGrades(NamedTuple):
    """`grades` by query and document. `targeted` are the pairs that were judged for what they decide between two runs."""

    grades: dict[str, dict[str, float]]
    report: Report
    targeted: frozenset[tuple[str, str]]


def read_other_grades(text: Text) -> OtherGrades:
    """Several raters of a pair have one grade, by the rule of a new list.

    Leaves out pairs without a grade, with a warning if somebody couldn't judge them. Raises FormatError if there are no grades.
    """
    from touchstone_core.grades.rules import ConsensusRule  # takes longer than a small run

    rule = ConsensusRule().rule  # the median; its ties have the lower grade
    stream = open_judgment_text(text)
    report = stream.report
    judgments: dict[tuple[str, str], dict[str, JudgmentRecord]] = {}
    targeted = set()
    for record in stream.records:
        if record.selection == TARGETED:
            targeted.add((record.query, record.document))
        if record.grade_text and record.grade is None:
            expected = f"{cells.A_NUMBER} (only a site’s scale says what labels are worth)"
            report.error(record.line, record.grade_column, record.grade_text, expected, kind="not a number")
        elif record.grade is not None:
            _add(record, judgments.setdefault((record.query, record.document), {}), report)
        elif record.reason:
            expected = "a grade (“cannot judge”; left out)"
            report.warn(record.line, "reason", record.reason, expected, kind="cannot judge")
    if not judgments and report.ok:
        raise FormatError(f"{text.name} holds no grades.")
    grades: dict[str, dict[str, float]] = {}
    for (query, document), by_rater in judgments.items():
        in_order = sorted(one.grade for one in by_rater.values() if one.grade is not None)
        grades.setdefault(query, {})[document] = rule.candidates(in_order)[0]
    return OtherGrades(grades, report, frozenset(targeted & judgments.keys()))


def _add(record: JudgmentRecord, by_rater: dict[str, JudgmentRecord], report: Report) -> None:
    before = by_rater.get(record.rater)
    if before is not None:
        same = before.grade == record.grade
        expected, kind = twice(before.line, same=same)
        (report.warn if same else report.error)(record.line, "document", record.document, expected, kind=kind)
        return
    if any(one.grade != record.grade for one in by_rater.values()):
        report.warn(record.line, "document", record.document, SEVERAL, kind="several grades")
    by_rater[record.rater] = record
