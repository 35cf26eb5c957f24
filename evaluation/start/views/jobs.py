"""Work that workers do: who sees how far it is, cancels it, or has it tried again."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from evaluation.start.actions.making_jobs import cancel_evaluation
from evaluation.start.reports.jobs import Job, cancellable, jobs_of
from judgments.content.actions.deletion_jobs import retry_deletion
from judgments.content.reports.query_sets import role_in
from judgments.files.actions.import_jobs import cancel_import
from judgments.models import Deletion, Draft, Upload
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import MemberRequest, next_path
from judgments.pages.trails import query_set_page


@require_safe
def jobs(request: MemberRequest) -> HttpResponse:
    """One's own, and those of the query sets that one administers."""
    return _page(request, jobs_of(request.user), {})


@require_safe
def query_set_jobs(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = staffed_query_set(request, pk)
    context = query_set_page(query_set, role_in(query_set, request.user), "jobs", "Jobs")
    return _page(request, jobs_of(request.user, query_set), context)


@require_POST
@in_archive_too
def job(request: MemberRequest, pk: UUID) -> HttpResponse:
    """`action=cancel` ends an import, an upload or an evaluation; `action=retry` tries a deletion again."""
    work = _work(request, pk)
    if request.POST.get("action") == "retry" and isinstance(work, Deletion):
        if retry_deletion(deletion=work):
            messages.success(request, "A worker tries it again.")
    elif request.POST.get("action") == "cancel" and isinstance(work, Upload | Draft):
        cancelled = cancel_import(upload=work) if isinstance(work, Upload) else cancel_evaluation(draft=work)
        messages.success(request, "Cancelled." if cancelled else "It had ended already.")
    return HttpResponseRedirect(next_path(request, reverse("jobs")))


def _page(request: MemberRequest, jobs: list[Job], context: dict[str, Any]) -> HttpResponse:
    context |= {"jobs": jobs, "some_wait": any(job.state == "waiting" for job in jobs)}
    return render(request, "evaluation/start/jobs.html", context)


def _work(request: MemberRequest, pk: UUID) -> Any:
    drafts = Draft.objects.all() if request.user.is_superuser else Draft.objects.visible_to(request.user)
    for rows in (
        Upload.objects.filter(cancellable(request.user), draft=None),
        drafts,
        Deletion.objects.visible_to(request.user),
    ):
        row = rows.filter(pk=pk).first()
        if row is not None:
            return row
    raise Http404
