"""The effect of each rater on runs: a page, and its tables as CSV."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.effects.reports.rater_effect import (
    CHANGES,
    MOST_RUNS,
    TURNS,
    effect_of_raters,
    raters_at_once,
)
from evaluation.models import Run
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.views.scored_page import read_formula
from judgments.lists.views.versions import administered_list
from judgments.models import JudgmentList, Role
from judgments.pages.http import MemberRequest, csv_response
from judgments.pages.trails import list_page
from judgments.raters.reports.leave_one_out import RaterCount, raters_who_count
from touchstone_core.formats.columns import csv_rows, page_table
from touchstone_core.metrics.formula import Formula


@require_safe
def rater_effect(request: MemberRequest, pk: int) -> HttpResponseBase:
    """Leaves out each of the raters with the most judgments, of a long list fewer at once; `rater` names one.

    `?table=runs` and `?table=comparisons` are CSV.
    """
    judgment_list = administered_list(request, pk)
    formulas = read_formula(request, judgment_list)
    formula = formulas.formula if formulas.is_valid() else Formula()
    rater = request.GET.get("rater", "")
    found = rater_effects(judgment_list, formula, rater)
    effects = found["effects"]
    if table := request.GET.get("table", ""):
        if effects is None or table not in ("runs", "comparisons"):
            raise Http404
        rows = csv_rows(CHANGES, effects.changes) if table == "runs" else csv_rows(TURNS, effects.turns)
        return csv_response(rows, judgment_list.name, "raters", table)
    context = list_page(judgment_list, Role.ADMIN, "agreement", "Effect of raters on runs") | {
        **found,
        "formula": formula,
        "turns": page_table(TURNS, effects.turns) if effects else None,
    }
    return render(request, "evaluation/effects/rater_effect.html", context)


def rater_effects(judgment_list: JudgmentList, formula: Formula, rater: str) -> dict[str, Any]:
    """For the template: the `effects` on the newest runs of leaving out `one_rater`, if named, or some of `raters` in turn."""
    runs = list(Run.objects.filter(query_set=judgment_list.query_set_id).order_by("-pk")[:MOST_RUNS])
    raters = raters_who_count(judgment_list)
    one_rater = _rater(rater, raters)
    at_once = raters_at_once(sum(one.judgments for one in raters), len(runs))
    in_turn = [one_rater] if one_rater else raters[:at_once]
    bring_up_to_date(judgment_list=judgment_list, runs=runs, formula=formula)
    effects = effect_of_raters(judgment_list, runs, formula, in_turn) if runs and in_turn else None
    return {
        "effects": effects,
        "raters": [(one.rater_id, one.name) for one in raters],
        "one_rater": one_rater,
        "more": 0 if one_rater else len(raters) - len(in_turn),
        "most_runs": MOST_RUNS if len(runs) == MOST_RUNS else 0,
    }


def _rater(text: str, raters: Sequence[RaterCount]) -> RaterCount | None:
    return next((one for one in raters if str(one.rater_id) == text), None)
