"""Taking a run file: read, checked and stored in one go, so that nothing but the outcome has to be handed on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation.actions.runs import store_runs
from evaluation.errors import EvaluationError, RunExists
from evaluation.models import Run
from evaluation.reports.incoming import (
    Choices,
    Incoming,
    NamedRun,
    RetrievedDocuments,
    read_incoming,
    retrieved_documents,
)
from judgments.formats.problems import Report
from judgments.models import QuerySet, Upload, User


@dataclass(frozen=True, slots=True)
class TakenFile:
    """What came of a file that could be read. `runs` are empty where its `report` has errors or there is a `refusal`.

    `known`: the runs were there before, from the same file under the same names. `moved` is as in `Incoming`, `earlier`
    the name of another run made from the same bytes.
    """

    report: Report
    sha256: str
    moved: int
    earlier: str
    runs: list[Run]
    known: bool = False
    refusal: str = ""
    about: Literal["name"] | None = None
    retrieved: RetrievedDocuments | None = None


def take_run_upload(*, upload: Upload, **choices: object) -> TakenFile:
    """As `take_run_file`, for a file that was kept from an earlier try."""
    with upload.file.open() as file:
        return take_run_file(source=file.read(), file_name=upload.name, **choices)  # type: ignore[arg-type]


def take_run_file(
    *,
    source: bytes | Path,
    file_name: str,
    query_set: QuerySet,
    choices: Choices,
    limit: int,
    name: str,
    order: str,
    user: User,
) -> TakenFile:
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
            _outcome(incoming, same, known=True)
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
    known: bool = False,
    refusal: str = "",
    about: Literal["name"] | None = None,
    retrieved: RetrievedDocuments | None = None,
) -> TakenFile:
    earlier = "" if incoming.earlier is None else str(incoming.earlier)
    return TakenFile(
        incoming.report,
        incoming.sha256,
        incoming.moved,
        earlier,
        runs or [],
        known,
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
