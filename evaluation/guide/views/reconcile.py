"""One run under the formulas of other tools, and the formula behind a number."""

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
    """The presets at a cutoff, and with a number the formulas that give it, nearest first."""
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
    # Matches hits again where pairs have changed. The values themselves aren't used.
    bring_up_to_date(judgment_list=judgment_list, runs=[run], formula=Formula(), version=versions.chosen)
    cutoff, number = form.cleaned_data["k"], form.cleaned_data["number"]
    # Read before the values, which may then come from newer grades, never from older ones.
    state = list_state(judgment_list, versions.chosen)
    reconciliation = Reconciliation(*judged_runs_of(judgment_list, run, versions.chosen))
    answer = reconciliation.find(number, cutoff) if number and reconciliation.queries else None
    address, at = run_page[1], str(cutoff)
    context |= {
        "cutoff": cutoff,
        "state": state,
        "queries": reconciliation.queries,
        "presets": [
            (row, f"{address}?{urlencode(versions.parameters | {'choice': row.preset.key, 'k': at})}")
            for row in reconciliation.presets(cutoff, order_of(run))
        ],
        "answer": answer,
        "rows": [
            (row, [(candidate, _link(address, candidate, versions)) for candidate in row.candidates])
            for row in (answer.rows if answer else ())
        ],
    }
    return render(request, TEMPLATE, context)


def _link(address: str, candidate: Candidate, versions: Versions) -> str:
    """The run's page under this formula. Names the default, too, because the query set may have another one."""
    choice = candidate.chosen
    parameters = formula_parameters(choice.formula, choice.measures) or {"k": str(choice.formula.cutoff)}
    return f"{address}?{urlencode(versions.parameters | parameters)}"
