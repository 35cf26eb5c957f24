"""What the pages with values have in common: the formula in the URL, the part for htmx, the CSV."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.http import content_disposition_header, urlencode
from django.utils.text import slugify

from evaluation.forms.formula import CUTOFFS, DEFAULTS, FormulaForm, formula_parameters
from evaluation.reports.scales import scale_info
from judgments.formats.spreadsheet import Cell, csv_lines
from judgments.models import JudgmentList, Membership, Role
from judgments.views.http import MemberRequest


def visible_list(request: MemberRequest, pk: int) -> JudgmentList:
    """The list with query set, scale and grades, if this account may see its values."""
    lists = JudgmentList.objects.visible_to(request.user).select_related("query_set", "scale")
    return get_object_or_404(lists.prefetch_related("scale__grades"), pk=pk)


def read_formula(request: MemberRequest, judgment_list: JudgmentList) -> FormulaForm:
    return FormulaForm(request.GET, scale_info(judgment_list.scale))


def canonical(request: MemberRequest, form: FormulaForm) -> HttpResponseRedirect | None:
    """A redirect to the URL without the defaults that a browser's form wrote into it; None where there are none."""
    others = {name: str(value) for name, value in request.GET.items() if value and name not in DEFAULTS}
    wanted = others | formula_parameters(form.formula)
    if wanted == request.GET.dict():
        return None
    return HttpResponseRedirect(f"{request.path}?{urlencode(wanted)}" if wanted else request.path)


def formula_context(request: MemberRequest, form: FormulaForm) -> dict[str, Any]:
    """What parts/formula.html needs; `formula_query` follows the address of every page with the same formula."""
    kept = {name: value for name, value in request.GET.items() if name not in {*DEFAULTS, "page", "format"}}
    kept_formula = {name: value for name, value in request.GET.items() if name in {*DEFAULTS, "sort"}}
    context: dict[str, Any] = {"form": form, "cutoffs": CUTOFFS, "kept": kept, "kept_formula": kept_formula}
    if form.is_valid():
        context["formula"] = form.formula
        parameters = formula_parameters(form.formula)
        context["formula_query"] = f"?{urlencode(parameters)}" if parameters else ""
    return context


def render_page(
    request: MemberRequest, template: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """The page, or its part `scored` where htmx asks for it to be replaced."""
    part = request.htmx and not request.htmx.history_restore_request
    response = render(request, f"{template}#scored" if part else template, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def csv_response(rows: Iterable[Sequence[Cell]], *names: object) -> StreamingHttpResponse:
    """The rows, streamed, as a file that is called by what it holds."""
    response = StreamingHttpResponse(csv_lines(rows), content_type="text/csv; charset=utf-8")
    name = "_".join(slugify(str(name)) or "unnamed" for name in names)
    response["Content-Disposition"] = (
        content_disposition_header(as_attachment=True, filename=f"{name}.csv") or ""
    )
    return response


def list_trail(judgment_list: JudgmentList, *further: tuple[str, str]) -> list[dict[str, str]]:
    """The breadcrumb down to the run table and on; the last step has no address."""
    query_set = judgment_list.query_set
    steps = [
        ("Query sets", reverse("query-sets")),
        (query_set.name, reverse("query-set", args=[query_set.pk])),
        (judgment_list.name, reverse("list", args=[judgment_list.pk])),
        ("Runs", reverse("run-table", args=[judgment_list.pk])),
        *further,
    ]
    trail = [{"name": name, "url": url} for name, url in steps]
    del trail[-1]["url"]
    return trail


def list_context(
    request: MemberRequest, judgment_list: JudgmentList, form: FormulaForm, **others: Any
) -> dict[str, Any]:
    """What every page of runs under a list shows."""
    return formula_context(request, form) | {
        "judgment_list": judgment_list,
        "query_set": judgment_list.query_set,
        "tab": "runs",
        "role": role_in(request, judgment_list),
        **others,
    }


def role_in(request: MemberRequest, judgment_list: JudgmentList) -> str:
    """The role that the tabs of a list ask for."""
    if request.user.is_superuser:
        return Role.ADMIN
    membership = Membership.objects.filter(user=request.user, query_set=judgment_list.query_set_id)
    return membership.values_list("role", flat=True).first() or ""
