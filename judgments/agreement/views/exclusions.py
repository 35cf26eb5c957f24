"""Leaves a rater out of a list's consensus, or lets the rater count again. The page shows the effect first."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from judgments.agreement.actions.adjudication import effect_of_exclusion, exclude_rater, include_rater
from judgments.agreement.forms import ExclusionForm
from judgments.agreement.views.disagreements import names_of
from judgments.base.keys import key_in
from judgments.models import JudgmentList, Rater, RaterKind
from judgments.pages.fetching import administered_list
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import list_page
from judgments.raters.reports import exclusions as reports
from touchstone_core.words import counted


@require_http_methods(["GET", "HEAD", "POST"])
def exclusion(request: MemberRequest, pk: int, rater: int) -> HttpResponse:
    """Shows what would change; a POST changes it. `pair` in the address is the disagreement that the admin came from."""
    judgment_list = administered_list(request, pk)
    rater_row = get_object_or_404(Rater, query_set=judgment_list.query_set_id, pk=rater)
    standing = reports.standing_exclusions(judgment_list).get(rater)
    form = ExclusionForm(request.POST if request.method == "POST" else None)
    names = names_of(request, judgment_list)
    if request.method == "POST" and form.is_valid():
        _change(request, judgment_list, rater_row, form, name=names.of(rater))
        return redirect(_back(request, judgment_list))
    context = list_page(
        judgment_list,
        "admin",
        "raters",
        ("Raters", reverse("list-raters", args=[pk])),
        "Let count" if standing else "Leave out of the grades",
    ) | {
        "name": names.of(rater),
        "standing": standing,
        "is_machine": rater_row.kind == RaterKind.MACHINE,
        "effect": effect_of_exclusion(
            judgment_list=judgment_list,
            rater=rater_row,
            excluded=standing is None,
            user=request.user,
            at=timezone.now(),
        ),
        "by_model": judgment_list.consensus_rule.has_model,
        "form": form,
        "back": _back(request, judgment_list),
    }
    return form_page(request, "judgments/agreement/exclusion.html", context, form.errors)


def _change(
    request: MemberRequest, judgment_list: JudgmentList, rater: Rater, form: ExclusionForm, *, name: str
) -> None:
    """Does what the button said, even if somebody was faster: sending the form twice doesn't undo it."""
    at = timezone.now()
    if form.cleaned_data["action"] == "include":
        changes = include_rater(judgment_list=judgment_list, rater=rater, user=request.user, at=at)
        outcome = f"{name} counts{'' if rater.kind == RaterKind.MACHINE else ' again'}"
        already = f"{name} counts already."
    else:
        note = form.cleaned_data["note"]
        changes = exclude_rater(judgment_list=judgment_list, rater=rater, note=note, user=request.user, at=at)
        outcome, already = f"{name} no longer counts", f"{name} is left out already."
    if changes is None:
        messages.info(request, already)
        return
    messages.success(request, f"{outcome}. {counted(changes, 'grade')} changed.")


def _back(request: MemberRequest, judgment_list: JudgmentList) -> str:
    pair = key_in(request.GET.get("pair"))
    if pair is None:
        return reverse("list-raters", args=[judgment_list.pk])
    page = reverse("disagreement", args=[judgment_list.pk, pair])
    return f"{page}?{urlencode({'names': 'shown'})}" if request.GET.get("names") == "shown" else page
