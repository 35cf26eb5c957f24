"""A query set's runs: the list of them, and what people do with one."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.base.errors import TooManyTagsError
from evaluation.models import Run
from evaluation.runs.actions import details
from evaluation.runs.actions import runs as actions
from evaluation.runs.forms import RunForm, TagsForm
from evaluation.runs.reports.incoming import administers, may_delete, not_deletable
from judgments.base.errors import ChangedSinceError
from judgments.base.names import NameTakenError
from judgments.content.reports.query_sets import role_in
from judgments.content.views.edit_conflicts import both_versions
from judgments.models import JudgmentList, QuerySet
from judgments.pages.archive_guard import to_change
from judgments.pages.deleted_rows import deleted_in_background
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import MemberRequest, form_page, next_path
from judgments.pages.trails import query_set_trail
from touchstone_core.words import counted

PER_PAGE = 50


@require_safe
def run_list(request: MemberRequest, pk: int) -> HttpResponse:
    """The runs of a query set, newest first."""
    query_set = staffed_query_set(request, pk)
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
    run = visible_run(request, pk)
    back = next_path(request, reverse("query-set-runs", args=[run.query_set_id]))
    form = RunForm(request.POST or None, run)
    now, conflict, fresh = details.run_details(run), None, None
    if request.method == "POST" and form.is_valid():
        try:
            details.change_run(run=run, **form.cleaned_data, seen_mark=request.POST.get("seen"))
        except ChangedSinceError as error:
            conflict, now, fresh = error, details.run_details(error.current), RunForm(None, error.current)
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
    context |= both_versions(request, form, now, conflict, form.cleaned_data if conflict else None, fresh)
    return form_page(request, "evaluation/runs/run_edit.html", context, form.errors, conflict)


@require_POST
def run_delete(request: MemberRequest, pk: int) -> HttpResponse:
    """Deletes a run: its uploader's and the admins' right."""
    run = visible_run(request, pk)
    if not may_delete(request.user, run.query_set, [run]):
        messages.error(request, not_deletable(run))
        return redirect("query-set-runs", run.query_set_id)
    name = run.name
    deletion = actions.delete_runs_or_ask(runs=[run], user=request.user, at=timezone.now())
    messages.success(request, deleted_in_background(deletion) if deletion else f"Run “{name}” was deleted.")
    return redirect("query-set-runs", run.query_set_id)


def visible_run(request: MemberRequest, pk: int) -> Run:
    return get_object_or_404(Run.objects.visible_to(request.user).select_related("query_set"), pk=pk)


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def tag(request: MemberRequest, pk: int) -> HttpResponse:
    """Adds tags to the selected runs, or removes them."""
    query_set = staffed_query_set(request, pk)
    runs = selected_runs(request, query_set)
    form = TagsForm(request.POST if request.method == "POST" else None, runs)
    if runs and form.is_valid():
        try:
            changed = details.tag_runs(query_set=query_set, runs=runs, **form.cleaned_data)
        except TooManyTagsError as error:
            form.add_error("add", str(error))
        else:
            messages.success(request, f"Tags of {counted(changed, 'run')} changed.")
            return HttpResponseRedirect(_back(request, query_set))
    context = {
        "runs": runs,
        "form": form,
        "title": f"Tag {counted(len(runs), 'run')}" if runs else "Tag runs",
    }
    return _page(request, query_set, "evaluation/runs/runs_tag.html", context, wrong=bool(form.errors))


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: MemberRequest, pk: int) -> HttpResponse:
    """Asks, then deletes those of the selected runs that the account may delete."""
    query_set = staffed_query_set(request, pk)
    runs = selected_runs(request, query_set)
    deletable = may_delete(request.user, query_set, runs)
    if request.method == "POST" and deletable:
        deletion = actions.delete_runs_or_ask(runs=deletable, user=request.user, at=timezone.now())
        done = f"{counted(len(deletable), 'run')} deleted."
        messages.success(request, deleted_in_background(deletion) if deletion else done)
        return HttpResponseRedirect(_back(request, query_set))
    context = {
        "runs": deletable,
        "others": [run for run in runs if run not in deletable],
        "rankings": sum(run.query_count for run in deletable),
        "title": f"Delete {counted(len(deletable), 'run')}" if deletable else "Delete runs",
    }
    return _page(request, query_set, "evaluation/runs/runs_delete.html", context)


@require_POST
def baseline(request: MemberRequest, pk: int) -> HttpResponse:
    """Pins the run as the baseline of the query set; without a run there is none."""
    query_set = staffed_query_set(request, pk)
    run = next(iter(selected_runs(request, query_set)), None)
    if run is None and request.POST.get("run"):
        raise Http404
    details.pin_baseline(query_set=query_set, run=run)
    messages.success(request, f"“{run}” is now the baseline." if run else "No run is the baseline any more.")
    return HttpResponseRedirect(_back(request, query_set))


def selected_runs(request: MemberRequest, query_set: QuerySet) -> list[Run]:
    """Those of the query set's runs that the request names, by name. One query."""
    keys = set((request.POST if request.method == "POST" else request.GET).getlist("run"))
    return [run for run in Run.objects.filter(query_set=query_set).order_by("name") if str(run.pk) in keys]


def gone_words(request: MemberRequest) -> str:
    """What became of the runs that the request names, on a page that has none of them. Empty if it names none."""
    count = len(set((request.POST if request.method == "POST" else request.GET).getlist("run")))
    if not count:
        return ""
    what, verb = ("The run", "was") if count == 1 else (f"The {count:,} runs", "were")
    they = "it isn’t" if count == 1 else "they aren’t"
    return f"{what} that you selected {verb} deleted, or {they} in this query set."


def _back(request: MemberRequest, query_set: QuerySet) -> str:
    return next_path(request, reverse("query-set-runs", args=[query_set.pk]))


def _page(
    request: MemberRequest,
    query_set: QuerySet,
    template: str,
    context: dict[str, object],
    *,
    wrong: bool = False,
) -> HttpResponse:
    return form_page(request, template, run_page(request, query_set, str(context["title"])) | context, wrong)


def run_page(request: MemberRequest, query_set: QuerySet, title: str) -> dict[str, object]:
    """What every page about selected runs shows, and where it leads back to."""
    runs = ("Runs", reverse("query-set-runs", args=[query_set.pk]))
    return {
        "query_set": query_set,
        "title": title,
        "next": _back(request, query_set),
        "gone": gone_words(request),
        "trail": query_set_trail(query_set, runs, title),
    }
