"""The saved formulas of a query set."""

from typing import Any

from django.shortcuts import get_object_or_404
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from evaluation.formulas import actions
from evaluation.formulas.forms import NameForm, SaveFormulaForm
from evaluation.formulas.reports import saved_choice
from evaluation.models import SavedFormula
from judgments.pages.calls import ApiRequest, Body, Page, PageQuery, form_data, page_answer, valid
from judgments.pages.fetching import staffed_query_set

router = Router()


class SavedFormulaIn(Body):
    name: str
    formula: str = Field(description="Its canonical text, as every answer with values has it.")
    measures: str = Field("", description="Further measures, such as “AP RR@10”.")
    is_default: bool = Field(False, description="Pages of the query set start with it.")


class SavedFormulaChange(Body):
    """What isn’t named stays."""

    name: str | None = None
    is_default: bool | None = None


class SavedFormulaOut(Schema):
    """`words` explain it. Calls choose it by `choice=own-` and its ID."""

    id: int
    name: str
    formula: str
    measures: str
    words: str
    is_default: bool

    @staticmethod
    def resolve_words(row: SavedFormula) -> str:
        return saved_choice(row).formula.words()


@router.get("query-sets/{int:pk}/formulas", response=Page[SavedFormulaOut], summary="List saved formulas")
def formulas(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    query_set = staffed_query_set(request, pk)
    return page_answer(request, SavedFormula.objects.filter(query_set=query_set), page)


@router.post("query-sets/{int:pk}/formulas", response={201: SavedFormulaOut}, summary="Save a formula")
def save_formula(request: ApiRequest, pk: int, body: SavedFormulaIn) -> Status[SavedFormula]:
    """The same formula under the same name is saved once."""
    query_set = staffed_query_set(request, pk)
    form = valid(SaveFormulaForm(form_data(body.dict())))
    saved = actions.save_formula(
        query_set=query_set,
        name=form.cleaned_data["name"],
        chosen=form.chosen,
        is_default=form.cleaned_data["is_default"],
        user=request.user,
    )
    return Status(201, saved)


@router.patch(
    "saved-formulas/{int:pk}", response=SavedFormulaOut, summary="Rename a formula, or make it the default"
)
def change_formula(request: ApiRequest, pk: int, body: SavedFormulaChange) -> SavedFormula:
    saved = _visible(request, pk)
    if body.name is not None and body.name != saved.name:
        actions.rename_formula(
            saved=saved, name=valid(NameForm(form_data({"name": body.name}))).cleaned_data["name"]
        )
    if body.is_default is not None and body.is_default != saved.is_default:
        (actions.make_default if body.is_default else actions.end_default)(saved=saved)
    return _visible(request, pk)


@router.delete("saved-formulas/{int:pk}", response={204: None}, summary="Delete a formula")
def delete_formula(request: ApiRequest, pk: int) -> Status[None]:
    """Links made with it keep working."""
    actions.delete_formula(saved=_visible(request, pk))
    return Status(204, None)


def _visible(request: ApiRequest, pk: int) -> SavedFormula:
    return get_object_or_404(SavedFormula.objects.visible_to(request.user), pk=pk)
