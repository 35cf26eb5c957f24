"""What people do with several runs of a query set at once, and its baseline."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.base.errors import TooManyTagsError
from evaluation.models import Run
from evaluation.runs.actions import details
from evaluation.runs.actions import runs as actions
from evaluation.runs.forms import TagsForm
from evaluation.runs.reports import may_delete
from judgments.models import QuerySet
from judgments.pages.archive_guard import to_change
from judgments.pages.deleted_rows import deleted_in_background
from judgments.pages.http import MemberRequest, next_path
from judgments.pages.trails import query_set_trail
from touchstone_core.words import counted


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def tag(request: MemberRequest, pk: int) -> HttpResponse:
    """Adds tags to the selected runs, or removes them."""
    query_set = _query_set(request, pk)
    runs = _selection(request, query_set)
    form = TagsForm(request.POST if request.method == "POST" else None, runs)
    if runs and form.is_valid():
        try:
            changed = details.tag_runs(query_set=query_set, runs=runs, **form.cleaned_data)
        except TooManyTagsError as error:
            form.add_error("add", str(error))
        else:
            messages.success(request, f"Tags of {counted(changed, 'run')} changed.")
            return HttpResponseRedirect(_back(request, query_set))
    context = {"runs": runs, "form": form, "title": f"Tag {counted(len(runs), 'run')}"}
    return _page(request, query_set, "evaluation/runs/runs_tag.html", context, wrong=bool(form.errors))


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: MemberRequest, pk: int) -> HttpResponse:
    """Asks, then deletes those of the selected runs that the account may delete."""
    query_set = _query_set(request, pk)
    runs = _selection(request, query_set)
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
        "title": f"Delete {counted(len(deletable), 'run')}",
    }
    return _page(request, query_set, "evaluation/runs/runs_delete.html", context)


@require_POST
def baseline(request: MemberRequest, pk: int) -> HttpResponse:
    """Pins the run as the baseline of the query set; without a run there is none."""
    query_set = _query_set(request, pk)
    run = next(iter(_selection(request, query_set)), None)
    if run is None and request.POST.get("run"):
        raise Http404
    details.pin_baseline(query_set=query_set, run=run)
    messages.success(request, f"“{run}” is now the baseline." if run else "No run is the baseline any more.")
    return HttpResponseRedirect(_back(request, query_set))


def _query_set(request: MemberRequest, pk: int) -> QuerySet:
    return get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)


def _selection(request: MemberRequest, query_set: QuerySet) -> list[Run]:
    """Those of the query set's runs that the request names, by name. One query."""
    keys = set((request.POST if request.method == "POST" else request.GET).getlist("run"))
    return [run for run in Run.objects.filter(query_set=query_set).order_by("name") if str(run.pk) in keys]


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
    runs = ("Runs", reverse("query-set-runs", args=[query_set.pk]))
    context |= {
        "query_set": query_set,
        "next": _back(request, query_set),
        "trail": query_set_trail(query_set, runs, str(context["title"])),
    }
    return render(request, template, context, status=422 if wrong else 200)
