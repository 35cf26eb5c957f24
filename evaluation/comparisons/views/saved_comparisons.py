"""Comparisons that a query set keeps by name: saved, listed, opened, annotated, deleted."""

from typing import Final

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.base.errors import TooManyError
from evaluation.comparisons.actions import comparisons as actions
from evaluation.comparisons.actions.comparing import Question, settings_of
from evaluation.comparisons.actions.comparing_errors import LaterError, NothingToCompareError
from evaluation.comparisons.actions.comparing_jobs import answer_or_ask
from evaluation.comparisons.forms.settings import SavedComparisonForm
from evaluation.comparisons.reports.saved_comparisons import (
    SavedComparison,
    saved_comparison,
    saved_comparisons,
)
from evaluation.comparisons.views.comparison_request import (
    ComparisonRequest,
    comparison_address,
    read_comparison_request,
    saved_address,
    to_comparison,
)
from evaluation.models import Comparison, Run
from judgments.base.errors import ChangedSinceError
from judgments.base.names import NameTakenError
from judgments.content.reports.query_sets import role_in
from judgments.content.views.edit_conflicts import both_versions
from judgments.pages.archive_guard import to_change
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import list_trail, query_set_page, query_set_trail
from touchstone_core.metrics.errors import MetricsError

NOT_KEPT: Final = "What the held-out queries say is not kept by name: save what the others say."


@require_safe
def comparisons(request: MemberRequest, pk: int) -> HttpResponse:
    """All of a query set, with what they said when they were saved."""
    query_set = staffed_query_set(request, pk)
    context = query_set_page(query_set, role_in(query_set, request.user), "comparisons", "Comparisons") | {
        "rows": saved_comparisons(query_set),
        "first_list": query_set.judgment_lists.order_by("pk").first(),
    }
    return render(request, "evaluation/comparisons/comparisons.html", context)


@require_safe
def comparison(request: MemberRequest, pk: int) -> HttpResponse:
    """The link that people share: leads to the page with what was saved."""
    return HttpResponseRedirect(saved_address(visible_comparison(request, pk)))


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def save(request: MemberRequest, pk: int) -> HttpResponse:
    """Keeps the comparison of the address under a name."""
    comparison = read_comparison_request(request, pk)
    if isinstance(comparison, HttpResponseRedirect):
        return comparison
    if comparison.question.confirming:
        messages.info(request, NOT_KEPT)
        return to_comparison(request, pk)
    form = SavedComparisonForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return _form(request, comparison, form)
    try:
        answer = answer_or_ask(question=comparison.question, user=request.user, at=timezone.now())
        saved = actions.save_comparison(
            question=comparison.question,
            answer=answer,
            **form.cleaned_data,
            user=request.user,
            at=timezone.now(),
        )
    except LaterError as error:
        form.add_error(None, str(error))
        return _form(request, comparison, form)
    except (NothingToCompareError, MetricsError):
        return to_comparison(request, pk)
    except (NameTakenError, TooManyError) as error:
        form.add_error("name", str(error))
        return _form(request, comparison, form)
    messages.success(request, f"The comparison is saved as “{saved}”. Its address can be shared.")
    return redirect("saved-comparison", saved.pk)


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: MemberRequest, pk: int) -> HttpResponse:
    """Another name, other notes."""
    record = visible_comparison(request, pk)
    saved = record.comparison
    now, conflict, fresh = actions.comparison_details(saved), None, None
    form = SavedComparisonForm(request.POST or None, initial=now)
    if request.method == "POST" and form.is_valid():
        try:
            actions.change_comparison(
                saved=saved, **form.cleaned_data, at=timezone.now(), seen_mark=request.POST.get("seen")
            )
        except ChangedSinceError as error:
            conflict, now = error, actions.comparison_details(error.current)
            fresh = SavedComparisonForm(initial=now)
        except NameTakenError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"“{saved}” is changed.")
            return redirect("comparisons", saved.query_set_id)
    context = {
        "saved": saved,
        "form": form,
        "back": saved_address(record),
        "trail": query_set_trail(saved.query_set, "Comparisons"),
        "title": f"Change “{saved}”",
    }
    context |= both_versions(request, form, now, conflict, form.cleaned_data if conflict else None, fresh)
    return form_page(request, "evaluation/comparisons/comparison_edit.html", context, form.errors, conflict)


@require_POST
def renew(request: MemberRequest, pk: int) -> HttpResponse:
    """Keeps what the comparison says now beside what it said before."""
    record = visible_comparison(request, pk)
    saved, address = record.comparison, saved_address(record)
    if not record.renewable:
        messages.info(request, f"“{saved}” is unchanged, so there is nothing to renew.")
        return HttpResponseRedirect(address)
    question = saved_question(record)
    try:
        answer = answer_or_ask(question=question, user=request.user, at=timezone.now())
        actions.renew_comparison(saved=saved, question=question, answer=answer, at=timezone.now())
    except (NothingToCompareError, MetricsError) as error:
        messages.warning(request, f"Not renewed. {error}")
    else:
        messages.success(
            request, f"“{saved}” says what it comes to now. What it said before is kept below its name."
        )
    return HttpResponseRedirect(address)


@require_POST
def delete(request: MemberRequest, pk: int) -> HttpResponse:
    saved = visible_comparison(request, pk).comparison
    actions.delete_comparison(saved=saved)
    messages.success(request, f"“{saved}” is deleted. Its runs and grades stay.")
    return redirect("comparisons", saved.query_set_id)


def saved_question(record: SavedComparison) -> Question:
    """What it asks today."""
    saved, runs = record.comparison, Run.objects.in_bulk(record.runs)
    return Question(
        judgment_list=saved.judgment_list,
        version=saved.version,
        runs=tuple(runs[run] for run in record.runs),
        formula=record.formula,
        on=record.on,
        measures=record.measures,
        settings=settings_of(saved.query_set),
    )


def visible_comparison(request: MemberRequest, pk: int) -> SavedComparison:
    record = saved_comparison(Comparison.objects.visible_to(request.user).filter(pk=pk))
    if record is None:
        raise Http404
    return record


def _form(request: MemberRequest, comparison: ComparisonRequest, form: SavedComparisonForm) -> HttpResponse:
    context = {
        "form": form,
        "comparison": comparison,
        "back": comparison_address(request, comparison.judgment_list.pk),
        "trail": list_trail(
            comparison.judgment_list,
            ("Compare", comparison_address(request, comparison.judgment_list.pk)),
            ("Save", ""),
        ),
        "title": "Save this comparison",
    }
    return form_page(request, "evaluation/comparisons/comparison_edit.html", context, form.errors)
