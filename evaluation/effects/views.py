"""The pages on what another rule, each rater, or another version does to runs."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from evaluation.effects.reports.effects import (
    CHANGES,
    MOST_RUNS,
    TURNS,
    Effect,
    RaterEffects,
    effect,
    effect_of_raters,
    effect_on_runs,
    raters_at_once,
    stored_means,
)
from evaluation.effects.reports.machines import MACHINES, MachineOnRun, machines_on_runs
from evaluation.models import Run
from evaluation.scores.actions.scoring_jobs import score_or_ask
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.reports.state import LIVE
from evaluation.scores.views.scored_page import list_with_role, read_formula, role_in_list, waits_for_scores
from judgments.grades import reports
from judgments.grades.actions.consensus import change_rule
from judgments.grades.actions.model_fits import ask_for_fit
from judgments.grades.forms import RuleForm
from judgments.grades.reports import GradeEffect, effect_of_rule
from judgments.lists.reports.lists import rule_in_words
from judgments.lists.sql.versions import count_differences, read_differences
from judgments.models import JudgmentList, ModelFit, Role, Version
from judgments.pages.fetching import administered_list
from judgments.pages.http import MemberRequest, csv_response, form_page, is_already_shown, what_is_wrong
from judgments.pages.trails import list_page, list_trail
from judgments.raters.reports.leave_one_out import RaterCount, raters_who_count
from touchstone_core.formats.columns import csv_rows, page_table
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.grades.rules import MODEL_RULES
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.words import counted

PAGE = "evaluation/effects/list_rule.html"


@require_http_methods(["GET", "HEAD", "POST"])
@waits_for_scores
def list_rule(request: MemberRequest, pk: int) -> HttpResponse:
    """With a rule in the URL, how many grades and which runs it would change; saves it when it is sent.

    A rule that reads a model shows the model first, and what it would change once there is one. `action=fit` asks a
    worker for it.
    """
    judgment_list = administered_list(request, pk)
    of_model = any(rule in MODEL_RULES for rule in (_data(request).get("rule"), judgment_list.rule))
    state = reports.model_state(judgment_list, with_checksum=of_model)
    lacking = reports.reasons_against_models(judgment_list, state)
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
        model = reports.model_of(judgment_list, rule, state, now=timezone.now())
        context |= {
            "model": model,
            "habits": reports.habits(model),
            "settings": settings,
            "notice": _notice(model),
        }
        if model.busy and is_already_shown(request, _notice(model)):
            return HttpResponse(status=204)
    if valid and (model is None or (model.fit and not model.busy)):
        context |= rule_effects(judgment_list, form, usable_formula(request, judgment_list))
    template = f"{PAGE}#outcome" if request.htmx else PAGE
    return form_page(request, template, context, form.errors)


def _notice(model: reports.Model) -> str:
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


def rule_effects(judgment_list: JudgmentList, form: RuleForm, formula: Formula) -> dict[str, Any]:
    grade_effect = effect_of_rule(judgment_list, **form.cleaned_data)
    effect = _on_runs(judgment_list, formula, grade_effect)
    return {
        "grade_effect": grade_effect,
        "effect": effect,
        "formula": formula,
        "ideals": IDEALS,
        "settings": form.cleaned_data,
    }


def usable_formula(request: MemberRequest, judgment_list: JudgmentList) -> Formula:
    """The formula of the URL. Where it can't be used, the plain one, and the page says so."""
    form = read_formula(request, judgment_list)
    if form.is_valid():
        return form.formula
    if not request.htmx:  # a part of a page, which shows no messages
        messages.warning(request, f"{what_is_wrong(form)} So the plain formula is used.")
    return Formula()


def _on_runs(judgment_list: JudgmentList, formula: Formula, grade_effect: GradeEffect) -> Effect:
    """The hits are matched anew where pairs have come or gone."""
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
    score_or_ask(ScoringRequest(judgment_list, runs, formula))
    return effect_on_runs(judgment_list, runs, formula, grade_effect.changes)


@require_safe
@waits_for_scores
def rater_effect(request: MemberRequest, pk: int) -> HttpResponseBase:
    """Leaves out each of the raters with the most judgments, of a long list fewer at once; `rater` names one.

    `?table=runs`, `?table=comparisons` and `?table=machines` are CSV.
    """
    judgment_list = administered_list(request, pk)
    formula = usable_formula(request, judgment_list)
    rater = request.GET.get("rater", "")
    found = rater_effects(judgment_list, formula, rater)
    effects = found["effects"]
    if table := request.GET.get("table", ""):
        rows = _rater_rows(table, effects, found["machines"])
        return csv_response(rows, judgment_list.name, "raters", table, formula.key)
    context = list_page(judgment_list, Role.ADMIN, "agreement", "Effect of raters on runs") | {
        **found,
        "formula": formula,
        "by_machine": _by_machine(found["machines"]),
        "turns": page_table(TURNS, effects.turns) if effects else None,
    }
    return render(request, "evaluation/effects/rater_effect.html", context)


