"""What a file of judgments means in one list: its grades on the scale, its queries, documents and raters."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q

from judgments.formats.judgments import JudgmentRecord
from judgments.formats.problems import Report
from judgments.ingest import judgment_imports as ingest
from judgments.ingest.judgment_imports import StagedJudgment
from judgments.models import JudgmentList, Query, QuerySet, Reason, Scale, User
from judgments.reports.imports import ImportResult

LONGEST_RATER = 150
LONGEST_TIME = 2**31 - 1
NOBODY = "Imported"

GradeOf = Callable[[JudgmentRecord], float | None]


@dataclass(frozen=True, slots=True)
class Checked:
    """Good records and their answers, in the same order, and everything that is wrong with the others."""

    records: list[JudgmentRecord]
    answers: list[StagedJudgment]
    report: Report


def check_judgments(
    judgment_list: JudgmentList,
    records: Sequence[JudgmentRecord],
    *,
    raters: Mapping[str, int],
    rater_name: str | None,
    create_missing: bool,
) -> Checked:
    """Resolves every record, and stages the good ones; belongs into a transaction.

    `raters` are the known ones by name. Costs one read of the queries and a handful of set-based statements.
    """
    report = Report()
    checks = Checks(judgment_list, report, raters, rater_name or NOBODY, create_missing)
    good = [(record, answer) for record in records if (answer := checks.answer(record))]
    query_set_id, list_id = judgment_list.query_set_id, judgment_list.pk
    ingest.stage(query_set_id, list_id, (answer for _, answer in good))
    bad = set(_refuse_doubles(good, report))
    if not create_missing:
        bad |= set(_refuse_unknown_documents(good, report))
    if bad:
        good = [(record, answer) for record, answer in good if answer.line not in bad]
        ingest.stage(query_set_id, list_id, (answer for _, answer in good))
    return Checked([record for record, _ in good], [answer for _, answer in good], report)


@transaction.atomic
def compare_judgments(
    judgment_list: JudgmentList,
    records: Sequence[JudgmentRecord],
    *,
    rater_name: str | None,
    create_missing: bool,
) -> tuple[ImportResult, Checked]:
    """What importing the good records would do."""
    raters = known_raters(judgment_list.query_set, rater_names(records, rater_name))
    checked = check_judgments(
        judgment_list, records, raters=raters, rater_name=rater_name, create_missing=create_missing
    )
    return ImportResult(*ingest.count()), checked


def rater_names(records: Sequence[JudgmentRecord], rater_name: str | None) -> set[str]:
    """Who judged; a pair to be judged names nobody."""
    return {record.rater or rater_name or NOBODY for record in records if not record.unanswered}


def accounts(query_set: QuerySet, names: set[str]) -> dict[str, User]:
    """Accounts by user name that may be meant: members of the query set, and whoever has judged in it."""
    theirs = Q(memberships__query_set=query_set) | Q(raters__query_set=query_set)
    return {user.username: user for user in User.objects.filter(theirs, username__in=names)}


def known_raters(query_set: QuerySet, names: set[str]) -> dict[str, int]:
    """The raters of these names that exist: an account before an imported name."""
    people = accounts(query_set, names)
    by_user = dict(query_set.raters.filter(user__in=people.values()).values_list("user", "pk"))
    external = dict(query_set.raters.filter(user=None, name__in=names).values_list("name", "pk"))
    mine = {name: by_user[user.pk] for name, user in people.items() if user.pk in by_user}
    return {name: key for name, key in external.items() if name not in people} | mine


class Checks:
    """Checks one record after another against the list, its queries and its scale."""

    def __init__(
        self,
        judgment_list: JudgmentList,
        report: Report,
        raters: Mapping[str, int],
        rater_name: str,
        create_missing: bool,
    ) -> None:
        self.report = report
        self.raters = raters
        self.rater_name = rater_name
        self.create_missing = create_missing
        self.grades = Grades(judgment_list.scale)
        self.queries, self.by_text = _queries(judgment_list.query_set)

    def answer(self, record: JudgmentRecord) -> StagedJudgment | None:
        query_id = self.queries.get(record.query) or self.by_text.get(record.query)
        rater = "" if record.unanswered else record.rater or self.rater_name
        value, reason = self._answered(record)
        good = [
            value is not None or bool(reason) or record.unanswered,
            self._known(record, query_id),
            self._named(record, rater),
        ]
        if not all(good):
            return None
        return StagedJudgment(
            record.line,
            query_id,
            record.query,
            record.document,
            self.raters.get(rater),
            rater,
            value,
            reason,
            record.comment or None,
            record.judged_at,
            _milliseconds(record.seconds),
        )

    def _answered(self, record: JudgmentRecord) -> tuple[float | None, str]:
        """Grade and reason; neither for a pair to be judged, and where the record is refused."""
        if record.grade_text and record.reason:
            expected = "a grade or a reason, not both"
            self.report.error(record.line, "reason", record.reason, expected, kind="grade and reason")
            return None, ""
        if record.unanswered:
            return None, ""
        if not record.grade_text:
            return None, self._reason(record)
        value = self.grades.value(record)
        if value is None:
            self.report.error(
                record.line, "grade", record.grade_text, self.grades.expected, kind="not on the scale"
            )
        return value, ""

    def _reason(self, record: JudgmentRecord) -> str:
        reason = REASONS.get(record.reason.casefold(), "")
        if not reason:
            expected = f"one of the reasons {', '.join(Reason.values)}"
            self.report.error(record.line, "reason", record.reason, expected, kind="unknown reason")
        return reason

    def _known(self, record: JudgmentRecord, query_id: int | None) -> bool:
        if query_id is None and not self.create_missing:
            expected = "the id of a query of this query set (or the text of exactly one)"
            self.report.error(record.line, "query", record.query, expected, kind="unknown query")
            return False
        return True

    def _named(self, record: JudgmentRecord, rater: str) -> bool:
        if len(rater) > LONGEST_RATER:
            expected = f"a name of at most {LONGEST_RATER} characters"
            self.report.error(record.line, "rater", rater, expected, kind="name too long")
        return len(rater) <= LONGEST_RATER


REASONS = {str(reason.value).casefold(): str(reason.value) for reason in Reason} | {
    str(reason.label).casefold(): str(reason.value) for reason in Reason
}


class Grades:
    """Reads grades as people write them: the value, the label, or the label's initial where only one has it."""

    def __init__(self, scale: Scale) -> None:
        self.scale = scale
        grades = list(scale.grades.all())
        self.values = {grade.value for grade in grades}
        initials = Counter(grade.label[:1].casefold() for grade in grades)
        self.labels = {
            grade.label[:1].casefold(): grade.value
            for grade in grades
            if initials[grade.label[:1].casefold()] == 1
        } | {grade.label.casefold(): grade.value for grade in grades}
        named = ", ".join(f"{grade.value:g} ({grade.label})" for grade in grades)
        if scale.continuous:
            named = f"a number from {scale.minimum:g} to {scale.maximum:g}"
        self.expected = f"a grade of the scale “{scale.name}”: {named}"

    def value(self, record: JudgmentRecord) -> float | None:
        if record.grade is not None and self._fits(record.grade):
            return record.grade
        return self.labels.get(record.grade_text.casefold())

    def _fits(self, value: float) -> bool:
        if self.scale.continuous:
            return self.scale.minimum <= value <= self.scale.maximum
        return value in self.values


