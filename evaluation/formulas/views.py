"""The saved formulas of a query set: the list, and what people do with them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.base.errors import TooManyError
from evaluation.formulas import actions
from evaluation.formulas.forms import NameForm, SaveFormulaForm, formula_parameters
from evaluation.formulas.reports import names_of, saved_choice
from evaluation.models import SavedFormula
from judgments.base.names import NameTakenError
from judgments.content.reports.query_sets import role_in
from judgments.models import JudgmentList, QuerySet
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import MemberRequest, form_page, redirect_to_next
from judgments.pages.trails import query_set_page

TEMPLATE = "evaluation/formulas/saved_formulas.html"


@require_http_methods(["GET", "HEAD", "POST"])
def saved_formulas(request: MemberRequest, pk: int) -> HttpResponse:
    """Shows the query set's formulas. A POST saves one and returns to the page that it came from."""
    query_set = staffed_query_set(request, pk)
    if request.method != "POST":
        return _page(request, query_set, SaveFormulaForm())
    form = SaveFormulaForm(request.POST)
    if not form.is_valid():
        return _page(request, query_set, form)
    try:
        saved = actions.save_formula(
            query_set=query_set,
            name=form.cleaned_data["name"],
            chosen=form.chosen,
            is_default=form.cleaned_data["is_default"],
            user=request.user,
        )
    except (NameTakenError, TooManyError) as error:
        form.add_error("name", str(error))
        return _page(request, query_set, form)
    messages.success(request, f"Formula saved as “{saved}”.")
    return redirect_to_next(request, reverse("saved-formulas", args=[query_set.pk]))


@require_POST
def rename(request: MemberRequest, pk: int) -> HttpResponse:
    saved = _visible(request, pk)
    form = NameForm(request.POST, auto_id=f"id_{pk}_%s")
    if not form.is_valid():
        return _page(request, saved.query_set, SaveFormulaForm(), renaming=(pk, form))
    try:
        actions.rename_formula(saved=saved, name=form.cleaned_data["name"])
    except NameTakenError as error:
        form.add_error("name", str(error))
        return _page(request, saved.query_set, SaveFormulaForm(), renaming=(pk, form))
    messages.success(request, f"Formula renamed to “{saved}”.")
    return redirect("saved-formulas", saved.query_set_id)


@require_POST
def default(request: MemberRequest, pk: int) -> HttpResponse:
    """Makes it the query set's default, or with `end` no longer."""
    saved = _visible(request, pk)
    if request.POST.get("end"):
        actions.end_default(saved=saved)
        messages.success(request, "Pages start with the plain formula again: nDCG@10, as trec_eval.")
    else:
        actions.make_default(saved=saved)
        messages.success(request, f"Pages now start with “{saved}”.")
    return redirect("saved-formulas", saved.query_set_id)


@require_POST
def delete(request: MemberRequest, pk: int) -> HttpResponse:
    saved = _visible(request, pk)
    actions.delete_formula(saved=saved)
    messages.success(request, f"“{saved}” deleted. Links made with it keep working.")
    return redirect("saved-formulas", saved.query_set_id)


def _visible(request: MemberRequest, pk: int) -> SavedFormula:
    return get_object_or_404(SavedFormula.objects.visible_to(request.user).select_related("query_set"), pk=pk)


def _page(
    request: MemberRequest,
    query_set: QuerySet,
    form: SaveFormulaForm,
    *,
    renaming: tuple[int, NameForm] | None = None,
) -> HttpResponse:
    """`renaming` is the saved formula whose new name was refused, with its form."""
    formulas = SavedFormula.objects.filter(query_set=query_set).select_related("created_by").order_by("name")
    rows = [
        {
            "saved": saved,
            "chosen": chosen,
            "tools": names_of(chosen, ()).equal,
            "query": urlencode(formula_parameters(chosen.formula, chosen.measures) or {"k": "10"}),
            "name_form": renaming[1]
            if renaming and renaming[0] == saved.pk
            else NameForm(initial={"name": saved.name}, auto_id=f"id_{saved.pk}_%s"),
        }
        for saved, chosen in ((one, saved_choice(one)) for one in formulas)
    ]
    context = query_set_page(query_set, role_in(query_set, request.user), "formulas", "Formulas") | {
        "rows": rows,
        "form": form,
        "next": request.POST.get("next", ""),
        "first_list": JudgmentList.objects.filter(query_set=query_set).order_by("pk").first(),
    }
    return form_page(request, TEMPLATE, context, form.errors, renaming)
