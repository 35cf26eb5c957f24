"""Judgments and grades of a list as files of any tool."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from django.db.models import Sum
from django.db.models.functions import Floor

from judgments.base.errors import JudgmentsError
from judgments.base.streaming import Export, blocks
from judgments.files.reports.content_exports import moment, plain_name
from judgments.files.reports.export_records import (
    Records,
    grades,
    head_of,
    judgments,
    lone_grades,
    unrated,
    with_kept_fields,
    without_texts,
)
from judgments.files.sql.unwritable import first_unwritable
from judgments.lists.reports.selections import acts_that_decided
from judgments.models import ConsensusGrade, JudgmentList, ListQuery, Query, Version
from touchstone_core.formats import cells
from touchstone_core.formats.judgments.judgment_files import JudgmentFormat
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.writing import Description
from touchstone_core.words import counted

UNSAID_SELECTION: Final = (
    "Some documents were judged for what they decide between two runs, and this format doesn’t say which. So a command takes them "
    "for a pool. JSON lines and Touchstone CSV say which ones they are."
)


class ExportRefusedError(JudgmentsError):
    """A format cannot hold what the list has."""


@dataclass(frozen=True, slots=True)
class ListExport(Export):
    """A list as a file, and what is to be known about it."""

    about: Description
    warnings: list[str]


def export(
    judgment_list: JudgmentList,
    format: JudgmentFormat,
    *,
    at: datetime,
    whole_numbers: bool = False,
    version: Version | None = None,
) -> ListExport:
    """The list as it is now, or a version of it in a format of grades. Nothing is read before `content` is.

    Raises ExportRefusedError for what the format cannot hold. Whatever goes wrong later raises out of `content`: whoever
    hands it on must not let what there is by then pass for the whole.
    """
    about = description(judgment_list, at=at, whole_numbers=whole_numbers, version=version)
    about = replace(about, head=head_of(judgment_list, format.name))
    _refuse_unwritable(judgment_list, format, about, version)
    by_id = format.by_text and not _texts_tell(judgment_list)
    records = with_kept_fields(_records(judgment_list, format, version), judgment_list, format)
    content = blocks(records, lambda rows: format.write(without_texts(rows) if by_id else rows, about))
    warnings = _warnings(judgment_list, format, version, by_id=by_id)
    name = file_name(judgment_list, format.file_kind, at=at, version=version)
    return ListExport(name, format.media_type, content, about, warnings)


def _records(judgment_list: JudgmentList, format: JudgmentFormat, version: Version | None) -> Records:
    if format.holds == "judgments":
        yield from judgments(judgment_list)
        return
    one_rater = format.holds == "grades of one rater"
    yield from lone_grades(judgment_list) if one_rater else grades(judgment_list, version)
    if format.unrated:
        yield from unrated(judgment_list, format.name, version)


def _refuse_unwritable(
    judgment_list: JudgmentList, format: JudgmentFormat, about: Description, version: Version | None
) -> None:
    grade = first_unwritable(
        format,
        list_id=judgment_list.pk,
        version_id=None if version is None else version.pk,
        whole_numbers=about.whole_numbers,
    )
    if grade is None:
        return
    try:
        list(format.write([JudgmentRecord(0, grade.query, grade.document, "", grade.value)], about))
    except FormatError as error:
        raise ExportRefusedError(error.message) from None


def description(
    judgment_list: JudgmentList, *, at: datetime, whole_numbers: bool = False, version: Version | None = None
) -> Description:
    frozen = version or judgment_list
    scale = frozen.scale
    return Description(
        list=judgment_list.name,
        query_set=judgment_list.query_set.name,
        version=f"{version.number}, SHA-256 {version.sha256}" if version else "live",
        rule=frozen.rule,
        tie=frozen.tie,
        scale=scale.name,
        levels=list(scale.grades.values_list("value", "label")),
        exported_at=at.isoformat(timespec="seconds"),
        whole_numbers=whole_numbers,
    )


def file_name(judgment_list: JudgmentList, kind: str, *, at: datetime, version: Version | None = None) -> str:
    """By list, state and what kind of file it is, so that no two that differ have one name: `Main.v3.opensearch.json`."""
    state = f"v{version.number}" if version else f"live-{moment(at)}"
    return f"{plain_name(judgment_list.name)}.{state}.{kind}"


def _texts_tell(judgment_list: JudgmentList) -> bool:
    """Whether every query of the query set is known by its text: no other has the same, nor has it as its ID."""
    queries = Query.objects.filter(query_set=judgment_list.query_set_id)
    texts = dict(queries.values_list("external_id", "text"))
    if len(set(texts.values())) < len(texts):
        return False
    return not any(cells.id_fault(text) or (text in texts and text != own) for own, text in texts.items())


def _warnings(
    judgment_list: JudgmentList, format: JudgmentFormat, version: Version | None, *, by_id: bool
) -> list[str]:
    warnings = []
    if by_id:
        warnings.append(
            "Queries are named by their IDs because some share a text, or have one that is too long or is another query’s ID."
        )
    if not format.selection and acts_that_decided(judgment_list, version):
        warnings.append(UNSAID_SELECTION)
    if format.fractions and (count := _fractions(judgment_list, version)):
        warnings.append(f"{counted(count, 'grade')} with a fraction: {format.fractions}.")
    return warnings


def _fractions(judgment_list: JudgmentList, version: Version | None) -> int:
    if version is not None:
        return sum(
            value % 1 != 0 for values in version.queries.values_list("values", flat=True) for value in values
        )
    grades_now = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False)
    return grades_now.exclude(value=Floor("value")).count()


def contents(judgment_list: JudgmentList) -> dict[str, int]:
    """How many grades, judgments and pairs; `fractions` are grades that are no whole numbers, `targeted` how often pairs were added for what they decide. Three statements."""
    sums = ListQuery.objects.filter(judgment_list=judgment_list).aggregate(
        grades=Sum("graded_count", default=0),
        judgments=Sum("judgment_count", default=0),
        pairs=Sum("pair_count", default=0),
    )
    grades = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False)
    return {
        **sums,
        "fractions": grades.exclude(value=Floor("value")).count(),
        "targeted": len(acts_that_decided(judgment_list)),
    }
