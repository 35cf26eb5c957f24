"""Runs against a baseline: what changed, whether it is more than noise, where it comes from."""

from typing import Any, Final

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evaluation.comparisons.actions.comparing_errors import HeldOutClosedError, NothingToCompareError
from evaluation.comparisons.actions.comparing_jobs import BeingComparedError
from evaluation.comparisons.forms.run_choice import (
    BASELINE,
    CONFIRM,
    RUN,
    RUNS,
    choices_on,
    read_runs,
    runs_to_compare_at_once,
    sent_choice,
    unknown_measure,
    usual_baseline,
)
from evaluation.comparisons.views.comparison_request import (
    ComparisonRequest,
    comparison_context,
    named_saved_comparison,
    question_of,
)
from evaluation.models import Run
from evaluation.scores.views.scored_page import (
    canonical,
    list_context,
    read_address,
    render_page,
)
from judgments.pages.http import MemberRequest, is_already_shown, parameters_without
from judgments.pages.trails import list_trail
from touchstone_core.metrics.errors import MetricsError

TEMPLATE = "evaluation/comparisons/comparison.html"
UNCLEAR: Final = ("open", "unshown")
"""Kinds of verdicts that more grades could make clear."""


@require_safe
def comparison(request: MemberRequest, pk: int) -> HttpResponse:
    """Two to twenty runs under one formula; without runs in the URL, the choice of them."""
    if (runs_text := sent_choice(request.GET)) is not None:
        others = parameters_without(request, RUN, BASELINE, RUNS)
        return HttpResponseRedirect(f"{request.path}?{urlencode({RUNS: runs_text} | others)}")
    if request.GET.get("format") in ("csv", "json"):  # the report gives the same comparison as files
        return HttpResponseRedirect(f"{reverse('comparison-report', args=[pk])}?{request.GET.urlencode()}")
    judgment_list, versions, form = read_address(request, pk)
    if form.is_valid() and (redirect := canonical(request, form)):
        return redirect
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
    if form.is_valid() and (two_runs := runs_to_compare_at_once(request.GET, runs)):
        return HttpResponseRedirect(f"{request.path}?{urlencode({RUNS: two_runs} | request.GET.dict())}")
    choice = read_runs(request.GET, runs)
    context = list_context(
        request,
        judgment_list,
        form,
        versions,
        trail=list_trail(judgment_list, ("Compare", "")),
        tab="compare",
        runs=runs,
        choice=choice,
        usual_baseline=usual_baseline(runs),
        additions=choice.additions(runs),
        confirming=CONFIRM in request.GET,
        unknown_measure=unknown_measure(request.GET),
    )
    if not form.is_valid():
        return render_page(request, TEMPLATE, context, status=422)
    if choice.ready and not context["unknown_measure"]:
        question = question_of(request, judgment_list, versions, form, choice)
        context |= _answer(request, ComparisonRequest(judgment_list, versions, form, question))
        if "notice" in context and is_already_shown(request, context["notice"]):
            return HttpResponse(status=204)
    context["saved"] = named_saved_comparison(
        request, versions, form, choice.runs, judgment_list, context.get("state")
    )
    status = 422 if choice.problem or form.errors or context["unknown_measure"] else 200
    return render_page(request, TEMPLATE, context, status=status)


def _answer(request: MemberRequest, comparison: ComparisonRequest) -> dict[str, Any]:
    question = comparison.question
    context: dict[str, Any] = {
        "on": question.on,
        "choices_on": choices_on(question.formula.cutoff, question.measures),
        "heading": comparison.heading,
    }
    try:
        context |= comparison_context(request, comparison, earlier=True)
        kinds = {row["verdict"].kind for row in context["forest"]["rows"]}
        return context | {"unclear": not kinds.isdisjoint(UNCLEAR)}
    except HeldOutClosedError:
        return context | {"closed": True}
    except BeingComparedError as error:
        notice = f"compared-{'running' if error.running else 'waiting'}"
        return context | {"being_compared": error, "notice": notice}
    except NothingToCompareError as error:
        return context | {"nothing": str(error)}
    except MetricsError as error:
        comparison.form.add_error("measures", str(error))
        return context
