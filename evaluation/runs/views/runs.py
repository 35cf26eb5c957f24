"""A query set's runs: the list of them, and what people do with one."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.base.errors import TooManyTagsError
from evaluation.models import Run
from evaluation.runs.actions import details
from evaluation.runs.actions import runs as actions
from evaluation.runs.forms import RunForm
from evaluation.runs.reports import administers, may_delete
from judgments.base.errors import ChangedSinceError
from judgments.base.names import NameTakenError
from judgments.content.reports.query_sets import role_in
from judgments.content.views.edit_conflicts import both_versions
from judgments.models import JudgmentList, QuerySet
from judgments.pages.archive_guard import to_change
from judgments.pages.deleted_rows import deleted_in_background
from judgments.pages.http import MemberRequest, next_path
from judgments.pages.trails import query_set_trail

PER_PAGE = 50


@require_safe
def run_list(request: MemberRequest, pk: int) -> HttpResponse:
    """The runs of a query set, newest first."""
    query_set = get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    runs = (
        Run.objects.filter(query_set=query_set).select_related("uploaded_by").order_by("-created_at", "-pk")
    )
    context = {
        "query_set": query_set,
        "role": role_in(query_set, request.user),
        "tab": "runs",
        "trail": query_set_trail(query_set, "Runs"),
        "page": Paginator(runs, PER_PAGE).get_page(request.GET.get("page")),
        "lists": list(JudgmentList.objects.filter(query_set=query_set).order_by("pk")),
        "may_delete": administers(request.user, query_set),
    }
    return render(request, "evaluation/runs/run_list.html", context)


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def run_edit(request: MemberRequest, pk: int) -> HttpResponse:
    """Changes the name, notes, tags, commit and link of a run."""
    run = _visible(request, pk)
    back = next_path(request, reverse("query-set-runs", args=[run.query_set_id]))
    form = RunForm(request.POST or None, run)
    now, conflict = details.run_details(run), None
    if request.method == "POST" and form.is_valid():
        try:
            details.change_run(run=run, **form.cleaned_data, seen_mark=request.POST.get("seen"))
        except ChangedSinceError as error:
            conflict, now = error, details.run_details(error.current)
        except NameTakenError as error:
            form.add_error("name", str(error))
        except TooManyTagsError as error:
            form.add_error("tags", str(error))
        else:
            messages.success(request, f"Changes to run “{run}” saved.")
            return HttpResponseRedirect(back)
    runs = ("Runs", reverse("query-set-runs", args=[run.query_set_id]))
    context = {
        "run": run,
        "form": form,
        "next": back,
        "trail": query_set_trail(run.query_set, runs, "Edit run"),
        "deletable": may_delete(request.user, run.query_set, [run]),
    }
    context |= both_versions(request, form, now, conflict, form.cleaned_data if conflict else None)
    status = 422 if form.errors or conflict else 200
    return render(request, "evaluation/runs/run_edit.html", context, status=status)


@require_POST
def run_delete(request: MemberRequest, pk: int) -> HttpResponse:
    """Deletes a run: its uploader's and the admins' right."""
    run = _visible(request, pk)
    if not may_delete(request.user, run.query_set, [run]):
        messages.error(request, f"Run “{run}” can only be deleted by an admin or the person who uploaded it.")
        return redirect("query-set-runs", run.query_set_id)
    name = run.name
    deletion = actions.delete_runs_or_ask(runs=[run], user=request.user, at=timezone.now())
    messages.success(request, deleted_in_background(deletion) if deletion else f"Run “{name}” was deleted.")
    return redirect("query-set-runs", run.query_set_id)


def _visible(request: MemberRequest, pk: int) -> Run:
    return get_object_or_404(Run.objects.visible_to(request.user).select_related("query_set"), pk=pk)
