"""Pages of query sets: all of them, settings, the archive."""

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
from judgments.content.actions.query_sets import archive_query_set, restore_query_set
from judgments.content.forms import QuerySetForm
from judgments.content.reports import query_sets as reports
from judgments.content.views.edit_conflicts import both_versions
from judgments.models import QuerySet
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.fetching import administered_query_set
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import query_set_trail, trail


@require_safe
def query_sets(request: MemberRequest) -> HttpResponse:
    """The current query sets; with `?archived=1` those in the archive."""
    staff_only(request)
    mine, in_archive = QuerySet.objects.staffed_by(request.user), "archived" in request.GET
    context = {
        "query_sets": reports.with_counts(mine.archived() if in_archive else mine.at_work()),
        "archived": in_archive,
        "some_archived": in_archive or mine.archived().exists(),
    }
    return render(request, "judgments/content/query_sets.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: MemberRequest) -> HttpResponse:
    staff_only(request)
    form = QuerySetForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            query_set = actions.create_query_set(**form.cleaned_data, user=request.user)
        except NameTakenError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"Created {query_set}. Import its queries and documents next.")
            return redirect("query-set", query_set.pk)
    context = {"form": form, "trail": trail(("Query sets", reverse("query-sets")), "New query set")}
    return form_page(request, "judgments/content/query_set_form.html", context, form.errors)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = get_object_or_404(
        QuerySet.objects.administered_by(request.user).select_related("archived_by"), pk=pk
    )
    current = copy(query_set)  # because the form changes its instance
    form = QuerySetForm(request.POST or None, instance=query_set)
    conflict = None
    if request.method == "POST" and form.is_valid():
        try:
            actions.change_query_set(
                query_set=query_set, **form.cleaned_data, seen_mark=request.POST.get("seen")
            )
        except ChangedSinceError as error:
            conflict = error
        except NameTakenError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, "Saved.")
            return redirect("query-set", pk)
    now = actions.query_set_settings(conflict.current if conflict else current)
    context = {"form": form, "query_set": query_set, "trail": query_set_trail(query_set, "Settings")}
    fresh = QuerySetForm(instance=conflict.current) if conflict else None
    context |= both_versions(request, form, now, conflict, actions.query_set_settings(query_set), fresh)
    return form_page(request, "judgments/content/query_set_form.html", context, form.errors, conflict)


@require_POST
@in_archive_too
def archive(request: MemberRequest, pk: int) -> HttpResponse:
    """Archives a query set, or takes it out of the archive with `archived=no`."""
    query_set = administered_query_set(request, pk)
    if request.POST.get("archived") == "no":
        restore_query_set(query_set=query_set)
        messages.success(request, f"{query_set} is out of the archive. Work in it can go on.")
    else:
        archive_query_set(query_set=query_set, user=request.user, at=timezone.now())
        messages.success(request, f"{query_set} is archived. Nothing in it can be changed.")
    return redirect("query-set", pk)


def staff_only(request: MemberRequest) -> None:
    """For pages that raters have no use for. Engineers and admins of any query set can also create others."""
    if not reports.may_create_query_set(request.user):
        raise Http404
