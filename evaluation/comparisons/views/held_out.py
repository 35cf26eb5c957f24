"""Queries that are kept aside to confirm a finding: which, and who has opened them."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.comparisons.actions.comparing import settings_of
from evaluation.comparisons.actions.held_out import change_comparing, comparing_in_words, open_held_out
from evaluation.comparisons.forms.run_choice import CONFIRM
from evaluation.comparisons.forms.settings import ComparingForm
from evaluation.comparisons.reports.held_out import openings
from evaluation.comparisons.views.comparison_request import (
    comparison_address,
    read_comparison_request,
    to_comparison,
)
from evaluation.scores.views.scored_page import list_with_role
from judgments.base.errors import ChangedSinceError
from judgments.content.views.edit_conflicts import both_versions
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import list_trail


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: MemberRequest, pk: int) -> HttpResponse:
    """Which queries are held out and how the queries were drawn, for the whole query set; and who opened them."""
    judgment_list = list_with_role(request, pk)
    query_set = judgment_list.query_set
    now, conflict, fresh = comparing_in_words(settings_of(query_set)), None, None
    form = ComparingForm(request.POST or None, instance=settings_of(query_set))
    if request.method == "POST" and form.is_valid():
        try:
            change_comparing(query_set=query_set, **form.cleaned_data, seen_mark=request.POST.get("seen"))
        except ChangedSinceError as error:
            conflict, now = error, comparing_in_words(error.current)
            fresh = ComparingForm(instance=error.current)
        else:
            messages.success(request, "Saved. Comparisons follow it from now on.")
            return to_comparison(request, pk)
    back = comparison_address(request, pk)
    context = {
        "judgment_list": judgment_list,
        "query_set": query_set,
        "form": form,
        "openings": openings(query_set),
        "back": back,
        "trail": list_trail(judgment_list, ("Compare", back), ("Settings", "")),
    }
    context |= both_versions(request, form, now, conflict, comparing_in_words(form.instance), fresh)
    return form_page(
        request, "evaluation/comparisons/comparison_settings.html", context, form.errors, conflict
    )


@require_POST
def open_queries(request: MemberRequest, pk: int) -> HttpResponse:
    """Opens the held-out queries for the comparison of the address."""
    comparison = read_comparison_request(request, pk)
    if isinstance(comparison, HttpResponseRedirect):
        return comparison
    if comparison.question.confirming:
        open_held_out(question=comparison.question, user=request.user, at=timezone.now())
        messages.success(
            request, "The held-out queries are open for these runs. The log says that you opened them."
        )
    return to_comparison(request, pk, **{CONFIRM: "1"})
