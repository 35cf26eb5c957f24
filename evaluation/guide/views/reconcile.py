"""One run under every formula at once, and a number seen elsewhere found again."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evaluation.formulas.forms.formula import CUTOFFS, formula_parameters
from evaluation.guide.forms.reconcile import ReconcileForm
from evaluation.guide.reports.reconcile import Candidate, Reconciliation, order_of
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.reports.other_orders import judged_runs_of
from evaluation.scores.reports.state import list_state
from evaluation.scores.views.run import visible_run
from evaluation.scores.views.scored_page import Versions, list_trail, read_versions, role_in, visible_list
from judgments.pages.http import MemberRequest
from touchstone_core.metrics.formula import Formula

TEMPLATE = "evaluation/guide/reconcile.html"


@require_safe
def reconcile(request: MemberRequest, list_pk: int, pk: int) -> HttpResponse:
    """The presets at a cutoff; with a number, also the formulas that give it, nearest first."""
    judgment_list = visible_list(request, list_pk)
    run = visible_run(request, judgment_list, pk)
    versions = read_versions(request, judgment_list)
    form = ReconcileForm(request.GET)
    run_page = (run.name, reverse("run", args=[judgment_list.pk, run.pk]))
    context = {
        "judgment_list": judgment_list,
        "query_set": judgment_list.query_set,
        "run": run,
        "versions": versions.all,
        "version": versions.chosen,
        "form": form,
        "cutoffs": CUTOFFS,
        "tab": "runs",
        "role": role_in(request, judgment_list),
        "trail": list_trail(judgment_list, run_page, ("Reconcile", "")),
    }
    if not form.is_valid():
        return render(request, TEMPLATE, context, status=422)
    # The hits are matched anew where pairs have come or gone; the values themselves are not used.
    bring_up_to_date(judgment_list=judgment_list, runs=[run], formula=Formula(), version=versions.chosen)
    cutoff, seen = form.chosen
    state = list_state(
        judgment_list, versions.chosen
    )  # before the values, which may then rest on newer grades, never on older ones
    found = Reconciliation(*judged_runs_of(judgment_list, run, versions.chosen))
    answer = found.find(seen, cutoff) if seen and found.queries else None
    address, at = run_page[1], str(cutoff)
    context |= {
        "cutoff": cutoff,
        "state": state,
        "queries": found.queries,
        "presets": [
            (row, f"{address}?{urlencode(versions.parameters | {'choice': row.preset.key, 'k': at})}")
            for row in found.presets(cutoff, order_of(run))
        ],
        "answer": answer,
        "found": [
            (row, [(candidate, _link(address, candidate, versions)) for candidate in row.candidates])
            for row in (answer.rows if answer else ())
        ],
    }
    return render(request, TEMPLATE, context)


def _link(address: str, candidate: Candidate, versions: Versions) -> str:
    """The run's page under this formula. The default formula is named too: the query set may have another one."""
    chosen = candidate.chosen
    parameters = formula_parameters(chosen.formula, chosen.measures) or {"k": str(chosen.formula.cutoff)}
    return f"{address}?{urlencode(versions.parameters | parameters)}"
