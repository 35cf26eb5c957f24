"""What a file of judgments means in one list: its grades on the scale, its queries, documents and raters."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from judgments.files.reports.import_decisions import DecisionChanges, FileDecisions
from judgments.files.reports.import_grades import (
    NEGATIVE_DECISION_HINT,
    TO_BE_JUDGED,
    FileAnswer,
    GradePolicy,
    Grades,
)
from judgments.files.reports.import_raters import (
    ALIKE,
    LONGEST_NAME,
    MOST_RATERS,
    TOO_MANY,
    UNANSWERED,
    FileRater,
    Raters,
    known_raters,
    machines_of,
    name_of,
)
from judgments.files.reports.imports import SHOWN_RECORDS, ImportResult, OpenedFile
from judgments.files.sql import judgment_imports as ingest
from judgments.files.sql import kept_fields
from judgments.files.sql.judgment_imports import Fault, RaterWork, StagedJudgment
from judgments.models import JudgmentList, Query, QuerySet, Reason
from touchstone_core.formats.cells import LONGEST_NEED, length_fault
from touchstone_core.formats.content.queries import id_of_text
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import MOST_PROBLEMS, Report

LONGEST_TIME = 2**31 - 1
NOBODY = "Imported"


@dataclass(frozen=True, slots=True)
class Terms:
    """What is to be made of a file of judgments.

    `rater_name` is for judgments without a rater, `raters` says who the names are (see `Raters`), and `origin` what made the
    grades of machines. Unknown queries are made with `create_missing`; unknown documents with either. `policy` is for
    grades that the scale lacks. `came_at` is when somebody sent the file, if that was before now. With `good_lines` those
    with problems are left out. New pairs get the `priority`.
    """

    rater_name: str = NOBODY
    create_missing: bool = False
    create_documents: bool = False
    policy: GradePolicy = field(default_factory=GradePolicy)
    raters: Mapping[str, str] = field(default_factory=dict)
    origin: str = ""
    came_at: datetime | None = None
    good_lines: bool = False
    priority: int = 0

    @property
    def makes_documents(self) -> bool:
        return self.create_missing or self.create_documents


@dataclass(frozen=True, slots=True)
class ImportDifference:
    """What importing the good records would do; the first of them as rows of texts, as they would be stored.

    `machines` says of the machines by name whether their grades count.
    """

    result: ImportResult
    rows: list[list[str]]
    raters: list[FileRater]
    more_raters: int
    machines: dict[str, bool]
    rater_work: RaterWork


def check_judgments(judgment_list: JudgmentList, file: OpenedFile, terms: Terms) -> "Checks":
    """Resolves every record as it is read, and stages the good ones; belongs into a transaction.

    Costs one read of the queries and a handful of set-based statements; no record is kept in memory.
    """
    report = file.report
    checks = Checks(judgment_list, report, terms)
    answers = (answer for record in file.records if (answer := checks.answer(record)))
    ingest.stage(judgment_list.query_set_id, judgment_list.pk, answers)
    _report_faults(
        report, *ingest.take_out_faults(unknown_documents=not terms.makes_documents, most=MOST_PROBLEMS)
    )
    checks.decided = checks.decisions.resolve(judgment_list)
    checks.warn_of_needs()
    if checks.raters.too_many:
        expected = f"at most {MOST_RATERS:,} different raters"
        report.error(None, "rater", f"{len(checks.raters.counts):,}", expected, kind=TOO_MANY)
        return checks
    for name, other in checks.raters.alike().items():
        if not terms.raters.get(name):
            expected = f"marked as “{other}”, which differs in case only, or as another rater"
            report.error(None, "rater", name, expected, kind=ALIKE)
    return checks


def is_refused(report: Report, *, good_lines: bool) -> bool:
    """Whether nothing of a file can be imported. Leaving out bad lines doesn't say who its raters are."""
    return not report.ok and (not good_lines or not UNANSWERED.isdisjoint(report.errors.counts))


@transaction.atomic
def compare_judgments(judgment_list: JudgmentList, file: OpenedFile, terms: Terms) -> ImportDifference:
    """If the terms create documents, those of the file are staged already."""
    checks = check_judgments(judgment_list, file, terms)
    keys = ingest.rater_keys()
    ingest.find_raters(known_raters(judgment_list.query_set, keys))
    rows = [_row(*raters) for raters in ingest.first(SHOWN_RECORDS)] or checks.decisions.first(SHOWN_RECORDS)
    raters = checks.raters.listing()
    more = len(checks.raters.counts) - len(raters)
    machines = machines_of(judgment_list, keys)
    uncounted = [key for key in keys if machines.get(name_of(key)) is False]
    rater_work = ingest.rater_work(overlap=judgment_list.overlap, uncounted=uncounted)
    result = replace(
        ImportResult(*ingest.count()),
        kept_fields=count_kept(checks, file),
        machines_left_out=list(machines.values()).count(False),
        decisions=len(checks.decided.to_write),
        known_decisions=checks.decided.unchanged,
    )
    return ImportDifference(result, rows, raters, more, machines, rater_work)


