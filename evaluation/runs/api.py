"""The runs of a query set: upload, what is said about them, deletion."""

from datetime import datetime
from typing import Any, BinaryIO, Literal, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from evaluation.models import Run
from evaluation.runs.actions import details, run_jobs
from evaluation.runs.actions import runs as actions
from evaluation.runs.actions.details import Details
from evaluation.runs.actions.run_files import RunFileOutcome, RunUpload, store_run_file
from evaluation.runs.forms import DetailsForm, FetchForm, RunForm, RunUploadForm
from evaluation.runs.reports.incoming import engines_of, may_delete, not_deletable
from evaluation.runs.views.exports import download
from evaluation.runs.views.runs import visible_run
from judgments.content.reports.content import mark_of_facts
from judgments.files.actions.uploads import keep_upload
from judgments.files.api.jobs import job_of
from judgments.files.views.reading import with_file
from judgments.models import Purpose, QuerySet
from judgments.pages.calls import (
    ApiRequest,
    Body,
    Page,
    PageQuery,
    address,
    form_data,
    of_bodies,
    page_answer,
    sent_file,
    valid,
)
from judgments.pages.fetching import staffed_query_set
from judgments.pages.job_answers import JobOut, deletion_answer
from judgments.pages.problems import Problem, file_problem
from touchstone_core.formats.preamble import HEADER_LINE, LOWEST_LINE
from touchstone_core.formats.runs.declarations import WRITABLE

router = Router()


class RunOut(Schema):
    id: int
    query_set_id: int
    name: str
    notes: str
    tags: list[str]
    commit: str
    link: str
    is_baseline: bool
    order: str = Field(description="What orders a ranking: score, double or rank.")
    file_name: str
    sha256: str
    queries: int = Field(validation_alias="query_count")
    documents: int = Field(validation_alias="row_count")
    created_at: datetime


class RunExportQuery(Schema):
    format: str = Field("trec", description=f"One of: {', '.join(WRITABLE)}.")


class RunFileQuery(Schema):
    """How a run file is read."""

    file_name: str = Field("run", min_length=1, max_length=255, description="What the file is called.")
    format: str = Field("", description="A format of runs, such as trec. If empty: by the content.")
    order: Literal["score", "double", "rank"] = Field(
        "score",
        description="What orders a ranking: the score, the score in double precision, or the rank column.",
    )
    queries: Literal["", "id", "text"] = Field(
        "", description="What names a query. If empty: as the format does."
    )
    unknown: Literal["refuse", "skip"] = Field("refuse", description="What becomes of unknown queries.")
    duplicates: Literal["refuse", "first"] = Field("refuse", description="What becomes of a document twice.")
    encoding: str = Field("", description="If empty, it is found out.")
    header_line: int = Field(0, ge=0, le=LOWEST_LINE, description=HEADER_LINE)


class UploadQuery(RunFileQuery):
    """What the form of the page Upload a run asks for."""

    name: str = Field("", max_length=120, description="If empty: the file’s tag, or its name.")
    several: Literal["refuse", "split"] = Field(
        "refuse", description="What becomes of several tags in a file."
    )
    tags: str = Field("", description="Separated by commas.")
    commit: str = Field("", description="The commit or version of the system that made it.")
    link: str = Field("", description="A page about it, which begins with http:// or https://.")
    notes: str = Field("", description="Whatever else is to be known about it.")


class UploadOut(Schema):
    """`already_stored`: this file was uploaded before under the same names, and nothing was stored again."""

    runs: list[RunOut]
    already_stored: bool
    warnings: list[str]
    documents: str = Field(description="How many of its documents the query set doesn’t know, in words.")
    left_out: list[str] = Field(description="Runs that aren’t stored: none of their queries is known.")


class RunChange(Body):
    """What isn’t named stays. The tags are replaced."""

    name: str | None = None
    notes: str | None = None
    tags: list[str] | None = None
    commit: str | None = None
    link: str | None = None
    is_baseline: bool | None = Field(None, description="The query set has one baseline at most.")


class EngineOut(Schema):
    name: str


class FetchBody(Body):
    engine: str = Field(description="The name of a search engine of the site.")
    depth: int = Field(100, description="How many results of each query are asked for.")
    name: str = Field("", description="Of the run. If empty: the engine’s name and the time.")
    tags: list[str] = []
    commit: str = Field("", description="The commit or version of the system that answers.")
    link: str = Field("", description="A page about it, which begins with http:// or https://.")
    notes: str = Field("", description="Whatever else is to be known about it.")


