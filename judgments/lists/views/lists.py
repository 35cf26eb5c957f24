"""Pages of judgment lists: the lists of a query set, settings, pausing."""

from copy import copy

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judgments.base.errors import ChangedSinceError, JudgmentsError
from judgments.content.reports.content import refuse_if_changed
from judgments.content.reports.query_sets import role_in
from judgments.content.views.edit_conflicts import both_versions
from judgments.lists.actions import lists as actions
from judgments.lists.forms.lists import ListForm, PauseForm
from judgments.lists.presets import LIST_PRESETS, QUICK
from judgments.lists.reports.lists import lists_of, rule_in_words
from judgments.models import JudgmentList
from judgments.pages.archive_guard import to_change
from judgments.pages.fetching import administered_list, administered_query_set, staffed_query_set
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import list_page, query_set_page, query_set_trail


@require_safe
def lists(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = staffed_query_set(request, pk)
    context = query_set_page(query_set, role_in(query_set, request.user), "lists", "Lists") | {
        "lists": lists_of(query_set)
    }
    return render(request, "judgments/lists/lists.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def new(request: MemberRequest, pk: int) -> HttpResponse:
    """`preset` fills the form in at first. `start_with` another one keeps what was entered that isn't of the preset."""
    query_set = administered_query_set(request, pk)
    preset = request.POST.get("start_with") or request.GET.get("preset", QUICK)
    preset = preset if preset in LIST_PRESETS else QUICK
    values = LIST_PRESETS[preset].values
    if "start_with" in request.POST:
        form = ListForm(query_set=query_set, initial=request.POST.dict() | values)
    else:
        form = ListForm(request.POST or None, query_set=query_set, initial=values)
    if request.method == "POST" and form.is_valid():
        try:
            judgment_list = actions.create_list(query_set=query_set, user=request.user, **form.settings)
        except JudgmentsError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"Created {judgment_list}. Import judgments or add pairs next.")
            return redirect("list", judgment_list.pk)
    back = reverse("query-set-lists", args=[pk])
    context = {
        "form": form,
        "presets": LIST_PRESETS,
        "preset": preset,
        "query_set": query_set,
        "back": back,
        "trail": query_set_trail(query_set, ("Lists", back), "New list"),
    }
    return form_page(request, "judgments/lists/list_form.html", context, form.errors)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: MemberRequest, pk: int) -> HttpResponse:
    """Saves at once, unless open slots would change: then the page first says how many and asks."""
    judgment_list = administered_list(request, pk)
    current = copy(judgment_list)  # because the form changes its instance
    fixed = judgment_list.judgments.exists()
    form = ListForm(
        request.POST or None, instance=judgment_list, query_set=judgment_list.query_set, scale_fixed=fixed
    )
    effect = conflict = fresh = None
    if request.method == "POST" and form.is_valid():
        seen = request.POST.get("seen")
        raters = {name: form.settings[name] for name in ("scale", "overlap", "adaptive")}
        try:
            refuse_if_changed("judgment list", current, actions.settings_of(current), seen)
            effect = actions.effect_of(judgment_list=current, **raters, at=timezone.now())
            if effect is None or request.POST.get("confirmed") == effect.key:
                actions.change_list(judgment_list=current, **form.settings, seen_mark=seen)
                messages.success(request, "Saved.")
                return redirect("list", pk)
        except ChangedSinceError as error:
            conflict = error
            fresh = ListForm(instance=copy(error.current), query_set=current.query_set, scale_fixed=fixed)
        except JudgmentsError as error:
            form.add_error(None, str(error))
    context = list_page(current, "admin", "settings", "Settings") | {
        "form": form,
        "effect": effect if form.is_valid() and not conflict else None,
        "back": reverse("list", args=[pk]),
        "rule": rule_in_words(current),
    }
    now = actions.settings_of(conflict.current if conflict else current)
    input_ = {
        name: value for name, value in actions.settings_of(form.instance).items() if name in form.fields
    }
    context |= both_versions(request, form, now, conflict, input_, fresh)
    return form_page(request, "judgments/lists/list_form.html", context, form.errors, conflict)


@require_POST
def pause(request: MemberRequest, pk: int) -> HttpResponse:
    """Pauses the list with a note for raters, or resumes it with `paused=no`."""
    judgment_list = get_object_or_404(JudgmentList.objects.administered_by(request.user), pk=pk)
    form = PauseForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"Not paused. {' '.join(map(str, form.errors['note']))}")
        return redirect("list", pk)
    pausing = request.POST.get("paused") != "no"
    note = form.cleaned_data["note"]
    actions.set_paused(judgment_list=judgment_list, paused=pausing, user=request.user, note=note)
    notice = "is paused: raters get no further pairs." if pausing else "is open to raters again."
    messages.success(request, f"{judgment_list} {notice}")
    return redirect("list", pk)