def count_kept(checks: "Checks", file: OpenedFile, last_document: int | None = None) -> int:
    """How many of the queries, documents and pairs that there are say something else beyond grades than before."""
    if not file.format:
        return 0
    return kept_fields.count_changes(
        checks.judgment_list.query_set_id,
        checks.judgment_list.pk,
        file.format,
        head=file.head,
        lonely=checks.lonely_fields,
        documents=checks.terms.create_documents,
        last_document=last_document,
    )


def _row(
    query: str, document: str, value: float | None, reason: str, rater: str, comment: str | None
) -> list[str]:
    grade = "" if value is None else repr(value).removesuffix(".0")
    return [query, document, grade or reason or "to be judged", name_of(rater), comment or ""]


class Checks:
    """Checks one record after another against the list, its queries and its scale.

    `lonely` are the queries that are named without a document and are yet to be made: texts and information needs by ID.
    `needs` are the lines, names and information needs of queries that there are.
    `lonely_fields` are the fields to be kept of queries without a document, as JSON by ID.
    `decided` is what the decisions of the file would do.
    """

    def __init__(self, judgment_list: JudgmentList, report: Report, terms: Terms) -> None:
        self.judgment_list = judgment_list
        self.report = report
        self.terms = terms
        self.needs: dict[int, tuple[int | None, str, str]] = {}
        self.raters = Raters(judgment_list.query_set, terms.raters)
        self.grades = Grades(judgment_list.scale, terms.policy)
        self.decided_grades = Grades(judgment_list.scale, terms.policy.of_decisions, NEGATIVE_DECISION_HINT)
        self.queries, self.by_text = _queries(judgment_list.query_set)
        self.lonely: dict[str, tuple[str, str]] = {}
        self.lonely_fields: dict[str, str] = {}
        self.decisions = FileDecisions(report, terms.came_at)
        self.decided = DecisionChanges([], [], 0)

    def answer(self, record: JudgmentRecord) -> StagedJudgment | None:
        external_id = self._external_id(record)
        query_id = self.queries.get(external_id)
        if record.query_alone:
            self._lonely(record, external_id, query_id)
            return None
        if record.cause:
            self._decision(record, query_id)
            return None
        if not self._need_fits(record):
            return None
        self._note_need(record, query_id)
        file_answer = self._file_answer(record)
        rater = "" if file_answer is TO_BE_JUDGED else record.rater or self.terms.rater_name
        rater_fits, query_fits = self._rater_fits(record, rater), self._query_fits(record, query_id)
        rater = self.raters.key(rater) if rater and rater_fits else ""
        if not (rater_fits and query_fits) or file_answer is None:
            return None
        return StagedJudgment(
            record.line,
            query_id,
            record.query,
            external_id,
            record.query_text,
            record.document,
            rater,
            file_answer.value,
            file_answer.reason,
            record.comment or None,
            record.judged_at,
            _milliseconds(record.seconds),
            record.information_need or None,
            _json(record.query_fields),
            _json(record.pair_fields),
            record.selection,
        )

    def _decision(self, record: JudgmentRecord, query_id: int | None) -> None:
        """A decision creates no query."""
        if query_id is None:
            self._refuse_query(record)
            return
        answer = self.decided_grades.answer(record, self.report)
        if answer is not None and answer.value is not None:
            self.decisions.add(record, query_id, answer.value)

    def _lonely(self, record: JudgmentRecord, external_id: str, query_id: int | None) -> None:
        if not (self._query_fits(record, query_id) and self._need_fits(record)):
            return
        self._note_need(record, query_id)
        if query_id is None:
            text = record.query_text or record.query
            self.lonely.setdefault(external_id, (text, record.information_need))
        if record.query_fields is not None:  # even without fields, an export has the query again
            self.lonely_fields[external_id] = json.dumps(record.query_fields)

    def _note_need(self, record: JudgmentRecord, query_id: int | None) -> None:
        if query_id is not None and record.information_need:
            self.needs.setdefault(query_id, (record.line, record.query, record.information_need))

    def warn_of_needs(self) -> None:
        """Files of judgments don't change information needs."""
        queries = Query.objects.filter(query_set=self.judgment_list.query_set_id, pk__in=self.needs)
        stored = queries.values_list("pk", "information_need")
        for pk, need in stored if self.needs else ():
            line, query, other = self.needs[pk]
            if other.strip() != need.strip():
                expected = f"that of query {query}, which stays as it is (import queries to change it)"
                self.report.warn(line, "information need", other, expected, kind="another information need")

    def _need_fits(self, record: JudgmentRecord) -> bool:
        fault = length_fault(record.information_need, LONGEST_NEED)
        if fault:
            self.report.error(
                record.line, "information_need", record.information_need, fault, kind="too long"
            )
        return not fault

    def _external_id(self, record: JudgmentRecord) -> str:
        """Of the query of this ID, else of the only one that has the text; else the ID that a new one gets."""
        if record.query in self.queries:
            return record.query
        if record.by_text and record.query not in self.by_text:
            self.by_text[record.query] = id_of_text(record.query)
        return self.by_text.get(record.query) or self.by_text.get(record.query_text) or record.query

    def _file_answer(self, record: JudgmentRecord) -> FileAnswer | None:
        if record.grade_text and record.reason:
            expected = "a grade or a reason, not both"
            self.report.error(record.line, "reason", record.reason, expected, kind="grade and reason")
            return None
        if record.grade_text:
            return self.grades.answer(record, self.report)
        return self._reason(record) if record.reason else TO_BE_JUDGED

    def _reason(self, record: JudgmentRecord) -> FileAnswer | None:
        reason = REASONS.get(record.reason.casefold(), "")
        if reason:
            return FileAnswer(reason=reason)
        expected = f"one of the reasons {', '.join(Reason.values)}"
        self.report.error(record.line, "reason", record.reason, expected, kind="unknown reason")
        return None

    def _query_fits(self, record: JudgmentRecord, query_id: int | None) -> bool:
        if query_id is None and not self.terms.create_missing:
            self._refuse_query(record)
            return False
        return True

    def _refuse_query(self, record: JudgmentRecord) -> None:
        expected = "the ID of a query of this query set (or the text of exactly one)"
        self.report.error(record.line, "query", record.query, expected, kind="unknown query")

    def _rater_fits(self, record: JudgmentRecord, rater: str) -> bool:
        if len(rater) > LONGEST_NAME:
            expected = f"a name of at most {LONGEST_NAME} characters"
            self.report.error(record.line, "rater", rater, expected, kind="name too long")
        return len(rater) <= LONGEST_NAME


