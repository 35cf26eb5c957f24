"""What another consensus rule, another version, or leaving out a rater does to grades and runs."""

from typing import Annotated, Any

from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from evaluation.effects.reports.effects import CHANGES, TURNS, Effect
from evaluation.effects.reports.machines import MACHINES
from evaluation.effects.views import (
    rater_effects,
    rule_effects,
    rule_form,
    two_versions,
    version_effect,
)
from evaluation.scores.api import FormulaQuery
from evaluation.scores.views.scored_page import list_with_role, read_formula
from judgments.grades import reports
from judgments.grades.actions.consensus import change_rule as change
from judgments.grades.actions.model_fits import ask_for_fit
from judgments.grades.forms import RuleForm
from judgments.grades.reports import GradeEffect
from judgments.lists.reports.lists import rule_in_words
from judgments.lists.sql.versions import count_differences, read_differences
from judgments.models import JudgmentList
from judgments.pages.calls import ApiRequest, Body, PendingOut, form_data, valid
from judgments.pages.fetching import administered_list
from judgments.pages.problems import Problem
from touchstone_core.formats.columns import json_records
from touchstone_core.grades.rules import MODEL_RULES
from touchstone_core.metrics.formula import IDEALS

router = Router()
RULE = "How several judgments of a pair become one grade, such as median."
TIE = "What a median or a majority does between two grades, such as lower."
MOST_ROWS = 10_000


class RuleIn(Schema):
    rule: str = Field(description=RULE)
    tie: str = Field(description=TIE)


class RuleChange(Body, RuleIn):
    """The same as a body."""


class RuleOut(Schema):
    """`changed` says how many grades were worked out anew."""

    rule: str
    tie: str
    words: str
    changed: int


class RunEffect(Schema):
    """The mean NDCG of a run before and after, by ideal."""

    run_id: int
    run: str
    before: dict[str, float | None]
    after: dict[str, float | None]


class Effects(Schema):
    """`flips`: so many pairs of runs change their order by NDCG-global."""

    runs: list[RunEffect]
    changed_runs: int
    flips: int


class GradeCounts(Schema):
    added: int
    changed: int
    removed: int
    queries: int = Field(description="In so many queries.")


class RuleEffectOut(Effects):
    grades: GradeCounts
    examples: list[str]


class ModelOut(Schema):
    """`lacking` says why the model isn’t offered. Only a model that predicts better than plain rules can be chosen."""

    state: str
    lacking: list[str]
    better: bool
    stale: bool
    error: str


class ModelIn(Body):
    rule: str = Field(description=f"One of: {', '.join(MODEL_RULES)}.")


class DifferenceQuery(FormulaQuery):
    to: str = Field("live", description="Another version, such as 3, or live.", max_length=20)
    limit: Annotated[int, Field(ge=0, le=MOST_ROWS, description="At most so many grades.")] = 100


class GradeDifference(Schema):
    """`before` is null for a grade that was added, and `after` for one that was removed."""

    query_id: str
    query: str
    document_id: str
    title: str
    before: float | None
    after: float | None


class DifferenceOut(Effects):
    earlier: str
    later: str
    grades: GradeCounts
    differences: list[GradeDifference]


class RaterEffectQuery(FormulaQuery):
    rater: str = Field(
        "", description="The ID of one rater. If empty: those with the most judgments.", max_length=20
    )


class RaterEffectOut(Schema):
    """Each row with the names of the CSV file of the page."""

    runs: list[dict[str, Any]]
    comparisons: list[dict[str, Any]]
    machines: list[dict[str, Any]] = Field(
        description="How much higher machines grade than people, on the first documents of each run."
    )


@router.get(
    "lists/{int:pk}/rule-preview",
    response={200: RuleEffectOut, 202: PendingOut},
    summary="Preview another consensus rule",
)
def preview_rule(
    request: ApiRequest, pk: int, query: InQuery[RuleIn], formula: InQuery[FormulaQuery]
) -> dict[str, Any]:
    """For admins. What it would change about grades and runs. Nothing is stored."""
    judgment_list = administered_list(request, pk)
    chosen = valid(read_formula(request, judgment_list)).formula
    found = rule_effects(judgment_list, _rule_form(judgment_list, query), chosen)
    grades, effect = found["grade_effect"], found["effect"]
    return _effects(effect) | {"grades": _counts(grades), "examples": grades.examples}


