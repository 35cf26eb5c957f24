"""What the API says of work that a worker does, and of rows that one deletes."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpResponse
from ninja import Schema, Status
from pydantic import Field

from judgments.models import Deletion
from judgments.pages.calls import address


class JobProgress(Schema):
    step: str = Field(validation_alias="words")
    done: int
    total: int


class StoredRuns(Schema):
    """As the answer to an upload that is stored in the call itself, with the runs as their IDs."""

    run_ids: list[int]
    already_stored: bool
    warnings: list[str]
    documents: str
    left_out: list[str]


class JobOut(Schema):
    """Work of a worker. Ask again until `state` is done or failed."""

    id: UUID
    query_set_id: int
    list_id: int | None
    what: str
    file: str = Field(description="What was uploaded; empty for a deletion.")
    state: Literal["waiting", "running", "done", "failed"]
    progress: JobProgress | None
    result: dict[str, int] | None = Field(
        description="How many rows are new, changed and unchanged, among others; of a deletion, how many are gone."
    )
    upload: StoredRuns | None = Field(description="What an upload of runs has stored.")
    failure: str
    requested_at: datetime | None
    done_at: datetime | None


def deletion_answer(deletion: Deletion | None, response: HttpResponse) -> Status[dict[str, Any] | None]:
    """204 where everything is gone, and 202 with the job of a worker that deletes what nobody reaches any more."""
    if deletion is None:
        return Status(204, None)
    response["Location"] = address("job", deletion.pk)
    return Status(202, job_of_deletion(deletion))


def job_of_deletion(deletion: Deletion) -> dict[str, Any]:
    state = "done" if deletion.done_at else "failed" if deletion.failure else "waiting"
    is_running = state == "waiting" and deletion.started_at is not None
    step = {"words": "Deleting rows", "done": deletion.rows_gone, "total": deletion.row_total}
    return {
        "id": deletion.pk,
        "query_set_id": deletion.query_set_id,
        "list_id": None,
        "what": f"deletion of {deletion.subject}",
        "file": "",
        "state": "running" if is_running else state,
        "progress": step if is_running else None,
        "result": deletion.counts or None,
        "upload": None,
        "failure": deletion.failure,
        "requested_at": deletion.requested_at,
        "done_at": deletion.done_at,
    }