REASONS = {str(reason.value).casefold(): str(reason.value) for reason in Reason} | {
    str(reason.label).casefold(): str(reason.value) for reason in Reason
}
REASONS["a language i do not read"] = str(Reason.LANGUAGE.value)  # its label in files of earlier versions
REASONS |= dict.fromkeys(("not rated", "unrated", "unrateable", "cannot judge"), str(Reason.OTHER.value))


def _queries(query_set: QuerySet) -> tuple[dict[str, int], dict[str, str]]:
    """Keys by external ID, and external IDs by text for texts that only one query has."""
    rows = list(Query.objects.filter(query_set=query_set).values_list("external_id", "text", "pk"))
    texts = Counter(text for _, text, _ in rows)
    by_id = {external_id: key for external_id, _, key in rows}
    return by_id, {text: external_id for external_id, text, _ in rows if texts[text] == 1 and text}


def _json(fields: Mapping[str, Any] | None) -> str | None:
    return json.dumps(fields) if fields else None


def _milliseconds(seconds: float | None) -> int | None:
    """Cut off before it is rounded: the thousandfold of a number may be infinite."""
    return None if seconds is None else round(min(seconds * 1000, LONGEST_TIME))


def _report_faults(report: Report, counts: Mapping[str, int], first: Iterable[Fault]) -> None:
    """The first faults by line; those beyond are only counted."""
    by_kind: Counter[str] = Counter()
    for fault in first:
        by_kind[fault.kind] += 1
        _report_fault(report, fault)
    for kind, count in counts.items():
        findings = report.warnings if kind == ingest.REPEATED else report.errors
        findings.counts[FAULTS[kind]] += count - by_kind[kind]


FAULTS = {
    ingest.REPEATED: "the same twice",
    ingest.CONTRADICTED: "twice in the file",
    ingest.UNKNOWN_DOCUMENT: "unknown document",
}


def _report_fault(report: Report, fault: Fault) -> None:
    kind = FAULTS[fault.kind]
    if fault.kind == ingest.UNKNOWN_DOCUMENT:
        expected = "the ID of a document of this query set"
        report.error(fault.line, "document", fault.document, expected, kind=kind)
        return
    value = ", ".join(filter(None, (fault.query, fault.document, name_of(fault.rater))))
    where = f"line {fault.first_line}" if fault.first_line else "an earlier place"
    if fault.kind == ingest.REPEATED:
        expected = f"listed once for a rater ({where} says the same; counted once)"
        report.warn(fault.line, "document", value, expected, kind=kind)
    else:
        expected = f"listed once for a rater ({where} says otherwise)"
        report.error(fault.line, "document", value, expected, kind=kind)
