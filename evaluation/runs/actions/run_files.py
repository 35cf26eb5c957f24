"""Reads, checks and stores a run file in one call, so that a process of its own has only the outcome to hand back."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from evaluation.base.errors import EvaluationError, RunExists
from evaluation.models import Run
from evaluation.runs.actions.details import NO_DETAILS, Details
from evaluation.runs.actions.runs import store_runs
from evaluation.runs.reports import (
    Choices,
    NamedRun,
    RetrievedDocuments,
    read_incoming,
    retrieved_documents,
)
from judgments.files.reports.uploads import open_upload
from judgments.models import QuerySet, Upload, User
from touchstone_core.formats.problems import Report


@dataclass(frozen=True, slots=True)
class RunFileOutcome:
    """What came of a file that could be read. `runs` are empty where its `report` has errors or there is a `refusal`.

    `already_stored`: the runs were there before, from the same file under the same names. `moved` is as in `Incoming`,
    `earlier` the name of another run made from the same bytes, `documents` the documents that the stored runs retrieve.
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


def store_run_upload(*, upload: Upload, **choices: object) -> RunFileOutcome:
    """As `store_run_file`, for a file that was kept from an earlier try."""
    with open_upload(upload) as file:
        return store_run_file(source=file.read(), file_name=upload.name, **choices)  # type: ignore[arg-type]


def store_run_file(
    *,
    source: bytes | Path,
    file_name: str,
    query_set: QuerySet,
    choices: Choices,
    limit: int,
    name: str,
    order: str,
    user: User,
    details: Details = NO_DETAILS,
) -> RunFileOutcome:
    """Stores all runs of the file, or none. Raises FormatError where nothing can be read."""
    data = source if isinstance(source, bytes) else source.read_bytes()
    incoming = read_incoming(data, file_name=file_name, query_set=query_set, choices=choices, limit=limit)
    outcome = RunFileOutcome(incoming.report, incoming.sha256, incoming.moved, str(incoming.earlier or ""))
    if not incoming.report.ok:
        return outcome
    named_runs = incoming.named_runs(name)
    try:
        runs = store_runs(
            query_set=query_set,
            runs=named_runs,
            order=order,
            file_name=file_name,
            sha256=incoming.sha256,
            user=user,
            details=details,
        )
    except RunExists as error:
        if same := _stored_before(query_set, incoming.sha256, named_runs):
            return replace(outcome, runs=same, already_stored=True)
        return replace(outcome, about="name", refusal=str(error))
    except EvaluationError as error:
        return replace(outcome, refusal=str(error))
    return replace(outcome, runs=runs, documents=retrieved_documents(incoming.file.runs, query_set))


def _stored_before(query_set: QuerySet, sha256: str, named_runs: list[NamedRun]) -> list[Run]:
    """The runs of the same file under the same names, if all are there."""
    stored = Run.objects.filter(query_set=query_set, sha256=sha256)
    by_name = {run.name.casefold(): run for run in stored}
    names = [run.name.casefold() for run in named_runs]
    return [by_name[name] for name in names] if by_name.keys() >= set(names) else []