def _rater_rows(
    table: str, effects: RaterEffects | None, machines: Sequence[MachineOnRun]
) -> Iterator[Sequence[Cell]]:
    if table == "machines":
        return csv_rows(MACHINES, machines)
    if effects is None or table not in ("runs", "comparisons"):
        raise Http404
    return csv_rows(CHANGES, effects.changes) if table == "runs" else csv_rows(TURNS, effects.turns)


def _by_machine(rows: Sequence[MachineOnRun]) -> list[tuple[str, list[MachineOnRun]]]:
    return [(name, list(own)) for name, own in groupby(rows, key=attrgetter("machine"))]


def rater_effects(judgment_list: JudgmentList, formula: Formula, rater: str) -> dict[str, Any]:
    """For the template: the `effects` on the newest runs of leaving out `one_rater`, if named, or some of `raters` in turn."""
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("-pk")[:MOST_RUNS])
    raters = raters_who_count(judgment_list)
    one_rater = _rater(rater, raters)
    at_once = raters_at_once(sum(one.judgments for one in raters), len(runs))
    in_turn = [one_rater] if one_rater else raters[:at_once]
    score_or_ask(ScoringRequest(judgment_list, runs, formula))
    effects = effect_of_raters(judgment_list, runs, formula, in_turn) if runs and in_turn else None
    return {
        "effects": effects,
        "machines": machines_on_runs(
            judgment_list, [run for run, _ in effects.runs] if effects else runs, first=formula.cutoff
        ),
        "raters": [(one.rater_id, one.name) for one in raters],
        "one_rater": one_rater,
        "more": 0 if one_rater else len(raters) - len(in_turn),
        "most_runs": MOST_RUNS if len(runs) == MOST_RUNS else 0,
    }


def _rater(text: str, raters: Sequence[RaterCount]) -> RaterCount | None:
    return next((one for one in raters if str(one.rater_id) == text), None)


MOST_ROWS = 100
MOST_IN_FILE = 1_000_000


@require_safe
@waits_for_scores
def version_difference(request: MemberRequest, pk: int, number: int) -> HttpResponse | StreamingHttpResponse:
    """From the earlier of the version and what `to` names to the later: grades added, changed and removed; means of runs under both."""
    judgment_list = list_with_role(request, pk)
    version, other = two_versions(request, judgment_list, number)
    sides: dict[str, Any] = {"list_id": pk, "earlier": version.pk, "later": other and other.pk}
    if request.GET.get("format") == "csv":
        rows = read_differences(**sides, limit=MOST_IN_FILE)
        lines = [(row.query_id, row.document_id, row.before, row.after) for row in rows]
        header = ("query", "document", str(version), str(other or LIVE))
        return csv_response([header, *lines], judgment_list.name, version, "to", other or LIVE)
    formula = usable_formula(request, judgment_list)
    at = reverse("list-version", args=[pk, number])
    context = {
        "judgment_list": judgment_list,
        "version": version,
        "other": other,
        "counted": count_differences(**sides),
        "rows": read_differences(**sides, limit=MOST_ROWS),
        "effect": version_effect(judgment_list, version, other, formula),
        "formula": formula,
        "ideals": IDEALS,
        "role": role_in_list(request, judgment_list),
        "tab": "versions",
        "trail": list_trail(
            judgment_list,
            ("Versions", reverse("list-versions", args=[pk])),
            (f"Version {number}", at),
            "Difference",
        ),
    }
    return render(request, "evaluation/effects/version_difference.html", context)


def two_versions(
    request: MemberRequest, judgment_list: JudgmentList, number: int
) -> tuple[Version, Version | None]:
    """This version and what `to` names, the earlier first; None for the live list."""
    version, target = _version(judgment_list, str(number)), request.GET.get("to") or LIVE
    other = None if target == LIVE else _version(judgment_list, target)
    if other is not None and other.number < version.number:
        return other, version
    return version, other


def version_effect(
    judgment_list: JudgmentList, version: Version, other: Version | None, formula: Formula
) -> Effect:
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
    means = []
    for side in (version, other):
        score_or_ask(ScoringRequest(judgment_list, runs, formula, version=side))
        means.append(stored_means(judgment_list, runs, formula, side))
    return effect(runs, *means)


def _version(judgment_list: JudgmentList, number: str) -> Version:
    versions = judgment_list.versions.select_related("scale")
    version = get_object_or_404(
        versions, number=int(number) if number.isdecimal() and len(number) < 10 else 0
    )
    version.judgment_list = judgment_list
    if version.scale_id == judgment_list.scale_id:
        version.scale = judgment_list.scale
    return version
