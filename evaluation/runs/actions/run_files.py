"""Reads, checks and stores a run file in one call, so that a process of its own has only the outcome to hand back."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

from django.db import transaction

from evaluation.base.errors import EvaluationError, RunExists
from evaluation.models import Run
from evaluation.runs.actions.details import NO_DETAILS, Details
from evaluation.runs.actions.runs import store_runs
from evaluation.runs.reports.incoming import (
    Choices,
    NamedRun,
    RetrievedDocuments,
    counting_documents,
    read_incoming,
)
from judgments.base.sql import locks
from judgments.files.reports.uploads import open_upload, query_set_of
from judgments.files.sql import progress
from judgments.models import QuerySet, Upload, User
from judgments.models.access import check_may_change
from touchstone_core.formats.problems import Report

NOT_ALLOWED: Final = "Nothing was stored, because you’re no longer a member of the query set or it was archived before all was stored."


@dataclass(frozen=True, slots=True)
class RunFileOutcome:
    """What came of a file that could be read. `runs` are empty where its `report` has errors or there is a `refusal`.

    `already_stored`: the runs were there before, from the same file under the same names. `moved` is as in `Incoming`,
    `earlier` the name of another run made from the same bytes, `documents` the documents that the stored runs retrieve.
    `left_out` has the names of runs without a known query, `kept` those of the others: of a refused file, what would become
    of its runs without the unknown queries.
    """

    report: Report
    sha256: str
    moved: int
    earlier: str
    runs: list[Run] = field(default_factory=list)
    already_stored: bool = False
    refusal: str = ""
    about: Literal["name"] | None = None
    documents: RetrievedDocuments | None = None
    left_out: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """With the runs as their keys.

        Names of runs are in the summary alone, because the version before takes no further value beside it (ADR 62).
        """
        return {
            "report": self.report.to_json(),
            "sha256": self.sha256,
            "moved": self.moved,
            "earlier": self.earlier,
            "runs": [run.pk for run in self.runs],
            "already_stored": self.already_stored,
            "refusal": self.refusal,
            "about": self.about,
            "documents": asdict(self.documents) if self.documents else None,
            "summary": self.summary | {"run_ids": [run.pk for run in self.runs], "kept": self.kept},
        }

    @property
    def summary(self) -> dict[str, Any]:
        """For programs, beside the runs."""
        return {
            "already_stored": self.already_stored,
            "warnings": list(self.report.warnings.sentences()),
            "documents": self.documents.sentence if self.documents else "",
            "left_out": self.left_out,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "RunFileOutcome":
        """With those of its runs that are still there. One query."""
        documents = RetrievedDocuments(**data["documents"]) if data["documents"] else None
        runs = list(Run.objects.filter(pk__in=data["runs"]).order_by("pk"))
        report = Report.from_json(data["report"])
        values = {**data, "report": report, "runs": runs, "documents": documents}
        summary = values.pop("summary")
        return cls(**values, left_out=summary.get("left_out", []), kept=summary.get("kept", []))


class RunUpload(NamedTuple):
    """What the person who uploads a file of runs says about it, kept with the file while a worker stores them."""

    choices: Choices = Choices()
    name: str = ""
    order: str = Run.Order.SCORE.value
    details: Details = NO_DETAILS

    def to_json(self) -> dict[str, Any]:
        values = {"name": self.name, "order": self.order, "details": self.details._asdict()}
        return values | {"choices": self.choices.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "RunUpload":
        return cls(Choices(**data["choices"]), data["name"], data["order"], Details(**data["details"]))


@transaction.atomic
def store_requested_runs(
    *, upload: Upload, requested_at: datetime, at: datetime, limit: int
) -> RunFileOutcome:
    """Stores what a worker was asked for, once, and keeps what came of it with the upload.

    Raises FormatError and UploadGoneError, NotAllowedError when the rights are gone, and Upload.DoesNotExist if it was cancelled.
    """
    progress.tell(upload.pk, progress.READING, 0)
    locks.lock_upload(upload.pk)
    same = Upload.objects.filter(pk=upload.pk, requested_at=requested_at)
    upload = same.select_related("query_set", "user").get()
    outcome = store_run_upload(
        upload=upload,
        query_set=query_set_of(upload),
        limit=limit,
        user=upload.user,
        about=RunUpload.from_json(upload.options),
        progress_key=upload.pk,
    )
    if outcome.runs:
        values: dict[str, Any] = {"applied_at": at, "failure": ""}
        transaction.on_commit(partial(upload.file.storage.delete, str(upload.file.name)))
    else:
        values = {"failure": outcome.refusal or next(outcome.report.errors.sentences())}
    if not same.update(requested_at=None, result=outcome.to_json(), **values):
        raise Upload.DoesNotExist
    check_right(upload)
    return outcome


def check_right(upload: Upload) -> None:
    """Raises NotAllowedError unless who uploaded the file may store its runs now."""
    user = User.objects.get(pk=upload.user_id)
    check_may_change(user, QuerySet.objects.filter(uploads=upload).staffed_by, NOT_ALLOWED)


def store_run_upload(
    *,
    upload: Upload,
    query_set: QuerySet,
    about: RunUpload,
    limit: int,
    user: User,
    progress_key: UUID | None = None,
) -> RunFileOutcome:
    """As `store_run_file`, for a file that was kept from an earlier try."""
    with open_upload(upload) as file:
        return store_run_file(
            source=file.read(),
            file_name=upload.name,
            query_set=query_set,
            about=about,
            limit=limit,
            user=user,
            progress_key=progress_key,
            digest=upload.sha256,
        )


def store_run_file(
    *,
    source: bytes | Path,
    file_name: str,
    query_set: QuerySet,
    about: RunUpload,
    limit: int,
    user: User,
    progress_key: UUID | None = None,
    digest: str = "",
) -> RunFileOutcome:
    """Stores all runs of the file but those without a known query, or none. Raises FormatError where nothing can be read.

    `digest` is the file's SHA-256 where it's known already.
    """
    data = source if isinstance(source, bytes) else source.read_bytes()
    incoming = read_incoming(
        data, file_name=file_name, query_set=query_set, choices=about.choices, limit=limit, digest=digest
    )
    named_runs = incoming.named_runs(about.name)
    outcome = RunFileOutcome(
        incoming.report,
        incoming.sha256,
        incoming.moved,
        str(incoming.earlier or ""),
        left_out=incoming.left_out(about.name),
        kept=[one.name for one in named_runs],
    )
    if not incoming.report.ok:
        return outcome
    try:
        with counting_documents(incoming.file.runs, query_set) as documents:
            runs = store_runs(
                query_set=query_set,
                runs=named_runs,
                order=about.order,
                file_name=file_name,
                sha256=incoming.sha256,
                user=user,
                details=about.details,
                progress_key=progress_key,
            )
            return replace(outcome, runs=runs, documents=documents())
    except RunExists as error:
        if same := _stored_before(query_set, incoming.sha256, named_runs):
            return replace(outcome, runs=same, already_stored=True)
        return replace(outcome, about="name", refusal=str(error))
    except EvaluationError as error:
        return replace(outcome, refusal=str(error))


def _stored_before(query_set: QuerySet, sha256: str, named_runs: list[NamedRun]) -> list[Run]:
    """The runs of the same file under the same names, if all are there."""
    stored = Run.objects.filter(query_set=query_set, sha256=sha256)
    by_name = {run.name.casefold(): run for run in stored}
    names = [run.name.casefold() for run in named_runs]
    return [by_name[name] for name in names] if by_name.keys() >= set(names) else []
