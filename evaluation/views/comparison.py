"""Runs against a baseline: what changed, whether it is more than noise, where it comes from."""

from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evaluation.actions.comparing import NothingToCompareError, Question, compare_runs, settings_of
from evaluation.forms.comparison import (
    BASELINE,
    CONFIRM,
    RUN,
    RUNS,
    RunChoice,
    choices_on,
    read_on,
    read_runs,
    sent_choice,
)
from evaluation.forms.formula import FormulaForm
from evaluation.metrics.errors import MetricsError
from evaluation.models import ComparisonLook, Run
from evaluation.reports.compared_query_rows import worst_losses
from evaluation.reports.comparison_page import comparison_page
from evaluation.reports.state import list_state
from evaluation.views.scored_page import (
    Versions,
    canonical,
    list_context,
    list_trail,
    read_formula,
    read_versions,
    render_page,
    visible_list,
)
from judgments.models import JudgmentList
from judgments.views.http import MemberRequest

TEMPLATE = "evaluation/comparison.html"


@require_safe
def comparison(request: MemberRequest, pk: int) -> HttpResponse:
    """Two to twenty runs under one formula; without runs in the URL, the choice of them."""
    if (chosen := sent_choice(request.GET)) is not None:
        sent = {RUN, BASELINE, RUNS}
        others = {key: str(value) for key, value in request.GET.items() if key not in sent}
        return HttpResponseRedirect(f"{request.path}?{urlencode({RUNS: chosen} | others)}")
    judgment_list = visible_list(request, pk)
    versions = read_versions(request, judgment_list)
    form = read_formula(request, judgment_list, versions.chosen)
    if form.is_valid() and (moved := canonical(request, form)):
        return moved
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
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
        confirming=CONFIRM in request.GET,
    )
    if not form.is_valid():
        return render_page(request, TEMPLATE, context, status=422)
    if choice.ready:
        context |= _answer(request, judgment_list, versions, form, choice)
    status = 422 if choice.problem or form.errors else 200
    return render_page(request, TEMPLATE, context, status=status)


def _answer(
    request: MemberRequest,
    judgment_list: JudgmentList,
    versions: Versions,
    form: FormulaForm,
    choice: RunChoice,
) -> dict[str, Any]:
    question = Question(
        judgment_list=judgment_list,
        version=versions.chosen,
        runs=choice.runs,
        formula=form.formula,
        on=read_on(request.GET, form.chosen.measures),
        measures=form.chosen.measures,
        confirming=CONFIRM in request.GET,
        settings=settings_of(judgment_list.query_set_id),
    )
    context: dict[str, Any] = {
        "on": question.on,
        "choices_on": choices_on(form.formula.cutoff, form.chosen.measures),
    }
    try:
        answer = compare_runs(question=question, user=request.user, at=timezone.now())
    except NothingToCompareError as error:
        return context | {"nothing": str(error)}
    except MetricsError as error:
        form.add_error("measures", str(error))
        return context
    looks = ComparisonLook.objects.filter(query_set=judgment_list.query_set_id).count()
    return context | {
        "comparison": comparison_page(
            choice.runs, question.on, dict(context["choices_on"])[question.on], answer.figures, looks
        ),
        "worst": worst_losses(choice.runs, answer.figures),
        "result": answer.result,
        "state": list_state(judgment_list, versions.chosen).of(answer.evaluations[0]),
    }
