"""Query sets: all of one's own, one of them, its settings, the archive."""

from copy import copy

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judgments.base.errors import ChangedSinceError
from judgments.base.names import NameTakenError
from judgments.content.actions import query_sets as actions
from judgments.content.actions.archiving import archive_query_set, restore_query_set
from judgments.content.forms.query_sets import QuerySetForm
from judgments.content.reports import query_sets as reports
from judgments.content.views.edit_conflicts import both_versions, seen_in
from judgments.models import QuerySet
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.http import MemberRequest
from judgments.pages.trails import query_set_trail, trail


@require_safe
def query_sets(request: MemberRequest) -> HttpResponse:
    """Those at work; with `?archived=1` those in the archive."""
    _staff_only(request)
    mine, archived = QuerySet.objects.staffed_by(request.user), "archived" in request.GET
    context = {
        "query_sets": reports.with_counts(mine.archived() if archived else mine.at_work()),
        "archived": archived,
        "some_archived": archived or mine.archived().exists(),
    }
    return render(request, "judgments/content/query_sets.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: MemberRequest) -> HttpResponse:
    _staff_only(request)
    form = QuerySetForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            query_set = actions.create_query_set(**form.cleaned_data, user=request.user)
        except NameTakenError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"{query_set} has been made. Import its queries and documents next.")
            return redirect("query-set", query_set.pk)
    context = {"form": form, "trail": trail(("Query sets", reverse("query-sets")), "New query set")}
    return render(
        request, "judgments/content/query_set_form.html", context, status=422 if form.errors else 200
    )


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = get_object_or_404(
        QuerySet.objects.administered_by(request.user).select_related("archived_by"), pk=pk
    )
    opened = copy(query_set)  # a form puts its input into the instance
    form = QuerySetForm(request.POST or None, instance=query_set)
    refused = None
    if request.method == "POST" and form.is_valid():
        try:
            actions.change_query_set(query_set=query_set, **form.cleaned_data, seen=seen_in(request))
        except ChangedSinceError as error:
            refused = error
        except NameTakenError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, "Saved.")
            return redirect("query-set", pk)
    now = actions.query_set_settings(refused.stored if refused else opened)
    context = {"form": form, "query_set": query_set, "trail": query_set_trail(query_set, "Settings")}
    context |= both_versions(request, now, refused, actions.query_set_settings(query_set))
    status = 422 if form.errors or refused else 200
    return render(request, "judgments/content/query_set_form.html", context, status=status)


@require_POST
@in_archive_too
def archive(request: MemberRequest, pk: int) -> HttpResponse:
    """Into the archive, or with `archived=no` out of it."""
    query_set = get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)
    if request.POST.get("archived") == "no":
        restore_query_set(query_set=query_set)
        messages.success(request, f"{query_set} is out of the archive: work in it can go on.")
    else:
        archive_query_set(query_set=query_set, user=request.user, at=timezone.now())
        messages.success(request, f"{query_set} is archived: it is kept as it is, and nothing in it changes.")
    return redirect("query-set", pk)


def _staff_only(request: MemberRequest) -> None:
    """Who is engineer or admin anywhere may also make a query set; raters find nothing here."""
    if not reports.may_create_query_set(request.user):
        raise Http404
