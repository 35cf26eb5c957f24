"""Runs compared with a baseline: the verdicts in the sentences of the page, and all figures with their bounds."""

from typing import Any, Literal

from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from evaluation.comparisons.actions.comparing import Question
from evaluation.comparisons.forms.run_choice import CHOOSE, INTENT, ON, RunChoice, choices_on, read_runs
from evaluation.comparisons.reports.comparison_files import comparison_json
from evaluation.comparisons.views.comparison_request import (
    ComparisonRequest,
    comparison_context,
    question_of,
)
from evaluation.models import Intent, Run
from evaluation.scores.api import FormulaQuery, read_list, refuse_other
from judgments.base.keys import keys_in
from judgments.pages.calls import ApiRequest, PendingOut
from judgments.pages.problems import Problem, field_problem
from touchstone_core.comparison.recommendation import recommendation
from touchstone_core.comparison.ruling import Ruling
from touchstone_core.comparison.verdict import measure_text

router = Router()


class ComparisonQuery(FormulaQuery):
    runs: str = Field(
        description="The IDs of two to twenty runs, the baseline first, such as 3-5.", examples=["3-5"]
    )
    on: str | None = Field(
        None, description="What they are compared on: an ideal, dcg, or one of the measures."
    )
    confirm: Literal["1"] | None = Field(
        None, description="1 to compare on the held-out queries, once they are open."
    )
    intent: str | None = Field(None, description="The ID of an intent, whose queries are told apart.")


class VerdictOut(Schema):
    """`kind` is better, worse, open, unshown or same; `sentence` and `text` are what the page says.

    `p` and the interval decide, adjusted for all runs. `always_valid`: they hold however often people looked. None where
    nothing can be tested, or one run is judged too little to tell.
    """

    run_id: int
    run: str
    kind: str
    sentence: str
    text: str
    p: float | None
    interval_low: float | None
    interval_high: float | None
    always_valid: bool


class ComparisonOut(Schema):
    recommendation: str
    verdicts: list[VerdictOut]
    unknown: list[str] = Field(description="What isn’t known, in sentences.")
    formula_words: str = Field(description="What the formula says.")
    up_to_date: bool = Field(description="False while a worker compares the runs under the present grades.")
    comparison: dict[str, Any] = Field(
        description="All figures, with the names of the JSON file of the report."
    )


@router.get(
    "lists/{int:list_pk}/comparison",
    response={200: ComparisonOut, 202: PendingOut},
    summary="Compare runs",
)
def comparison(request: ApiRequest, list_pk: int, query: InQuery[ComparisonQuery]) -> dict[str, Any]:
    """Verdicts, numbers and bounds. 202: a worker is at it. Ask again after `Retry-After`."""
    asked = read_comparison(request, list_pk)
    return comparison_values(asked.question, comparison_context(request, asked, earlier=True))


def comparison_values(question: Question, parts: dict[str, Any]) -> dict[str, Any]:
    """A ComparisonOut. `parts` are those of `comparison_context`."""
    rows = parts["forest"]["rows"]
    figures = comparison_json(
        parts["comparison"],
        question.formula,
        measure_text(question.formula, question.on),
        parts["result"],
        parts["state"],
        intent_queries=parts["intents"].current,
        held_out=question.confirming,
    )
    return {
        "recommendation": recommendation(
            [row["run"].name for row in rows],
            [row["verdict"] for row in rows],
            ranks=parts["comparison"].ranks,
        ),
        "verdicts": [
            {
                "run_id": row["run"].pk,
                "run": row["run"].name,
                "kind": row["verdict"].kind,
                "sentence": row["verdict"].sentence,
                "text": row["verdict"].text,
                **_deciding(verdict.rule),
            }
            for row, verdict in zip(rows, parts["comparison"].verdicts, strict=True)
        ],
        "unknown": list(parts["unknown"]),
        "formula_words": question.formula.words(),
        "up_to_date": not parts["outdated"],
        "comparison": figures,
    }


def _deciding(rule: Ruling) -> dict[str, Any]:
    low, high = (rule.interval["low"], rule.interval["high"]) if rule.interval else (None, None)
    return {"p": rule.p, "interval_low": low, "interval_high": high, "always_valid": rule.always_valid}


def chosen_runs(request: ApiRequest, query_set: int) -> RunChoice:
    """The runs of the address. Raises Problem unless they can be compared."""
    choice = read_runs(request.GET, Run.objects.filter(query_set=query_set).order_by("name"))
    if not choice.ready:
        problem = choice.problem or CHOOSE
        raise Problem(422, problem, [{"field": "runs", "message": problem}])
    return choice


def refuse_unknown_intent(request: ApiRequest, query_set: int) -> None:
    """Raises Problem for an intent that the query set doesn't have. A page shows all queries then, and says so."""
    text = request.GET.get(INTENT)
    if text and not Intent.objects.filter(query_set=query_set, pk__in=keys_in([text])).exists():
        problem = f"There is no intent {text} in this query set. Choose another one, or leave it out."
        raise field_problem(INTENT, problem)


def read_comparison(request: ApiRequest, list_pk: int) -> ComparisonRequest:
    """What the call asks to compare."""
    judgment_list, versions, form = read_list(request, list_pk)
    choice = chosen_runs(request, judgment_list.query_set_id)
    question = question_of(request, judgment_list, versions, form, choice)
    refuse_other(request, ON, question.on, choices_on(question.formula.cutoff, question.measures))
    refuse_unknown_intent(request, judgment_list.query_set_id)
    return ComparisonRequest(judgment_list, versions, form, question)
