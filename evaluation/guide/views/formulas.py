"""What every choice of a formula means, worked out on an example."""

from typing import Any

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evaluation.base.reports.scales import scale_info
from evaluation.formulas.forms.choices import CHOICE
from evaluation.formulas.forms.formula import CUTOFFS, SAYS_FORMULA, FormulaForm, formula_parameters
from evaluation.guide.forms.examples import ExampleForm
from evaluation.guide.reports import formulas as report
from evaluation.guide.reports.examples import ZOOLANDER, ZOOLANDER_FORMULA, Example, own_example, tie_example
from evaluation.scores.reports.state import list_state
from evaluation.scores.views.run import visible_run
from evaluation.scores.views.scored_page import canonical, visible_list
from judgments.content.reports.query_sets import may_create_query_set
from judgments.models import Query
from judgments.pages.http import MemberRequest
from touchstone_core.metrics import ties

TEMPLATE = "evaluation/guide/formulas.html"


@require_safe
def formulas(request: MemberRequest) -> HttpResponse:
    """For engineers and admins of any query set; with `list` and `query` it works out a query of theirs."""
    if not may_create_query_set(request.user):
        raise Http404
    example, context = _example(request)
    form = FormulaForm(_formula_data(request, own="query" in context), example.scale)
    context |= {
        "form": form,
        "cutoffs": CUTOFFS,
        "policies": report.policies(),
        "refuted": report.refuted(),
        "tie_example": tie_example(),
        "tie_words": ties.WORDS,
        "tie_source": ties.SOURCE,
        "parameters": report.parameters(),
        "kept": {name: request.GET[name] for name in ("list", "query", "run") if request.GET.get(name)},
    }
    if not form.is_valid():
        return render(request, TEMPLATE, context, status=422)
    if request.GET.get(CHOICE) and (moved := canonical(request, form)):
        return moved
    context["names"] = form.names
    page = report.FormulasPage(example, form.formula)
    return render(request, TEMPLATE, context | {"page": page, "formula": form.formula})


def _example(request: MemberRequest) -> tuple[Example, dict[str, Any]]:
    """The example with what the page says of it; 404 for a query that there is not, or not for this account."""
    form = ExampleForm(request.GET)
    if not form.is_valid():
        raise Http404
    chosen = form.cleaned_data
    if chosen["list"] is None and chosen["query"] is None:
        return ZOOLANDER, {"trail": [{"name": "Formulas"}]}
    judgment_list = visible_list(request, chosen["list"] or 0)
    query = get_object_or_404(Query, pk=chosen["query"] or 0, query_set=judgment_list.query_set_id)
    run = visible_run(request, judgment_list, chosen["run"]) if chosen["run"] is not None else None
    trail = [{"name": "Formulas", "url": reverse("formulas")}, {"name": str(query)}]
    context: dict[str, Any] = {"judgment_list": judgment_list, "query": query, "run": run, "trail": trail}
    context["state"] = list_state(judgment_list)
    example = own_example(judgment_list, query, run)
    if example is None:
        return Example({}, (), scale_info(judgment_list.scale), {}), context | {"ungraded": True}
    return example, context


def _formula_data(request: MemberRequest, *, own: bool) -> QueryDict:
    """The URL's choices; the page's own example starts at the formula under which it is easy to compute."""
    chosen = any(request.GET.get(name) for name in SAYS_FORMULA)
    start = QueryDict(urlencode(formula_parameters(ZOOLANDER_FORMULA)))
    return request.GET if own or chosen else start
