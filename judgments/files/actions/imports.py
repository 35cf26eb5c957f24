"""Importing queries, documents and judgments: all or nothing, set-based."""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.content.actions.content import author
from judgments.content.sql import content
from judgments.files.actions.machines import leave_machines_out
from judgments.files.reports.import_decisions import DecisionChanges
from judgments.files.reports.import_raters import UNANSWERED, kind_of, known_raters, name_of
from judgments.files.reports.imports import ImportResult, OpenedFile, last_import
from judgments.files.reports.judgment_imports import Checks, Terms, check_judgments, count_kept, is_refused
from judgments.files.sql import imports, judgment_imports, judgment_merges, kept_fields, progress
from judgments.grades.actions.consensus import refresh_within, tell_queries
from judgments.lists.actions.deciding import Decision, decide_pairs
from judgments.lists.actions.pairs import begin_rounds_anew, check_priority, settle_slots
from judgments.lists.sql.pairs import keys_added
from judgments.log.actions import one_act, record_act, who_acts
from judgments.models import (
    PAIR_KEYS,
    SELECTION,
    Batch,
    JudgmentList,
    QuerySet,
    Rater,
    RaterKind,
    User,
    Verb,
)
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord
from touchstone_core.formats.problems import Report
from touchstone_core.words import counted

NOTHING = ImportResult(0, 0, 0)
DEFAULT_TERMS = Terms()


class Source(NamedTuple):
    """The file that records come from, as the audit log names it."""

    name: str
    sha256: str = ""

    @property
    def facts(self) -> dict[str, str]:
        return {"file": self.name} | ({"sha256": self.sha256} if self.sha256 else {})


class ImportRefusedError(JudgmentsError):
    """A file that changes nothing; the report says why, line by line."""

    def __init__(self, report: Report) -> None:
        problems = counted(report.errors.total, "problem")
        questions = [one.sentence for one in report.errors.by_line if one.kind in UNANSWERED]
        cure = questions[0] if questions else f"{_first(report)}, or import only the good lines."
        super().__init__(f"The file has {problems}. {cure}")
        self.report = report


def _first(report: Report) -> str:
    """Programs see no more of the report."""
    first = next(report.errors.sentences())
    return f"{first} Fix it" if report.errors.total == 1 else f"The first: {first} Fix them"


class ImportedMeanwhileError(JudgmentsError):
    """Somebody has imported another file since the preview that was confirmed."""

    sentence = (
        "Somebody imported another file after you opened this preview. "
        "Below you see what your file would change now. If that’s what you want, import it again."
    )


@transaction.atomic
def import_queries(
    *,
    query_set: QuerySet,
    records: Iterable[QueryRecord],
    columns: Collection[str] = imports.QUERIES.optional,
    source: Source | None = None,
    latest_import: str = "",
    report: Report | None = None,
) -> ImportResult:
    """Adds and changes queries by their external ID. Optional columns that the file lacks stay as they are stored.

    Every changed query gets a line of its own in the log. `latest_import` is what `last_import` returned when somebody
    looked at the preview. `report` is the reader's, whose problems were left out. Raises ImportedMeanwhileError if another import came since.
    """
    imports.stage(imports.QUERIES, records)
    # Before the rows: whoever holds a list may wait for its queries.
    for list_id in content.lists_weighed_anew(query_set.pk) if "weight" in columns else ():
        locks.lock_list(list_id)
    return _write_staged(imports.QUERIES, query_set, columns, source, latest_import, report)


@transaction.atomic
def import_documents(
    *,
    query_set: QuerySet,
    records: Iterable[DocumentRecord],
    columns: Collection[str] = imports.DOCUMENTS.optional,
    source: Source | None = None,
    latest_import: str = "",
    report: Report | None = None,
) -> ImportResult:
    """Adds and changes documents by their external ID. Optional columns that the file lacks stay as they are stored.

    Every changed document gets a line of its own in the log. `latest_import` and `report` are as in `import_queries`.
    """
    imports.stage(imports.DOCUMENTS, records)
    return _write_staged(imports.DOCUMENTS, query_set, columns, source, latest_import, report)


def _write_staged(
    kind: imports.Kind,
    query_set: QuerySet,
    columns: Collection[str],
    source: Source | None,
    latest_import: str,
    report: Report | None,
) -> ImportResult:
    """Writes what is staged, unless another import came since."""
    _hold_content(query_set, latest_import)
    content.hold_rows(kind.name, query_set.pk)
    counts = imports.compare(kind, query_set.pk, columns)
    content.log_rows(kind.name, query_set.pk, author())
    imports.merge(kind, query_set.pk)
    result = ImportResult(*counts, left_out=report.errors.total if report else 0)
    _record(kind.plural, result, source, query_set=query_set)
    return result


