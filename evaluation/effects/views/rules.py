"""Another consensus rule: what it would change, before it does."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from evaluation.effects.reports.effect import Effect
from evaluation.effects.reports.rule_effect import effect_on_runs
from evaluation.models import Run
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.views.scored_page import read_formula
from judgments.grades.actions.consensus import change_rule
from judgments.grades.actions.model_fits import ask_for_fit
from judgments.grades.forms import RuleForm
from judgments.grades.reports import model_fits
from judgments.grades.reports.rules import GradeEffect, effect_of_rule
from judgments.lists.reports.lists import rule_in_words
from judgments.lists.views.versions import administered_list
from judgments.models import JudgmentList, ModelFit
from judgments.pages.http import MemberRequest, stands_already
from judgments.pages.trails import list_page
from touchstone_core.grades.rules import MODEL_RULES
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.words import counted

PAGE = "evaluation/effects/list_rule.html"


@require_http_methods(["GET", "HEAD", "POST"])
def list_rule(request: MemberRequest, pk: int) -> HttpResponse:
    """With a rule in the URL, how many grades and which runs it would change; saves it when it is sent.

    A rule that reads a model shows the model first, and what it would change once there is one. `action=fit` asks a
    worker for it.
    """
    judgment_list = administered_list(request, pk)
    of_model = any(rule in MODEL_RULES for rule in (_data(request).get("rule"), judgment_list.rule))
    state = model_fits.model_state(judgment_list, with_checksum=of_model)
    lacking = model_fits.reasons_against_models(judgment_list, state)
    saves = request.method == "POST" and request.POST.get("action") != "fit"
    form = rule_form(judgment_list, _data(request), lacking, saves=saves)
    if request.method == "POST" and form.is_valid():
        return _do(request, judgment_list, form)
    valid = form.is_bound and form.is_valid()
    settings = form.cleaned_data if valid else {"rule": judgment_list.rule, "tie": judgment_list.tie}
    rule = settings["rule"]
    context = list_page(judgment_list, "admin", "settings", "Consensus rule") | {
        "form": form,
        "words": rule_in_words(judgment_list),
        "lacking": next(iter(lacking.values()), []) if len(lacking) == len(MODEL_RULES) else [],
    }
    model = None
    if rule in MODEL_RULES:
        model = model_fits.model_of(judgment_list, rule, state, now=timezone.now())
        context |= {
            "model": model,
            "habits": model_fits.habits(model),
            "settings": settings,
            "notice": _notice(model),
        }
        if model.busy and stands_already(request, _notice(model)):
            return HttpResponse(status=204)
    if valid and (model is None or (model.fit and not model.busy)):
        context |= rule_effects(request, judgment_list, form)
    template = f"{PAGE}#outcome" if request.htmx else PAGE
    return render(request, template, context, status=422 if form.errors else 200)


def _notice(model: model_fits.Model) -> str:
    """Another ID for another text."""
    work = model.work
    return f"model-{work.running}-{work.unattended}-{int(work.at.timestamp())}" if work else ""


def _data(request: MemberRequest) -> QueryDict:
    return request.POST if request.method == "POST" else request.GET


def rule_form(
    judgment_list: JudgmentList, data: QueryDict, lacking: dict[str, list[str]], *, saves: bool
) -> RuleForm:
    """A model that is to be saved must be computed, and better than plain rules."""
    fitted_models = (
        ModelFit.objects.filter(judgment_list=judgment_list, fitted_at__isnull=False) if saves else ()
    )
    fits = {fit.rule: fit.beats_plain for fit in fitted_models}
    return RuleForm(
        data if "rule" in data else None,
        initial={"rule": judgment_list.rule, "tie": judgment_list.tie},
        withheld=set(lacking) - {judgment_list.rule},
        fitted=set(fits) if saves else MODEL_RULES,
        worse={rule for rule, better in fits.items() if not better} - {judgment_list.rule},
    )


def _do(request: MemberRequest, judgment_list: JudgmentList, form: RuleForm) -> HttpResponse:
    settings = form.cleaned_data
    if request.POST.get("action") == "fit" and settings["rule"] in MODEL_RULES:
        ask_for_fit(judgment_list=judgment_list, rule=settings["rule"], at_once=True)
        return redirect(f"{reverse('list-rule', args=[judgment_list.pk])}?{urlencode(settings)}")
    count = change_rule(judgment_list=judgment_list, **settings)
    messages.success(request, f"Saved. {counted(count, 'grade')} recalculated.")
    return redirect("list", judgment_list.pk)


def rule_effects(request: MemberRequest, judgment_list: JudgmentList, form: RuleForm) -> dict[str, Any]:
    grade_effect = effect_of_rule(judgment_list, **form.cleaned_data)
    formulas = read_formula(request, judgment_list)
    formula = formulas.formula if formulas.is_valid() else Formula()
    effect = _on_runs(judgment_list, formula, grade_effect)
    return {
        "grade_effect": grade_effect,
        "effect": effect,
        "formula": formula,
        "ideals": IDEALS,
        "settings": form.cleaned_data,
    }


def _on_runs(judgment_list: JudgmentList, formula: Formula, grade_effect: GradeEffect) -> Effect:
    """The hits are matched anew where pairs have come or gone."""
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
    bring_up_to_date(judgment_list=judgment_list, runs=runs, formula=formula)
    return effect_on_runs(judgment_list, runs, formula, grade_effect.changes)
