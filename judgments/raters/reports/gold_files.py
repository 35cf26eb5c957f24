"""Gold pairs out of a file of judgments: TREC qrels, CSV or any other format that judgments are read from."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from judgments.files.reports.import_grades import Grades
from judgments.models import JudgmentList, Pair
from touchstone_core.formats.judgments.judgment_files import open_judgment_text
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.text import decode
from touchstone_core.words import counted

MOST = 5_000


@dataclass(slots=True)
class KnownAnswer:
    """The right grade of a pair; `also` are further ones that count as right."""

    pair_id: int
    value: float
    also: set[float] = field(default_factory=set)
    explanation: str = ""


def read_gold_file(
    *, judgment_list: JudgmentList, source: bytes | Path, file_name: str, limit: int
) -> tuple[list[KnownAnswer], Report, str]:
    """As `read_gold`, and the SHA-256 of the file."""
    data = source if isinstance(source, bytes) else source.read_bytes()
    answers, report = read_gold(judgment_list, data, name=file_name, limit=limit)
    return answers, report, sha256(data).hexdigest()


def read_gold(
    judgment_list: JudgmentList, data: bytes, *, name: str, limit: int
) -> tuple[list[KnownAnswer], Report]:
    """Every pair of the file with its grade; a pair that comes again with another grade has several right ones.

    What cannot be a gold pair is in the report: grades off the scale, pairs that the list does not have. Raises
    FormatError for a file that cannot be read as a whole, or has more than `MOST` lines. One statement.
    """
    opened = open_judgment_text(decode(data, name=name, limit=limit))
    records = []
    for record in opened.records:
        records.append(record)
        if len(records) > MOST:
            raise FormatError(
                f"{name} has more than {counted(MOST, 'line')}; that many pairs are hardly gold."
            )
    found = _answers(judgment_list, records, opened.report)
    return found, opened.report


def _answers(
    judgment_list: JudgmentList, records: Iterable[JudgmentRecord], report: Report
) -> list[KnownAnswer]:
    grades, pairs = Grades(judgment_list.scale), _pairs(judgment_list, records)
    answers: dict[int, KnownAnswer] = {}
    for record in records:
        pair_id = pairs.get((record.query, record.document))
        if pair_id is None:
            said = f"{record.query} {record.document}"
            report.error(record.line, "document", said, "a pair of this list", kind="not in the list")
        elif record.reason or not (record.grade_text or record.grade is not None):
            report.error(record.line, "grade", record.grade_text, grades.expected, kind="no grade")
        elif (answer := grades.answer(record, report)) is not None and answer.value is not None:
            known = answers.setdefault(pair_id, KnownAnswer(pair_id, answer.value))
            known.also |= {answer.value} - {known.value}
            known.explanation = known.explanation or (record.comment or "").strip()
    return list(answers.values())


def _pairs(judgment_list: JudgmentList, records: Iterable[JudgmentRecord]) -> dict[tuple[str, str], int]:
    """Pair keys by the external ids of query and document."""
    rows = Pair.objects.filter(
        judgment_list=judgment_list,
        query__external_id__in={record.query for record in records},
        document__external_id__in={record.document for record in records},
    )
    found = rows.order_by().values_list("query__external_id", "document__external_id", "pk")
    return {(query, document): pk for query, document, pk in found}
