"""Reads, checks and stores a run file in one call, so that a process of its own has only the outcome to hand back."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation.base.errors import EvaluationError, RunExists
from evaluation.models import Run
from evaluation.runs.actions.runs import store_runs
from evaluation.runs.reports import (
    Choices,
    Incoming,
    NamedRun,
    RetrievedDocuments,
    read_incoming,
    retrieved_documents,
)
from judgments.models import QuerySet, Upload, User
from touchstone_core.formats.problems import Report


@dataclass(frozen=True, slots=True)
class RunFileOutcome:
    """What came of a file that could be read. `runs` are empty where its `report` has errors or there is a `refusal`.

    `already_stored`: the runs were there before, from the same file under the same names. `moved` is as in `Incoming`,
    `earlier` the name of another run made from the same bytes.
    """

    report: Report
    sha256: str
    moved: int
    earlier: str
    runs: list[Run]
    already_stored: bool = False
    refusal: str = ""
    about: Literal["name"] | None = None
    retrieved: RetrievedDocuments | None = None


def store_run_upload(*, upload: Upload, **choices: object) -> RunFileOutcome:
    """As `store_run_file`, for a file that was kept from an earlier try."""
    with upload.file.open() as file:
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
) -> RunFileOutcome:
    """Stores all runs of the file, or none. Raises FormatError where nothing can be read."""
    data = source if isinstance(source, bytes) else source.read_bytes()
    incoming = read_incoming(data, file_name=file_name, query_set=query_set, choices=choices, limit=limit)
    if not incoming.report.ok:
        return _outcome(incoming)
    named = incoming.named(name)
    try:
        runs = store_runs(
            query_set=query_set,
            runs=named,
            order=order,
            file_name=file_name,
            sha256=incoming.sha256,
            user=user,
        )
    except RunExists as error:
        same = _stored_before(query_set, incoming, named)
        return (
            _outcome(incoming, same, already_stored=True)
            if same
            else _outcome(incoming, about="name", refusal=str(error))
        )
    except EvaluationError as error:
        return _outcome(incoming, refusal=str(error))
    return _outcome(incoming, runs, retrieved=retrieved_documents(incoming.file.runs, query_set))


def _outcome(
    incoming: Incoming,
    runs: list[Run] | None = None,
    *,
    already_stored: bool = False,
    refusal: str = "",
    about: Literal["name"] | None = None,
    retrieved: RetrievedDocuments | None = None,
) -> RunFileOutcome:
    earlier = "" if incoming.earlier is None else str(incoming.earlier)
    return RunFileOutcome(
        incoming.report,
        incoming.sha256,
        incoming.moved,
        earlier,
        runs or [],
        already_stored,
        refusal,
        about,
        retrieved,
    )


def _stored_before(query_set: QuerySet, incoming: Incoming, named: list[NamedRun]) -> list[Run]:
    """The runs of the same file under the same names, if all are there."""
    there = {
        run.name.casefold(): run for run in Run.objects.filter(query_set=query_set, sha256=incoming.sha256)
    }
    wanted = [run.name.casefold() for run in named]
    return [there[name] for name in wanted] if there.keys() >= set(wanted) else []
