"""One run under every formula at once, and a number seen elsewhere found again."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.actions.scores import bring_up_to_date
from evaluation.forms.formula import CUTOFFS
from evaluation.forms.reconcile import ReconcileForm
from evaluation.metrics.formula import Formula
from evaluation.reports.reconcile import Reconciliation, judged_run_of, order_of
from evaluation.views.run import visible_run
from evaluation.views.scored_page import list_trail, role_in, visible_list
from judgments.views.http import MemberRequest

TEMPLATE = "evaluation/reconcile.html"


@require_safe
def reconcile(request: MemberRequest, list_pk: int, pk: int) -> HttpResponse:
    """The presets at a cutoff; with a number, also the formulas that give it, nearest first."""
    judgment_list = visible_list(request, list_pk)
    run = visible_run(request, judgment_list, pk)
    form = ReconcileForm(request.GET)
    run_page = (run.name, reverse("run", args=[judgment_list.pk, run.pk]))
    context = {
        "judgment_list": judgment_list,
        "query_set": judgment_list.query_set,
        "run": run,
        "form": form,
        "cutoffs": CUTOFFS,
        "tab": "runs",
        "role": role_in(request, judgment_list),
        "trail": list_trail(judgment_list, run_page, ("Reconcile", "")),
    }
    if not form.is_valid():
        return render(request, TEMPLATE, context, status=422)
    # The hits are matched anew where pairs have come or gone; the values themselves are not used.
    bring_up_to_date(judgment_list=judgment_list, runs=[run], formula=Formula())
    cutoff, seen = form.chosen
    found = Reconciliation(judged_run_of(judgment_list, run))
    context |= {
        "cutoff": cutoff,
        "queries": found.queries,
        "presets": found.presets(cutoff, order_of(run)),
        "answer": found.find(seen, cutoff) if seen and found.queries else None,
    }
    return render(request, TEMPLATE, context)