def _queries(query_set: QuerySet) -> tuple[dict[str, int], dict[str, int]]:
    """Keys by external id, and by text for texts that only one query has."""
    rows = list(Query.objects.filter(query_set=query_set).values_list("external_id", "text", "pk"))
    texts = Counter(text for _, text, _ in rows)
    by_id = {external_id: key for external_id, _, key in rows}
    return by_id, {text: key for _, text, key in rows if texts[text] == 1}


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else min(round(seconds * 1000), LONGEST_TIME)


def _refuse_doubles(good: Sequence[tuple[JudgmentRecord, StagedJudgment]], report: Report) -> Iterator[int]:
    lines = set(ingest.doubles())
    for record, answer in good:
        if answer.line in lines:
            expected = "each query and document once for a rater"
            value = ", ".join(filter(None, (record.query, record.document, answer.rater)))
            report.error(record.line, "document", value, expected, kind="twice in the file")
            yield answer.line


def _refuse_unknown_documents(
    good: Sequence[tuple[JudgmentRecord, StagedJudgment]], report: Report
) -> Iterator[int]:
    unknown = ingest.unknown_documents()
    for record, answer in good:
        if answer.document in unknown:
            expected = "the id of a document of this query set"
            report.error(record.line, "document", record.document, expected, kind="unknown document")
            yield answer.line
