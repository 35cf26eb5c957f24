"""Another consensus rule: what it would change, before it does."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from evaluation.actions.scores import bring_up_to_date
from evaluation.metrics.formula import IDEALS, Formula
from evaluation.models import Run
from evaluation.reports.effect import Effect
from evaluation.reports.rule_effect import effect_on_runs
from evaluation.views.scored_page import read_formula
from judgments.actions.consensus import change_rule
from judgments.forms.rules import RuleForm
from judgments.models import JudgmentList
from judgments.reports.lists import rule_in_words
from judgments.reports.rules import RuleEffect, effect_of_rule
from judgments.views.http import MemberRequest
from judgments.views.trails import list_trail
from judgments.words import counted


def list_rule(request: MemberRequest, pk: int) -> HttpResponse:
    """With a rule in the URL, how many grades and which runs it would change; saves it when it is sent."""
    mine = JudgmentList.objects.administered_by(request.user).select_related("query_set", "scale")
    judgment_list = get_object_or_404(mine.prefetch_related("scale__grades"), pk=pk)
    now = {"rule": judgment_list.rule, "tie": judgment_list.tie}
    sent = request.POST if request.method == "POST" else request.GET
    form = RuleForm(sent if "rule" in sent else None, initial=now)
    if request.method == "POST" and form.is_valid():
        changed = change_rule(judgment_list=judgment_list, **form.cleaned_data)
        messages.success(request, f"Saved; {counted(changed, 'grade')} settled anew.")
        return redirect("list", pk)
    context = {
        "judgment_list": judgment_list,
        "form": form,
        "words": rule_in_words(judgment_list),
        "role": "admin",
        "tab": "settings",
        "trail": list_trail(judgment_list, "Consensus rule"),
    }
    if form.is_bound and form.is_valid():
        context |= _effects(request, judgment_list, form)
    return render(request, "evaluation/list_rule.html", context, status=422 if form.errors else 200)


def _effects(request: MemberRequest, judgment_list: JudgmentList, form: RuleForm) -> dict[str, object]:
    chosen = effect_of_rule(judgment_list, **form.cleaned_data)
    formulas = read_formula(request, judgment_list)
    formula = formulas.formula if formulas.is_valid() else Formula()
    effect = _on_runs(judgment_list, formula, chosen)
    return {
        "chosen": chosen,
        "effect": effect,
        "formula": formula,
        "ideals": IDEALS,
        "asked": form.cleaned_data,
    }


def _on_runs(judgment_list: JudgmentList, formula: Formula, chosen: RuleEffect) -> Effect:
    """The hits are matched anew where pairs have come or gone."""
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
    bring_up_to_date(judgment_list=judgment_list, runs=runs, formula=formula)
    return effect_on_runs(judgment_list, runs, formula, chosen.changes)
