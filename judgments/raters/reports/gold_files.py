"""Gold pairs from a file of judgments: TREC qrels, CSV or any other format of judgments. And as a CSV file that is read again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Final

from judgments.files.reports.import_grades import Grades
from judgments.models import JudgmentList, Pair
from judgments.raters.reports.gold import gold_pairs
from touchstone_core.formats import cells
from touchstone_core.formats.judgments.judgment_files import open_judgment_text
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.formats.text import decode
from touchstone_core.words import counted

MOST = 5_000
LONGEST_EXPLANATION: Final = 2_000
COLUMNS = ("query", "document", "grade", "comment")
PART = 500


@dataclass(slots=True)
class KnownAnswer:
    """The correct grade of a pair; `also` are others that count as correct."""

    pair_id: int
    value: float
    also: set[float] = field(default_factory=set)
    explanation: str = ""


def read_gold_file(
    *, judgment_list: JudgmentList, source: bytes | Path, file_name: str, limit: int
) -> tuple[list[KnownAnswer], Report, str]:
    """Like `read_gold`, and the SHA-256 of the file."""
    data = source if isinstance(source, bytes) else source.read_bytes()
    answers, report = read_gold(judgment_list, data, name=file_name, limit=limit)
    return answers, report, sha256(data).hexdigest()


def read_gold(
    judgment_list: JudgmentList, data: bytes, *, name: str, limit: int
) -> tuple[list[KnownAnswer], Report]:
    """Every pair of the file with its grade; a pair that occurs again with another grade has several correct ones.

    The report has what can't be a gold pair: grades off the scale, and pairs that aren't in the list. Raises FormatError for
    a file that can't be read, or with more than `MOST` lines. One statement.
    """
    text = open_judgment_text(decode(data, name=name, limit=limit))
    records = list(islice(text.records, MOST + 1))
    if len(records) > MOST:
        raise FormatError(f"{name} has more than {counted(MOST, 'line')}. Split it into several files.")
    if not records and text.report.ok:
        raise FormatError(f"{name} holds no judgments that can be imported.")
    return _answers(judgment_list, records, text.report), text.report


def _answers(
    judgment_list: JudgmentList, records: Iterable[JudgmentRecord], report: Report
) -> list[KnownAnswer]:
    grades, pairs = Grades(judgment_list.scale), _pairs(judgment_list, records)
    answers: dict[int, KnownAnswer] = {}
    for record in records:
        pair_id = pairs.get((record.query, record.document))
        if pair_id is None:
            ids = f"{record.query} {record.document}"
            report.error(record.line, "document", ids, "a pair of this list", kind="not in the list")
        elif record.reason or not (record.grade_text or record.grade is not None):
            report.error(record.line, "grade", record.grade_text, grades.expected, kind="no grade")
        elif fault := cells.length_fault(record.comment, LONGEST_EXPLANATION):
            report.error(record.line, "comment", record.comment, fault, kind="too long")
        elif (answer := grades.answer(record, report)) is not None and answer.value is not None:
            gold = answers.setdefault(pair_id, KnownAnswer(pair_id, answer.value))
            gold.also |= {answer.value} - {gold.value}
            gold.explanation = gold.explanation or record.comment
    return list(answers.values())


def _pairs(judgment_list: JudgmentList, records: Iterable[JudgmentRecord]) -> dict[tuple[str, str], int]:
    """Pair keys by the external IDs of query and document."""
    rows = Pair.objects.filter(
        judgment_list=judgment_list,
        query__external_id__in={record.query for record in records},
        document__external_id__in={record.document for record in records},
    )
    keys = rows.order_by().values_list("query__external_id", "document__external_id", "pk")
    return {(query, document): pk for query, document, pk in keys}


def table(judgment_list: JudgmentList) -> Iterator[Sequence[Cell]]:
    """The gold pairs in use as `read_gold` reads them: a row for each grade that counts as correct."""
    yield COLUMNS
    for gold in gold_pairs(judgment_list).iterator(chunk_size=PART):
        for value in gold.right_values:
            yield [gold.pair.query.external_id, gold.pair.document.external_id, value, gold.explanation]
