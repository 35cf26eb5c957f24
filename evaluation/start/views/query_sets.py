"""The first page of a query set, and what is done with query sets and lists as a whole: copied, deleted. Here, because of their runs."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from evaluation.runs.actions.copying import copy_with_runs
from evaluation.start.forms import NAME_LENGTH, CopyForm, DeleteForm
from evaluation.start.reports.home import lists_runs_and_notices
from evaluation.start.reports.losses import Losses, losses_of_list, losses_of_query_set
from judgments.base.errors import JudgmentsError
from judgments.base.names import NameTakenError
from judgments.content.actions import deletion_jobs
from judgments.content.reports.query_sets import role_in, with_counts
from judgments.models import Deletion, JudgmentList, QuerySet
from judgments.pages.archive_guard import in_archive_too, to_change
from judgments.pages.deleted_rows import deleted_in_background
from judgments.pages.fetching import administered_query_set
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import list_trail, query_set_page, query_set_trail


@require_safe
def overview(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = get_object_or_404(with_counts(QuerySet.objects.staffed_by(request.user)), pk=pk)
    role = role_in(query_set, request.user)
    context = query_set_page(query_set, role, "overview")
    context |= lists_runs_and_notices(query_set, request.user, role)
    return render(request, "evaluation/start/query_set.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@in_archive_too
def copy(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = administered_query_set(request, pk)
    form = CopyForm(request.POST or None, initial={"name": f"{query_set.name} (copy)"[-NAME_LENGTH:]})
    if request.method == "POST" and form.is_valid():
        try:
            new = copy_with_runs(
                query_set=query_set,
                name=form.cleaned_data["name"],
                user=request.user,
                parts=form.parts,
                runs=form.cleaned_data["runs"],
            )
        except NameTakenError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"{new} was created as a copy of {query_set}.")
            return redirect("query-set", new.pk)
    context = {"form": form, "query_set": query_set, "trail": query_set_trail(query_set, "Copy")}
    return form_page(request, "evaluation/start/query_set_copy.html", context, form.errors)


@require_http_methods(["GET", "HEAD", "POST"])
@in_archive_too
def delete(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = administered_query_set(request, pk)
    form = DeleteForm(request.POST or None, name=query_set.name)
    delete_it = partial(
        deletion_jobs.delete_query_set_or_ask, query_set=query_set, user=request.user, at=timezone.now()
    )
    if _delete(request, form, delete_it, f"{query_set.name} was deleted with everything in it."):
        return redirect("query-sets")
    context = {
        "what": query_set,
        "query_set": query_set,
        "back": reverse("query-set-edit", args=[pk]),
        "trail": query_set_trail(query_set, "Delete"),
    }
    return _page(request, form, losses_of_query_set(query_set), context)


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def delete_list(request: MemberRequest, pk: int) -> HttpResponse:
    mine = JudgmentList.objects.administered_by(request.user).select_related("query_set")
    judgment_list = get_object_or_404(mine, pk=pk)
    form = DeleteForm(request.POST or None, name=judgment_list.name)
    delete_it = partial(
        deletion_jobs.delete_list_or_ask, judgment_list=judgment_list, user=request.user, at=timezone.now()
    )
    if _delete(request, form, delete_it, f"{judgment_list.name} was deleted with its judgments."):
        return redirect("query-set-lists", judgment_list.query_set_id)
    context = {
        "what": judgment_list,
        "versions": judgment_list.versions.count(),
        "back": reverse("list-edit", args=[pk]),
        "trail": list_trail(judgment_list, "Delete"),
    }
    return _page(request, form, losses_of_list(judgment_list), context)


def _delete(
    request: MemberRequest, form: DeleteForm, delete_it: Callable[..., Deletion | None], done: str
) -> bool:
    """Whether it is gone, or a worker deletes it; if not, a form that was sent says why."""
    if request.method != "POST" or not form.is_valid():
        return False
    try:
        deletion = delete_it(confirmed_name=form.cleaned_data["typed"])
    except JudgmentsError as error:
        form.add_error("typed", str(error))
        return False
    messages.success(request, done if deletion is None else deleted_in_background(deletion))
    return True


def _page(
    request: MemberRequest, form: DeleteForm, losses: Losses, context: dict[str, object]
) -> HttpResponse:
    context |= {"form": form, "losses": losses}
    return form_page(request, "evaluation/start/delete.html", context, form.errors)
