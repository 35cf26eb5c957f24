"""The queries that changes are meant to touch: the list of intents, and what is done with them."""

from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.base.errors import TooManyError
from evaluation.comparisons.actions import intents as actions
from evaluation.comparisons.forms.intents import IntentForm
from evaluation.models import Intent
from judgments.base.errors import ChangedSinceError
from judgments.base.names import NameTakenError
from judgments.content.reports.query_sets import role_in
from judgments.content.views.edit_conflicts import both_versions
from judgments.models import QuerySet
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import MemberRequest, form_page, redirect_to_next
from judgments.pages.trails import query_set_page


@require_http_methods(["GET", "HEAD", "POST"])
def intents(request: MemberRequest, pk: int) -> HttpResponse:
    """The query set's intents; by POST, one more, and back to the page that asked for it."""
    query_set = staffed_query_set(request, pk)
    form = IntentForm(request.POST if request.method == "POST" else None, query_set=query_set)
    if request.method == "POST" and form.is_valid():
        try:
            intent = actions.save_intent(
                query_set=query_set,
                name=form.cleaned_data["name"],
                queries=form.chosen,
                user=request.user,
                at=timezone.now(),
            )
        except (NameTakenError, TooManyError) as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"“{intent}” is saved. Choose it where runs are compared.")
            return redirect_to_next(request, reverse("intents", args=[pk]))
    every = Intent.objects.filter(query_set=query_set).select_related("created_by").order_by("name")
    context = _context(request, query_set, form) | {"intents": every.annotate(count=Count("intended"))}
    return form_page(request, "evaluation/comparisons/intents.html", context, form.errors)


@require_http_methods(["GET", "HEAD", "POST"])
def intent(request: MemberRequest, pk: int) -> HttpResponse:
    """Another name, other queries."""
    row = visible_intent(request, pk)
    now, conflict, fresh = actions.intent_details(row), None, None
    form = _details_form(row.query_set, now, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            actions.change_intent(
                intent=row,
                name=form.cleaned_data["name"],
                queries=form.chosen,
                at=timezone.now(),
                seen_mark=request.POST.get("seen"),
            )
        except ChangedSinceError as error:
            conflict, now = error, actions.intent_details(error.current)
            fresh = _details_form(row.query_set, now)
        except NameTakenError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"“{form.cleaned_data['name']}” is changed.")
            return redirect("intents", row.query_set_id)
    context = _context(request, row.query_set, form) | {"intent": row}
    context |= both_versions(request, form, now, conflict, form.details if conflict else None, fresh)
    return form_page(request, "evaluation/comparisons/intent.html", context, form.errors, conflict)


@require_POST
def delete(request: MemberRequest, pk: int) -> HttpResponse:
    row = visible_intent(request, pk)
    actions.delete_intent(intent=row)
    messages.success(request, f"“{row}” is deleted. Its queries and runs stay.")
    return redirect("intents", row.query_set_id)


def visible_intent(request: MemberRequest, pk: int) -> Intent:
    return get_object_or_404(Intent.objects.visible_to(request.user).select_related("query_set"), pk=pk)


def _details_form(query_set: QuerySet, details: dict[str, Any], data: QueryDict | None = None) -> IntentForm:
    initial = details | {"queries": "\n".join(details["queries"])}
    return IntentForm(data, query_set=query_set, initial=initial)


def _context(request: MemberRequest, query_set: QuerySet, form: IntentForm) -> dict[str, Any]:
    runs = ("Runs", reverse("query-set-runs", args=[query_set.pk]))
    return query_set_page(query_set, role_in(query_set, request.user), "runs", runs, "Intended queries") | {
        "form": form,
        "next": request.POST.get("next") or request.GET.get("next", ""),
    }