@transaction.atomic
def import_judgments(
    *,
    judgment_list: JudgmentList,
    file: OpenedFile,
    at: datetime,
    terms: Terms = DEFAULT_TERMS,
    source: Source | None = None,
    progress_key: UUID | None = None,
    latest_import: str = "",
) -> ImportResult:
    """Adds and changes judgments by pair and rater; the earlier answer of a changed one goes into its history.

    Pairs, slots, counts and consensus grades follow. A record without an answer adds its pair, with open slots, and no
    judgment. Raises ImportRefusedError for any problem: one of the reader's, which come as the records are read one by one,
    or one of `check_judgments`; with `good_lines` these lines are left out, unless it isn't clear who the raters are.

    Decisions on pairs are written last, each with a line in the log, by whoever acts.

    Raters go on judging meanwhile. First come the pairs that none of them holds, then, with the list locked, the few
    others, and the rows that every rater needs. All of it is one transaction, so that nobody ever sees a part.

    If the terms create documents, those of the file are imported before the judgments. Then unknown documents of the
    judgments, which have no text there, are added too. Fields that the format has and we have no column for are kept for
    an export in it, and so is the head of the file. `progress_key` is the upload whose progress this is. `latest_import`
    is as in `import_queries`.
    """
    check_priority(terms.priority)
    locks.announce_change(judgment_list.pk)
    judgment_list = JudgmentList.objects.select_related("query_set", "scale").get(pk=judgment_list.pk)
    query_set = judgment_list.query_set
    last_document = query_set.documents.aggregate(last=Max("pk", default=0))["last"]
    with one_act():
        document_counts = (
            import_documents(query_set=query_set, records=file.documents, latest_import=latest_import)
            if terms.create_documents
            else NOTHING
        )
    checks = check_judgments(judgment_list, file, terms)
    if is_refused(file.report, good_lines=terms.good_lines):
        raise ImportRefusedError(file.report)
    _hold_content(query_set, "" if terms.create_documents else latest_import)
    raters = _raters(query_set, judgment_imports.rater_keys(), checks.raters.people)
    judgment_imports.find_raters(raters)
    machines = leave_machines_out(
        judgment_list=judgment_list, rater_ids=raters.values(), origin=terms.origin, at=at
    )
    counts = judgment_imports.count()
    kept = count_kept(checks, file, last_document)
    progress.tell(progress_key, progress.WRITING)
    if terms.makes_documents:
        judgment_merges.add_missing(query_set.pk)
        judgment_merges.add_lonely_queries(query_set.pk, checks.lonely)
    query_order = judgment_merges.add_pairs(query_set.pk, judgment_list.pk, terms.priority)
    pair_keys = keys_added()
    if file.format:
        kept_fields.keep(
            query_set.pk,
            judgment_list.pk,
            file.format,
            head=file.head,
            lonely=checks.lonely_fields,
            documents=terms.create_documents,
        )
    batch = Batch.objects.create(
        query_set=query_set, judgment_list=judgment_list, name=source.name[:255] if source else "", at=at
    )
    merge = _Merge(judgment_list, batch, at, progress_key)
    selected = judgment_merges.selected_pairs()
    merge.write(query_order)
    begin_rounds_anew(judgment_list)
    decided = _decide(judgment_list, checks, at)
    documents_changed = document_counts.new + document_counts.changed
    result = ImportResult(
        *counts,
        documents=documents_changed,
        kept_fields=kept,
        left_out=file.report.errors.total,
        machines_left_out=machines,
        decisions=len(decided.to_write),
        known_decisions=decided.unchanged,
    )
    _record_selected(judgment_list, selected, source)
    act_id = _record(
        f"judgments into list {judgment_list}",
        result,
        source,
        judgment_list=judgment_list,
        pair_keys=pair_keys,
    )
    _keep(batch, judgment_count=merge.written, act_id=act_id)
    return result


def _decide(judgment_list: JudgmentList, checks: Checks, at: datetime) -> DecisionChanges:
    """Writes the file's decisions with the list locked, as those by page are. Somebody may have decided since the file was read."""
    if not checks.decisions:
        return checks.decided
    locks.lock_list(judgment_list.pk)
    decided = checks.decisions.resolve(judgment_list)
    if is_refused(checks.report, good_lines=checks.terms.good_lines):
        raise ImportRefusedError(checks.report)
    decisions = [
        Decision(pair_id, one.value, one.cause, one.note, one.at or at) for pair_id, one in decided.to_write
    ]
    decide_pairs(judgment_list=judgment_list, decisions=decisions, user=who_acts(), at=at)
    return decided


