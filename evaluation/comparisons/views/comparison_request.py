"""A comparison as an address asks for it, for the pages and forms that belong to one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from evaluation.comparisons.actions.comparing import Question, settings_of
from evaluation.comparisons.actions.comparing_errors import LaterError, NothingToCompareError
from evaluation.comparisons.actions.comparing_jobs import answer_or_ask
from evaluation.comparisons.forms.run_choice import (
    CONFIRM,
    INTENT,
    RUN,
    RUNS,
    RunChoice,
    choices_on,
    missing_measure,
    read_on,
    read_runs,
    unknown_measure,
)
from evaluation.comparisons.reports.comparison_charts import (
    forest,
    queries_with_causes,
    segment_plots,
    steps,
    unknown_words,
)
from evaluation.comparisons.reports.comparison_page import comparison_page
from evaluation.comparisons.reports.comparison_parts import pool_summary, segment_tables
from evaluation.comparisons.reports.comparison_tables import comparison_tables
from evaluation.comparisons.reports.deciding import outlooks
from evaluation.comparisons.reports.intents import comparison_intent, read_intents
from evaluation.comparisons.reports.looks import read_looks
from evaluation.comparisons.reports.saved_comparisons import SavedComparison, saved_comparison
from evaluation.formulas.forms import FormulaForm, formula_parameters
from evaluation.models import Comparison, Run
from evaluation.scores.reports.state import State, list_state
from evaluation.scores.views.scored_page import (
    VERSION,
    Versions,
    canonical,
    list_context,
    list_with_role,
    read_address,
    read_formula,
    read_versions,
)
from judgments.base.keys import key_in
from judgments.models import JudgmentList
from judgments.pages.http import MemberRequest, parameters_without
from judgments.pages.trails import list_trail
from touchstone_core.comparison.verdict import measure_text
from touchstone_core.metrics.direction import ranks_runs
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.left_out import no_gain_words
from touchstone_core.metrics.selection import write_measures

SAVED: Final = "saved"
OF_A_PAGE: Final = frozenset({"format", "q", "show", "tag", "among", "sort", "page", RUN})
"""Parameters of the part of a comparison that a page shows. All others say what is compared."""


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """A comparison that can be made."""

    judgment_list: JudgmentList
    versions: Versions
    form: FormulaForm
    question: Question

    @property
    def heading(self) -> str:
        return dict(choices_on(self.question.formula.cutoff, self.question.measures))[self.question.on]


def read_comparison_request(request: MemberRequest, pk: int) -> ComparisonRequest | HttpResponseRedirect:
    """What the address asks for; the way to the page of the comparison, which says what is wrong, where there is none."""
    judgment_list = list_with_role(request, pk)
    # No choice of versions stands on these pages, so that the list is asked for only where one is named.
    versions = read_versions(request, judgment_list) if request.GET.get(VERSION) else Versions([], None)
    form = read_formula(request, judgment_list, versions.chosen)
    return _read(request, judgment_list, versions, form) if form.is_valid() else to_comparison(request, pk)


def read_request_or_refuse(request: MemberRequest, pk: int) -> ComparisonRequest | HttpResponse:
    """The same for a page on which formula and version are chosen: it says itself what is wrong with a formula."""
    judgment_list, versions, form = read_address(request, pk)
    if not form.is_valid():
        return formula_refused(request, judgment_list, versions, form)
    return _read(request, judgment_list, versions, form)


def _read(
    request: MemberRequest, judgment_list: JudgmentList, versions: Versions, form: FormulaForm
) -> ComparisonRequest | HttpResponseRedirect:
    if request.method != "POST" and (redirect := canonical(request, form)):
        return redirect
    choice = read_runs(request.GET, Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
    if not choice.ready or unknown_measure(request.GET):
        return to_comparison(request, judgment_list.pk)
    return ComparisonRequest(
        judgment_list, versions, form, question_of(request, judgment_list, versions, form, choice)
    )


def formula_refused(
    request: MemberRequest, judgment_list: JudgmentList, versions: Versions, form: FormulaForm
) -> HttpResponse:
    """The choice of the formula alone, with what is wrong."""
    back = comparison_address(request, judgment_list.pk)
    context = list_context(
        request,
        judgment_list,
        form,
        versions,
        trail=list_trail(judgment_list, ("Compare", back), ("Queries", "")),
        tab="compare",
        whole_page=True,
    )
    return render(request, "evaluation/comparisons/compared_refused.html", context, status=422)


def question_of(
    request: MemberRequest,
    judgment_list: JudgmentList,
    versions: Versions,
    form: FormulaForm,
    choice: RunChoice,
) -> Question:
    """Of a valid form and a choice that is ready."""
    return Question(
        judgment_list=judgment_list,
        version=versions.chosen,
        runs=choice.runs,
        formula=form.formula,
        on=read_on(request.GET, form.chosen.measures),
        measures=form.chosen.measures,
        confirming=CONFIRM in request.GET,
        settings=settings_of(judgment_list.query_set),
    )


def comparison_context(
    request: MemberRequest,
    comparison: ComparisonRequest,
    *,
    earlier: bool = False,
    queries_each: int | None = None,
) -> dict[str, Any]:
    """What the page and the report show, which names so many queries of each run; `earlier` and what is raised as of
    `answer_or_ask`."""
    question = comparison.question
    answer = answer_or_ask(question=question, user=request.user, at=timezone.now(), earlier=earlier)
    of = comparison.judgment_list
    measure = measure_text(question.formula, question.on)
    looks, comparisons = read_looks(of, question.runs, measure, held_out=question.confirming)
    intents = read_intents(of.query_set, request.GET.get(INTENT))
    intent = None
    if intents.current:
        ranks = ranks_runs(question.on)
        intent = comparison_intent(intents.current, question.runs, answer.figures, ranks=ranks)
    page = comparison_page(
        question.runs,
        question.on,
        comparison.heading,
        answer.figures,
        looks,
        comparisons=comparisons,
    )
    figures, verdicts = page.figures, page.verdicts
    outlooks_by_run = {}
    if not question.version:
        outlooks_by_run = outlooks(question.runs, figures, question.formula, of.overlap)
    is_worthless = answer.evaluations[0].is_without_gain
    no_gain = no_gain_words(question.formula.zero_ndcg) if is_worthless else ""
    return {
        "missing_measure": missing_measure(request.GET, question.measures),
        "intents": intents,
        "intent_kept": parameters_without(request, INTENT),
        "intent": intent,
        "comparison": page,
        "tables": comparison_tables(page, question.formula, list(map(str, question.measures))),
        "segments": segment_tables(question.runs, figures),
        "pool": pool_summary(question.runs, figures),
        "outlooks": list(outlooks_by_run.values()),
        "forest": forest(question.runs, question.on, figures, verdicts, outlooks_by_run),
        "steps": steps(question.runs, figures, verdicts),
        "fixes": queries_with_causes(question.runs, figures, verdicts, question.formula, queries_each),
        "segment_plots": segment_plots(question.runs, figures, question.on),
        "no_gain": no_gain,
        "unknown": [no_gain] if no_gain else unknown_words(question.runs, figures, question.on),
        "result": answer.result,
        "outdated": answer.outdated,
        "state": list_state(comparison.judgment_list, question.version).of(answer.evaluations[0]),
    }


def comparison_address(request: MemberRequest, pk: int, **others: str) -> str:
    """The page of the comparison with what this address says of it, and with these beside it."""
    every = parameters_without(request, *OF_A_PAGE) | others
    parameters = {name: text for name, text in every.items() if text}
    page = reverse("comparison", args=[pk])
    return f"{page}?{urlencode(parameters)}" if parameters else page


def to_comparison(request: MemberRequest, pk: int, **others: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(comparison_address(request, pk, **others))


def not_compared(
    request: MemberRequest, pk: int, error: NothingToCompareError | MetricsError
) -> HttpResponseRedirect:
    """To the page of the comparison. It says itself what is wrong, but may show an answer where there is none for a moment."""
    if isinstance(error, LaterError):
        messages.info(request, str(error))
    return to_comparison(request, pk)


def saved_address(record: SavedComparison) -> str:
    """The page of the comparison that was saved, without the runs that are gone."""
    formula = formula_parameters(record.formula, record.measures) or {"k": "10"}
    parameters = formula | {
        RUNS: "-".join(str(run) for run in record.runs),
        "on": record.on,
        VERSION: str(record.comparison.version.number) if record.comparison.version else "",
        SAVED: str(record.comparison.pk),
    }
    parameters = {name: text for name, text in parameters.items() if text}
    return f"{reverse('comparison', args=[record.comparison.judgment_list_id])}?{urlencode(parameters)}"


def named_saved_comparison(
    request: MemberRequest,
    versions: Versions,
    form: FormulaForm,
    runs: Sequence[Run],
    judgment_list: JudgmentList,
    state: State | None,
) -> dict[str, Any] | None:
    """The saved comparison that the address names: `same` where the address still asks for what was saved.

    `state` is that of the grades where the page knows it already. One statement, and one without it.
    """
    key = key_in(request.GET.get(SAVED))
    if key is None:
        return None
    record = saved_comparison(
        Comparison.objects.filter(judgment_list=judgment_list, pk=key), state.revision if state else None
    )
    if record is None:
        return None
    current = (
        *(versions.chosen, form.formula.key, write_measures(form.measures), [run.pk for run in runs]),
        *(read_on(request.GET, form.measures), CONFIRM in request.GET),
    )
    saved = record.comparison
    stored = (saved.version, saved.formula, saved.measures, record.runs, record.on, False)
    return {"record": record, "address": saved_address(record), "same": current == stored}