@router.put("lists/{int:pk}/rule", response=RuleOut, summary="Change the consensus rule")
def change_rule(request: ApiRequest, pk: int, body: RuleChange) -> dict[str, Any]:
    """For admins. Every grade of the list follows it. Versions stay as they are."""
    judgment_list = administered_list(request, pk)
    settings = _rule_form(judgment_list, body).cleaned_data
    changed = change(judgment_list=judgment_list, **settings)
    return settings | {"words": rule_in_words(administered_list(request, pk)), "changed": changed}


@router.get("lists/{int:pk}/model", response=ModelOut, summary="Read a model of raters")
def read_model(request: ApiRequest, pk: int, query: InQuery[ModelIn]) -> dict[str, Any]:
    """For admins. Whether the model of a rule was computed, and whether the list may use it."""
    return _model(administered_list(request, pk), query.rule)


@router.post("lists/{int:pk}/model", response={202: ModelOut}, summary="Compute a model of raters")
def compute_model(request: ApiRequest, pk: int, body: ModelIn) -> Status[dict[str, Any]]:
    """For admins. A worker does it: ask with the same address until `state` is computed."""
    judgment_list = administered_list(request, pk)
    if lacking := _model(judgment_list, body.rule)["lacking"]:
        raise Problem(422, " ".join(lacking))
    ask_for_fit(judgment_list=judgment_list, rule=body.rule, at_once=True)
    return Status(202, _model(judgment_list, body.rule))


@router.get(
    "lists/{int:pk}/versions/{int:number}/difference",
    response={200: DifferenceOut, 202: PendingOut},
    summary="Compare two versions, or a version with the list as it is now",
)
def version_difference(
    request: ApiRequest, pk: int, number: int, query: InQuery[DifferenceQuery]
) -> dict[str, Any]:
    """The greatest differences first, and the means of all runs under both."""
    judgment_list = list_with_role(request, pk)
    version, other = two_versions(request, judgment_list, number)
    form = valid(read_formula(request, judgment_list))
    sides: dict[str, Any] = {"list_id": pk, "earlier": version.pk, "later": other and other.pk}
    differences = read_differences(**sides, limit=query.limit)
    named = {"earlier": str(version), "later": str(other) if other else "the list as it is now"}
    effect = version_effect(judgment_list, version, other, form.formula)
    return named | _effects(effect) | {"grades": count_differences(**sides), "differences": differences}


@router.get(
    "lists/{int:pk}/rater-effect",
    response={200: RaterEffectOut, 202: PendingOut},
    summary="What leaving out a rater does to runs",
)
def rater_effect(request: ApiRequest, pk: int, query: InQuery[RaterEffectQuery]) -> dict[str, Any]:
    """For admins. Each of the raters with the most judgments is left out in turn. Nothing is stored."""
    judgment_list = administered_list(request, pk)
    formula = valid(read_formula(request, judgment_list)).formula
    found = rater_effects(judgment_list, formula, query.rater)
    effects = found["effects"]
    return {
        "runs": json_records(CHANGES, effects.changes if effects else []),
        "comparisons": json_records(TURNS, effects.turns if effects else []),
        "machines": json_records(MACHINES, found["machines"]),
    }


def _rule_form(judgment_list: JudgmentList, values: RuleIn) -> RuleForm:
    state = reports.model_state(judgment_list, with_checksum=False)
    lacking = reports.reasons_against_models(judgment_list, state)
    return valid(rule_form(judgment_list, form_data(values.dict()), lacking, saves=True))


def _model(judgment_list: JudgmentList, rule: str) -> dict[str, Any]:
    if rule not in MODEL_RULES:
        raise Problem(422, f"Unknown model “{rule}”. Choose one of: {', '.join(MODEL_RULES)}.")
    state = reports.model_state(judgment_list)
    model = reports.model_of(judgment_list, rule, state, now=timezone.now())
    waits = "running" if model.work and model.work.running else "waiting" if model.work else ""
    return {
        "state": waits or ("computed" if model.fit else "none"),
        "lacking": model.lacking,
        "better": model.usable,
        "stale": model.stale,
        "error": model.error,
    }


def _counts(effect: GradeEffect) -> dict[str, int]:
    changes = effect.changes
    return {
        "added": changes.added,
        "changed": changes.changed,
        "removed": changes.removed,
        "queries": changes.query_count,
    }


def _effects(effect: Effect) -> dict[str, Any]:
    runs = [
        {
            "run_id": run.pk,
            "run": run.name,
            "before": {ideal: pair.was.number for ideal, pair in zip(IDEALS, pairs, strict=True)},
            "after": {ideal: pair.now.number for ideal, pair in zip(IDEALS, pairs, strict=True)},
        }
        for run, pairs in effect.rows
    ]
    return {"runs": runs, "changed_runs": effect.changed_runs, "flips": effect.flips}