@router.get("query-sets/{int:pk}/runs", response=Page[RunOut], summary="List runs")
def runs(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    staffed_query_set(request, pk)
    return page_answer(request, Run.objects.filter(query_set=pk), page)


@router.post(
    "query-sets/{int:pk}/runs",
    response={200: UploadOut, 201: UploadOut, 202: JobOut},
    summary="Upload runs",
    openapi_extra=of_bodies("A run file in any format that the page takes, packed or plain."),
)
def upload(
    request: ApiRequest, pk: int, query: InQuery[UploadQuery], response: HttpResponse
) -> Status[dict[str, Any]]:
    """All runs of the file are stored, or none. The same file twice under the same name is stored once.

    If unknown queries are skipped, runs that have no others aren't stored, and `left_out` names them.
    A worker stores a file of more than 8 MB, unpacked: the answer is 202 with its job.
    """
    query_set = staffed_query_set(request, pk)
    data, file = form_data(query.dict()), sent_file(request, query.file_name)
    form, details = valid(RunUploadForm(data, {"file": file})), valid(DetailsForm(data))
    about = RunUpload(
        form.choices, form.cleaned_data["name"], form.cleaned_data["order"], Details(**details.cleaned_data)
    )
    if run_jobs.is_large(cast(BinaryIO, file), file.size or 0):
        return _left_to_worker(request, query_set, file, about, response)
    outcome = with_file(
        store_run_file,
        file,
        file_name=file.name,
        query_set=query_set,
        about=about,
        limit=settings.UNPACKED_LIMIT,
        user=request.user,
    )
    if not outcome.runs:
        raise _refused(outcome)
    answer = outcome.summary | {"runs": outcome.runs}
    return Status(200 if outcome.already_stored else 201, answer)


def _left_to_worker(
    request: ApiRequest,
    query_set: QuerySet,
    file: UploadedFile[bytes],
    about: RunUpload,
    response: HttpResponse,
) -> Status[dict[str, Any]]:
    waiting = keep_upload(query_set=query_set, user=request.user, purpose=Purpose.RUN, file=file)
    run_jobs.request_storing(upload=waiting, about=about, at=timezone.now())
    waiting.refresh_from_db()
    response["Location"] = address("job", waiting.pk)
    return Status(202, job_of(waiting))


@router.get("query-sets/{int:pk}/engines", response=list[EngineOut], summary="List search engines")
def engines(request: ApiRequest, pk: int) -> list[dict[str, str]]:
    """Those of the site that this query set may ask for a run."""
    query_set = staffed_query_set(request, pk)
    return [{"name": name} for name in engines_of(query_set)]


@router.post(
    "query-sets/{int:pk}/runs/fetch", response={202: JobOut}, summary="Ask a search engine for a run"
)
def fetch(request: ApiRequest, pk: int, body: FetchBody, response: HttpResponse) -> Status[dict[str, Any]]:
    """A worker asks it every query of the query set, and stores what it finds, of all queries or of none."""
    query_set = staffed_query_set(request, pk)
    data = form_data(body.dict() | {"tags": ", ".join(body.tags)})
    form, details = valid(FetchForm(data, engines=engines_of(query_set))), valid(DetailsForm(data))
    values = form.cleaned_data
    waiting = run_jobs.request_fetch(
        query_set=query_set,
        user=request.user,
        engine=values["engine"],
        depth=values["depth"],
        about=RunUpload(name=values["name"], details=Details(**details.cleaned_data)),
        at=timezone.now(),
    )
    response["Location"] = address("job", waiting.pk)
    return Status(202, job_of(waiting))


@router.get("runs/{int:pk}", response=RunOut, summary="Read a run")
def read_run(request: ApiRequest, pk: int) -> Run:
    return visible_run(request, pk)


@router.get("runs/{int:pk}/export", response={200: Any}, summary="Export a run")
def export_run(request: ApiRequest, pk: int, query: InQuery[RunExportQuery]) -> HttpResponseBase:
    """A file of its rankings in evaluated order, sent while it is made."""
    if query.format not in WRITABLE:
        raise Problem(422, f"Unknown format “{query.format}”. Choose one of: {', '.join(WRITABLE)}.")
    run = visible_run(request, pk)
    return download(request, run.query_set, [run], WRITABLE[query.format])


@router.patch("runs/{int:pk}", response=RunOut, summary="Change a run")
def change_run(request: ApiRequest, pk: int, body: RunChange) -> Run:
    """Its name, notes, tags, commit and link, and whether it is the baseline of the query set."""
    run = visible_run(request, pk)
    changes = {name: value for name, value in body.dict().items() if value is not None}
    is_baseline = changes.pop("is_baseline", None)
    if changes:
        before = details.run_details(run)
        values = before | changes
        form = RunForm(form_data(values | {"tags": ", ".join(values["tags"])}), run)
        details.change_run(run=run, **valid(form).cleaned_data, seen_mark=mark_of_facts(before))
    if is_baseline is not None and is_baseline != run.is_baseline:
        details.pin_baseline(query_set=run.query_set, run=run if is_baseline else None)
    return visible_run(request, pk)


@router.delete("runs/{int:pk}", response={202: JobOut, 204: None}, summary="Delete a run")
def delete_run(request: ApiRequest, pk: int, response: HttpResponse) -> Status[dict[str, Any] | None]:
    """For admins, and for the person who uploaded it. Its scores and saved comparisons of it change, too.

    A worker deletes a large run, which nobody can reach any more: the answer is 202 with its job.
    """
    run = visible_run(request, pk)
    if not may_delete(request.user, run.query_set, [run]):
        raise Problem(403, not_deletable(run))
    deletion = actions.delete_runs_or_ask(runs=[run], user=request.user, at=timezone.now())
    return deletion_answer(deletion, response)


def _refused(outcome: RunFileOutcome) -> Problem:
    """The report by line, or why the runs can't be stored."""
    if outcome.refusal:
        return Problem(422, outcome.refusal, [{"field": outcome.about or "", "message": outcome.refusal}])
    return file_problem(outcome.report, "Nothing was stored. ")
