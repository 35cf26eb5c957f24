"""Explains every choice of a formula with an example."""

from typing import Any, Final, NamedTuple

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evaluation.base.reports import scale_info
from evaluation.formulas.forms import CHOICE, SAYS_FORMULA, FormulaForm, formula_parameters
from evaluation.formulas.reports import CUTOFFS
from evaluation.guide.forms import ExampleForm
from evaluation.guide.reports import formulas as report
from evaluation.guide.reports.examples import ZOOLANDER, ZOOLANDER_FORMULA, Example, own_example, tie_example
from evaluation.scores.reports.state import list_state
from evaluation.scores.views.run import visible_run
from evaluation.scores.views.scored_page import canonical, list_with_role
from judgments.content.views.query_sets import staff_only
from judgments.models import Query
from judgments.pages.http import MemberRequest
from touchstone_core.metrics import ties
from touchstone_core.metrics.parameters import PARAMETERS

KEPT: Final = ("list", "query", "run", "chapter")
TEMPLATE = "evaluation/guide/formulas.html"


class Chapter(NamedTuple):
    """One screen of the page. Those `of_example` work out the example under the formula of the address."""

    key: str
    title: str
    note: str
    of_example: bool = True

    @property
    def template(self) -> str:
        return f"evaluation/guide/chapters/{self.key}.html"


CHAPTERS: Final = (
    Chapter("ideals", "Four ideals", "the same DCG, divided by four different bests", of_example=False),
    Chapter("sums", "Worked out", "the example under the four ideals"),
    Chapter("dcg", "DCG", "gains times discounts, added up"),
    Chapter("gains", "Gains", "what a grade is worth"),
    Chapter("discounts", "Discounts", "what is left of the gain at a rank"),
    Chapter(
        "policies",
        "Policies",
        "what happens where there’s nothing to compute; on the zoolander example",
        of_example=False,
    ),
    Chapter("ties", "Ties", "equal retrieval scores; on the zoolander example, cutoff 2", of_example=False),
    Chapter("presets", "Presets", "what each tool calls NDCG, and the example under it"),
    Chapter("claims", "Wrong claims", "often written, each with a counterexample", of_example=False),
    Chapter("measures", "Measures", "all of them, with the value of the example"),
)


@require_safe
def formulas(request: MemberRequest) -> HttpResponse:
    """A chapter, for engineers and admins of any query set. With `list` and `query` the example is one of their queries."""
    staff_only(request)
    example, context = _example(request)
    form = FormulaForm(_formula_data(request, own="query" in context), example.scale)
    place = _chapter(request, "sums" if "query" in context else "ideals")
    context |= {
        "form": form,
        "chapters": CHAPTERS,
        "chapter": CHAPTERS[place],
        "next": CHAPTERS[place + 1] if place + 1 < len(CHAPTERS) else None,
        "cutoffs": CUTOFFS,
        # Templates call these in their own chapters only.
        "policies": report.policies,
        "claims": report.wrong_claims,
        "tie_example": tie_example,
        "tie_words": ties.WORDS,
        "tie_source": ties.SOURCE,
        "parameters": PARAMETERS.values(),
        "kept": {name: request.GET[name] for name in KEPT if request.GET.get(name)},
    }
    if not form.is_valid():
        return render(request, TEMPLATE, context, status=422)
    if request.GET.get(CHOICE) and (redirect := canonical(request, form)):
        return redirect
    context["names"] = form.names
    page = report.FormulasPage(example, form.formula)
    return render(request, TEMPLATE, context | {"page": page, "formula": form.formula})


def _chapter(request: MemberRequest, default: str) -> int:
    """Its place in the chapters; raises Http404 for an unknown one."""
    key = request.GET.get("chapter", default)
    place = next((place for place, chapter in enumerate(CHAPTERS) if chapter.key == key), None)
    if place is None:
        raise Http404
    return place


def _example(request: MemberRequest) -> tuple[Example, dict[str, Any]]:
    """The example, and its context for the page. Raises Http404 for a query that this account can't see."""
    form = ExampleForm(request.GET)
    if not form.is_valid():
        raise Http404
    keys = form.cleaned_data
    if keys["list"] is None and keys["query"] is None:
        return ZOOLANDER, {}
    judgment_list = list_with_role(request, keys["list"] or 0)
    query = get_object_or_404(Query, pk=keys["query"] or 0, query_set=judgment_list.query_set_id)
    run = visible_run(request, judgment_list, keys["run"]) if keys["run"] is not None else None
    trail = [{"name": "Formulas", "url": reverse("formulas")}, {"name": str(query)}]
    context: dict[str, Any] = {"judgment_list": judgment_list, "query": query, "run": run, "trail": trail}
    context["state"] = list_state(judgment_list)
    example = own_example(judgment_list, query, run)
    if example is None:
        return Example({}, (), scale_info(judgment_list.scale), {}), context | {"ungraded": True}
    return example, context


def _formula_data(request: MemberRequest, *, own: bool) -> QueryDict:
    """The URL's choices, or for the built-in example a formula that is easy to compute by hand."""
    if own or any(request.GET.get(name) for name in SAYS_FORMULA):
        return request.GET
    return QueryDict(urlencode(formula_parameters(ZOOLANDER_FORMULA)))