class _Merge:
    """Writes the staged answers into the list, first those of pairs that no rater holds, then the others with the list locked,
    and tells its queries. `written` counts the judgments.
    """

    def __init__(
        self, judgment_list: JudgmentList, batch: Batch, at: datetime, progress_key: UUID | None
    ) -> None:
        self._list, self._batch, self._at, self._progress_key = judgment_list, batch, at, progress_key
        self._total = judgment_merges.stage_answers(judgment_list.pk)
        self._done, self._start = 0, 0.0
        self._grades_by_query: dict[int, int] = {}
        self.written = 0

    def write(self, query_order: list[int]) -> None:
        if judgment_merges.take_new_pairs() + judgment_merges.take_pairs(with_leases=False, at=self._at):
            self._write_taken(with_leases=False)
        held = judgment_merges.take_pairs(with_leases=True, at=self._at)
        progress.tell(self._progress_key, progress.CHECKING)
        judgment_merges.look_at_keys()
        locks.lock_list(self._list.pk)
        if held:
            self._write_taken(with_leases=True)
        judgment_merges.finish(self._list.pk, query_order)
        tell_queries(judgment_list=self._list, count_changes=self._grades_by_query)

    def _write_taken(self, *, with_leases: bool) -> None:
        self.written += judgment_merges.merge(
            query_set_id=self._list.query_set_id,
            list_id=self._list.pk,
            batch_id=self._batch.pk,
            overlap=self._list.overlap,
            guidelines=self._list.guidelines_version,
            at=self._at,
            with_leases=with_leases,
        )
        for pair_ids in judgment_merges.pair_chunks(with_leases=with_leases):
            self._start = self._start or time.monotonic()
            seconds = int(time.monotonic() - self._start)
            progress.tell(self._progress_key, progress.SETTLING, self._done, self._total, seconds)
            self._done += len(pair_ids)
            settle_slots(self._list, at=self._at, pair_ids=pair_ids)
            refresh_within(judgment_list=self._list, pair_ids=pair_ids, count_changes=self._grades_by_query)


def _keep(batch: Batch, *, judgment_count: int, act_id: int | None) -> None:
    """So that it can be undone; unless the import wrote nothing."""
    if judgment_count:
        Batch.objects.filter(pk=batch.pk).update(judgment_count=judgment_count, act_id=act_id)
    else:
        batch.delete()


def _hold_content(query_set: QuerySet, latest_import: str) -> None:
    """Keeps other imports out until the end, and only then checks whether one came since `latest_import`."""
    locks.lock_content(query_set.pk)
    if latest_import and latest_import != last_import(query_set.pk):
        raise ImportedMeanwhileError


def _record(
    what: str,
    result: ImportResult,
    source: Source | None,
    *,
    query_set: QuerySet | None = None,
    judgment_list: JudgmentList | None = None,
    pair_keys: Sequence[int] = (),
) -> int | None:
    """One line for the whole file, as `record_act`. Counts of 0 tell nothing beside the others, but for the three of what was read."""
    always = ("new", "changed", "unchanged")
    counts = {name: count for name, count in asdict(result).items() if count or name in always}
    return record_act(
        Verb.IMPORTED,
        what,
        query_set=query_set,
        judgment_list=judgment_list,
        after=(source.facts if source else {}) | counts | ({PAIR_KEYS: pair_keys} if pair_keys else {}),
    )


def _record_selected(
    judgment_list: JudgmentList, selected: Iterable[judgment_merges.SelectedPairs], source: Source | None
) -> None:
    """One line for each way in which pairs were selected, as when they are selected here."""
    for one in selected:
        facts = {"pairs": one.pairs, SELECTION: one.selection, PAIR_KEYS: [one.first, one.last]}
        after = (source.facts if source else {}) | facts
        record_act(Verb.PAIRS_ADDED, f"list {judgment_list}", judgment_list=judgment_list, after=after)


def _raters(query_set: QuerySet, keys: set[str], people: Mapping[str, User]) -> dict[str, int]:
    """Raters by key (see `import_raters`), made where they are missing. Whoever is said to be a machine becomes one."""
    raters = known_raters(query_set, keys)
    for kind in (RaterKind.EXTERNAL, RaterKind.MACHINE):
        same_kind = [rater for key, rater in raters.items() if kind_of(key) == kind.value]
        Rater.objects.filter(pk__in=same_kind).exclude(kind=kind).update(kind=kind)
    missing = sorted(keys - set(raters))
    if not missing:
        return raters
    # Somebody who opens a list for the first time at this moment becomes a rater as well.
    Rater.objects.bulk_create([_rater(query_set, key, people) for key in missing], ignore_conflicts=True)
    return known_raters(query_set, keys)


def _rater(query_set: QuerySet, key: str, people: Mapping[str, User]) -> Rater:
    name, kind = name_of(key), kind_of(key)
    if kind == RaterKind.PERSON.value:
        return Rater(query_set=query_set, user=people[name], name=name, kind=RaterKind.PERSON)
    machine = kind == RaterKind.MACHINE.value
    return Rater(query_set=query_set, name=name, kind=RaterKind.MACHINE if machine else RaterKind.EXTERNAL)
