"""Saves and deletes views of the run table, from the table itself."""

from collections.abc import Mapping
from typing import Final

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from evaluation.base.errors import TooManyError
from evaluation.formulas.forms import AS, DEFAULTS
from evaluation.models import SavedView
from evaluation.scores.actions import saved_views as actions
from evaluation.scores.forms import SavedViewForm
from judgments.base.names import NameTakenError
from judgments.models import QuerySet
from judgments.pages.http import MemberRequest, next_path, redirect_to_next

PARAMETERS: Final = (*DEFAULTS, AS, "q", "tag", "group", "columns", "sort")
"""What a view consists of. The version isn't part of it, because it belongs to one list."""


def view_query(parameters: Mapping[str, str]) -> str:
    """The query string of a view: what these parameters say about the table, in one order."""
    return urlencode({name: parameters[name] for name in PARAMETERS if parameters.get(name)})


@require_POST
def save(request: MemberRequest, pk: int) -> HttpResponse:
    """Saves the view that the form names, and returns to the table."""
    query_set = get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    form = SavedViewForm(request.POST)
    if form.is_valid():
        query = view_query(QueryDict(form.cleaned_data["query"]))
        try:
            view = actions.save_view(
                query_set=query_set, name=form.cleaned_data["name"], query=query, user=request.user
            )
        except (NameTakenError, TooManyError) as error:
            messages.error(request, f"Not saved. {error}")
        else:
            messages.success(request, f"View saved as “{view}”.")
    else:
        problem = next(iter(form.errors.values()))[0]
        messages.error(request, f"Not saved. {problem}")
    return redirect_to_next(request, reverse("query-set-runs", args=[query_set.pk]))


@require_POST
def delete(request: MemberRequest, pk: int) -> HttpResponse:
    view = get_object_or_404(SavedView.objects.visible_to(request.user), pk=pk)
    actions.delete_view(view=view)
    messages.success(request, f"View “{view}” deleted. Links to it keep working.")
    return HttpResponseRedirect(next_path(request, reverse("query-set-runs", args=[view.query_set_id])))
