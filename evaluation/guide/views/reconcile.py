"""One run under the formulas of other tools, and the formula behind a number."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from evaluation.formulas.forms import formula_parameters
from evaluation.formulas.reports import CUTOFFS
from evaluation.guide.forms import PastedForm, ReconcileForm
from evaluation.guide.reports.formula_words import sentences
from evaluation.guide.reports.per_query import compare_queries
from evaluation.guide.reports.reconcile import Candidate, Reconciliation, order_of
from evaluation.models import Run
from evaluation.scores.actions.scoring_jobs import score_or_ask
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.reports.other_orders import judged_runs_of
from evaluation.scores.reports.state import list_state
from evaluation.scores.views.run import visible_run
from evaluation.scores.views.scored_page import (
    Versions,
    list_with_role,
    read_versions,
    role_in_list,
    runs_trail,
    waits_for_scores,
)
from judgments.models import JudgmentList, Query, Version
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.http import MemberRequest
from touchstone_core.metrics.formula import Formula

TEMPLATE = "evaluation/guide/reconcile.html"


@require_http_methods(["GET", "HEAD", "POST"])
@in_archive_too
@waits_for_scores
def reconcile(request: MemberRequest, list_pk: int, pk: int) -> HttpResponse:
    """The presets at a cutoff, and with a number the formulas that give it, likeliest first.

    Values of single queries come by POST, because an address can't hold them. They change nothing.
    """
    judgment_list = list_with_role(request, list_pk)
    run = visible_run(request, judgment_list, pk)
    versions = read_versions(request, judgment_list)
    form = ReconcileForm(request.GET)
    pasting = PastedForm(request.POST if request.method == "POST" else None)
    run_page = (run.name, reverse("run", args=[judgment_list.pk, run.pk]))
    context = {
        "judgment_list": judgment_list,
        "query_set": judgment_list.query_set,
        "run": run,
        "versions": versions.all,
        "version": versions.chosen,
        "form": form,
        "pasting": pasting,
        "cutoffs": CUTOFFS,
        "tab": "runs",
        "role": role_in_list(request, judgment_list),
        "trail": runs_trail(judgment_list, run_page, ("Reconcile", "")),
    }
    if not form.is_valid() or (pasting.is_bound and not pasting.is_valid()):
        return render(request, TEMPLATE, context, status=422)
    cutoff, number = form.cleaned_data["k"], form.cleaned_data["number"]
    # Read before the values, which may then come from newer grades, never from older ones.
    state = list_state(judgment_list, versions.chosen)
    reconciliation = reconciliation_of(judgment_list, run, versions.chosen)
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
    if answer and answer.rows:
        context["words"] = sentences(answer.rows[0].candidates[0], reconciliation, cutoff)
    if pasting.is_bound and reconciliation.queries:
        values = pasting.cleaned_data["values"]
        compared = compare_queries(values, reconciliation, queries_of(reconciliation), cutoff)
        context["compared"] = compared
        context["nothing_compared"] = compared is None
        if compared:
            context["compared_words"] = sentences(compared.candidate, reconciliation, cutoff)
            context["compared_link"] = _link(address, compared.candidate, versions)
            context["compared_query"] = _parameters(compared.candidate, versions)
    return render(request, TEMPLATE, context)


def reconciliation_of(judgment_list: JudgmentList, run: Run, version: Version | None) -> Reconciliation:
    """Matches hits again where pairs have changed. Raises BeingScoredError while a worker does it."""
    score_or_ask(ScoringRequest(judgment_list, [run], Formula(), version=version))
    return Reconciliation(*judged_runs_of(judgment_list, run, version))


def queries_of(reconciliation: Reconciliation) -> list[Query]:
    """In its order."""
    queries = Query.objects.only("external_id", "text").in_bulk(reconciliation.query_ids)
    return [queries[key] for key in reconciliation.query_ids]


def _link(address: str, candidate: Candidate, versions: Versions) -> str:
    """The run's page under this formula. Names the default, too, because the query set may have another one."""
    return f"{address}?{_parameters(candidate, versions)}"


def _parameters(candidate: Candidate, versions: Versions) -> str:
    choice = candidate.chosen
    parameters = formula_parameters(choice.formula, choice.measures) or {"k": str(choice.formula.cutoff)}
    return urlencode(versions.parameters | parameters)
