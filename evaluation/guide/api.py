"""Which formula gives a number of another tool."""

from typing import Any

from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from evaluation.guide.forms import PastedForm, ReconcileForm
from evaluation.guide.reports.formula_words import sentences
from evaluation.guide.reports.per_query import compare_queries
from evaluation.guide.reports.reconcile import order_of
from evaluation.guide.views.reconcile import queries_of, reconciliation_of
from evaluation.models import Run
from evaluation.scores.reports.state import list_state
from evaluation.scores.views.run import visible_run
from evaluation.scores.views.scored_page import list_with_role, read_versions
from judgments.models import JudgmentList, Version
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.calls import ApiRequest, Body, PendingOut, form_data, valid

router = Router()


class ReconcileQuery(Schema):
    k: int = Field(10, description="The cutoff.")
    number: str = Field(
        "", max_length=100, description="The number of the other tool, such as 0.645 or 64.5 %."
    )
    version: str | None = Field(None, description="A version of the list, such as 3.")


class ValuesIn(Body):
    values: str = Field(description="A query ID and a value on each line, or the output of trec_eval -q.")


class FormulaCandidate(Schema):
    """A formula and the mean that it gives. `tools` compute it this way."""

    name: str = Field(validation_alias="text")
    cutoff: int | None
    value: float
    tools: list[str] = Field(validation_alias="presets")


class PresetOut(Schema):
    """`notes` say why a value can’t be computed, or what is special about it."""

    name: str = Field(validation_alias="preset.name")
    value: float | None
    notes: list[str]


class OfState(Schema):
    """`list` names the state of the grades."""

    list: dict[str, Any]


class ReconcileOut(OfState):
    """`matches` formulas round to the number; the likeliest of them come first, then the nearest others. `words` say what the first one does."""

    queries: int
    presets: list[PresetOut]
    matches: int
    candidates: list[FormulaCandidate]
    words: list[str]


class DifferingQuery(Schema):
    query_id: str = Field(validation_alias="query.external_id")
    theirs: str
    ours: str


class ReconciledOut(OfState):
    """The formula that fits most queries, and the first ones on which it differs. Null where nothing can be compared."""

    candidate: FormulaCandidate | None
    agreeing: int
    compared: int
    differing: list[DifferingQuery]
    words: list[str]


PATH = "lists/{int:list_pk}/runs/{int:pk}/reconcile"


@router.get(PATH, response={200: ReconcileOut, 202: PendingOut}, summary="Find the formula behind a number")
def reconcile(request: ApiRequest, list_pk: int, pk: int, query: InQuery[ReconcileQuery]) -> dict[str, Any]:
    """The presets at the cutoff, and the formulas that give the number of another tool, the likeliest first."""
    run, version, state = _read(request, list_pk, pk)
    asked = valid(ReconcileForm(request.GET)).cleaned_data
    cutoff, number = asked["k"], asked["number"]
    found = reconciliation_of(run[0], run[1], version)
    answer = found.find(number, cutoff) if number and found.queries else None
    rows = answer.rows if answer else []
    return {
        "list": state,
        "queries": found.queries,
        "presets": found.presets(cutoff, order_of(run[1])) if found.queries else [],
        "matches": answer.matches if answer else 0,
        "candidates": [one for row in rows for one in row.candidates],
        "words": sentences(rows[0].candidates[0], found, cutoff) if rows else [],
    }


@router.post(PATH, response=ReconciledOut, summary="Find the formula behind the values of queries")
@in_archive_too
def reconcile_queries(
    request: ApiRequest, list_pk: int, pk: int, query: InQuery[ReconcileQuery], body: ValuesIn
) -> dict[str, Any]:
    """Nothing is stored."""
    run, version, state = _read(request, list_pk, pk)
    cutoff = valid(ReconcileForm(request.GET)).cleaned_data["k"]
    values = valid(PastedForm(form_data(body.dict()))).cleaned_data["values"]
    found = reconciliation_of(run[0], run[1], version)
    compared = compare_queries(values, found, queries_of(found), cutoff) if found.queries else None
    return {
        "list": state,
        "candidate": compared.candidate if compared else None,
        "agreeing": compared.agreeing if compared else 0,
        "compared": compared.compared if compared else 0,
        "differing": compared.differing if compared else [],
        "words": [*sentences(compared.candidate, found, cutoff), *compared.sentences] if compared else [],
    }


def _read(
    request: ApiRequest, list_pk: int, pk: int
) -> tuple[tuple[JudgmentList, Run], Version | None, dict[str, Any]]:
    """What is reconciled, and the state of the grades. The state is read before the values, which may then be newer."""
    judgment_list = list_with_role(request, list_pk)
    run = visible_run(request, judgment_list, pk)
    version = read_versions(request, judgment_list).chosen
    return (judgment_list, run), version, list_state(judgment_list, version).as_json
