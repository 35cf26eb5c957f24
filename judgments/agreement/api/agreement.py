"""How far the raters of a list agree: altogether, by query, by rater, and every two raters."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

from django.http import Http404, HttpResponse
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.agreement.actions.agreement import AgreementPendingError, agreement_or_ask
from judgments.agreement.figures import Figure
from judgments.agreement.reports import agreement as reports
from judgments.agreement.reports.agreement_tables import query_columns, query_rows
from judgments.agreement.reports.drift import RaterDrift
from judgments.agreement.reports.machines import COLUMNS as MACHINE_COLUMNS
from judgments.agreement.reports.noise import noise_of
from judgments.agreement.reports.rater_agreement import Raters, labels_of, total_use
from judgments.agreement.reports.stored_agreement import AgreementFigures, from_json, headline_as_json
from judgments.agreement.views.agreement import is_rater_of
from judgments.models import JudgmentList
from judgments.pages.calls import LARGEST_KEY, ApiRequest, PendingOut
from judgments.pages.fetching import administered_list, visible_list
from touchstone_core.formats.columns import json_records

router = Router()

Rater = Annotated[int | None, Field(ge=1, le=LARGEST_KEY)]
Answer = Status[dict[str, Any]]


class FigureOut(Schema):
    """Where there is no value, `why` says so."""

    name: str
    value: float | None
    why: str


class GradeCount(Schema):
    label: str
    count: int


class ShareKept(Schema):
    """Of the size of differences between runs, with so many judgments per pair."""

    judgments: float
    about: float
    least: float


class NoiseOut(Schema):
    """How far noise of raters shrinks differences in NDCG-global, `now` and with `more` judgments per pair.

    Only judgments that count in the grades are meant.
    """

    in_words: str
    now: ShareKept
    more: ShareKept


class AgreementOut(Schema):
    """`up_to_date` is false while figures of the present judgments are worked out.

    All figures but `noise` include people whose judgments are left out of the grades.
    """

    up_to_date: bool
    headline: dict[str, Any]
    queries: list[dict[str, Any]]
    reading: str = Field(description="What the alpha means, in a sentence.")
    interval_why: str = Field(description="Why there is no interval.")
    further: list[FigureOut]
    noise: NoiseOut | None = Field(
        description="Null where too little is known, or the rule doesn’t allow it."
    )
    grades: list[GradeCount] = Field(description="How often raters gave each grade.")
    cannot_judge: int


class LeftOut(Schema):
    without: Rater = Field(None, description="The ID of a rater who is left out of all figures.")


class Tenth(Schema):
    """A tenth of a rater’s latest judgments, the oldest first. `higher_by`: than others on the same pairs."""

    since: datetime
    until: datetime
    judgments: int
    agreement: float = Field(validation_alias="same")
    higher_by: float = Field(validation_alias="apart")
    moving_average: float = Field(validation_alias="average")


class RaterAgreementOut(Schema):
    """A rater compared with all others on the same pairs. `enough` is false where `compared` is too few to say anything."""

    id: int
    name: str
    judgments: int
    cannot_judge: int
    compared: int
    enough: bool
    agreement: float | None
    kappa: float | None
    higher_by: float | None
    alpha_without: float | None
    grades: list[GradeCount]
    to_review: str = Field(description="How this rater’s grades have changed, if an admin should look at it.")
    over_time: list[Tenth]


class ByRaterOut(Schema):
    up_to_date: bool
    headline: dict[str, Any]
    raters: list[RaterAgreementOut]


class RaterPairsQuery(LeftOut):
    rater: Rater = Field(None, description="Only pairs of raters with this one.")
    other: Rater = Field(None, description="And this one. Their grades are then counted, too.")
    offset: int = Field(0, ge=0, le=10**7)
    limit: int = Field(100, ge=1, le=1000)


class RaterName(Schema):
    id: int
    name: str


class RaterPairOut(Schema):
    """Two raters on the `pairs` of query and document that both judged. `higher_by` is how much higher the first one grades."""

    raters: list[RaterName]
    pairs: int
    agreement: float | None
    kappa: float | None
    higher_by: float | None


class GradesOfTwo(Schema):
    """The first rater’s grades are the rows of `counts`, the other’s the columns. `sentence` is the page’s."""

    raters: list[RaterName]
    sentence: str
    kappas: list[FigureOut]
    labels: list[str]
    counts: list[list[int]]


class ByPairOut(Schema):
    """`listed` says how many pairs of raters there are, and `grades` what the two that are named gave."""

    up_to_date: bool
    listed: int
    items: list[RaterPairOut]
    grades: GradesOfTwo | None


class MachineOut(Schema):
    """A machine that doesn’t count in the list, compared with people’s grades of the same pairs."""

    id: int
    machine: str
    origin: str = Field(description="What made its grades, as somebody wrote it.")
    judgments: int
    compared: int
    enough: bool
    agreement: float | None
    kappa: float | None
    higher_by: float | None
    higher_by_low: float | None = Field(description="The lower end of the 95 % interval of `higher_by`.")
    higher_by_high: float | None
    counts: list[list[int]] = Field(description="Rows: people’s grades. Columns: the machine’s.")


class MachinesOut(Schema):
    """`labels` are the grades of `counts`; none on a scale without fixed steps."""

    up_to_date: bool
    labels: list[str]
    machines: list[MachineOut]


@router.get(
    "lists/{int:pk}/agreement", response={200: AgreementOut, 202: PendingOut}, summary="Read the agreement"
)
def agreement(request: ApiRequest, pk: int, response: HttpResponse) -> Answer:
    """Alpha with its interval, and every query, the one to look at first first. 202: ask again after `Retry-After`."""
    judgment_list = visible_list(request, pk)
    rule = judgment_list.consensus_rule
    return _answer(
        response, judgment_list, None, lambda figures: _of_list(figures) | {"noise": noise_of(figures, rule)}
    )


@router.get(
    "lists/{int:pk}/agreement/raters",
    response={200: ByRaterOut, 202: PendingOut},
    summary="Read the agreement of each rater",
)
def agreement_by_rater(
    request: ApiRequest, pk: int, query: InQuery[LeftOut], response: HttpResponse
) -> Answer:
    """For admins. Those with the most judgments first. `raters` of the list has their speed and warnings. 202: ask again."""
    return _answer(response, administered_list(request, pk), query.without, _by_rater)


@router.get(
    "lists/{int:pk}/agreement/rater-pairs",
    response={200: ByPairOut, 202: PendingOut},
    summary="Read the agreement of every two raters",
)
def agreement_by_rater_pair(
    request: ApiRequest, pk: int, query: InQuery[RaterPairsQuery], response: HttpResponse
) -> Answer:
    """For admins. 202: ask again."""
    return _answer(
        response,
        administered_list(request, pk),
        query.without,
        lambda figures: _by_pair(figures.raters, query),
    )


@router.get(
    "lists/{int:pk}/agreement/machines",
    response={200: MachinesOut, 202: PendingOut},
    summary="Compare machines with people",
)
def agreement_of_machines(request: ApiRequest, pk: int, response: HttpResponse) -> Answer:
    """For admins. By name. 202: ask again."""
    return _answer(response, administered_list(request, pk), None, _of_machines)


def _answer(
    response: HttpResponse,
    judgment_list: JudgmentList,
    without: int | None,
    values: Callable[[AgreementFigures], dict[str, Any]],
) -> Answer:
    """Raises Http404 if `without` is nobody who judged in the list."""
    if without is not None and not is_rater_of(judgment_list, without):
        raise Http404
    steps = reports.steps_of(judgment_list.scale)
    try:
        result, is_stale = agreement_or_ask(
            judgment_list=judgment_list, steps=steps, without=without, at=timezone.now()
        )
    except AgreementPendingError as error:
        response["Retry-After"] = "3"
        return Status(202, {"state": "running" if error.running else "waiting", "detail": str(error)})
    left_out = [] if without is None else [without]
    figures = from_json(result.figures, judgment_list, steps, without=left_out)
    return Status(200, {"up_to_date": not is_stale} | values(figures))


def _of_list(figures: AgreementFigures) -> dict[str, Any]:
    headline, steps, by_query = figures.headline, figures.raters.steps, figures.by_query
    use = total_use(list(figures.raters.uses.values()), labels_of(steps))
    further = [
        ("same grade, all pairs of answers", headline.agreement),
        ("same grade by chance", headline.chance),
        ("near grades", headline.near),
        ("all answers of a pair agree", headline.all_agree),
        ("Fleiss’ kappa", headline.fleiss),
        (headline.gwet_name, headline.gwet),
    ]
    return {
        "headline": headline_as_json(headline),
        "queries": list(
            json_records(query_columns(steps), query_rows(by_query, by_query.order("worth").tolist()))
        ),
        "reading": headline.reading,
        "interval_why": headline.interval_why,
        "further": [_figure(*one) for one in further],
        "grades": _counts(use),
        "cannot_judge": use.cannot,
    }


def _by_rater(figures: AgreementFigures) -> dict[str, Any]:
    over_time = {one.rater_id: one for one in figures.drift.raters}
    return {
        "headline": headline_as_json(figures.headline),
        "raters": [
            {
                "id": row.rater_id,
                "name": row.name,
                "judgments": row.judgments,
                "cannot_judge": row.cannot,
                "compared": row.pairs,
                "enough": row.enough,
                "agreement": row.agreement,
                "kappa": row.kappa,
                "higher_by": row.bias,
                "alpha_without": row.alpha_without,
                "grades": _counts(row.use),
                **_over_time(over_time.get(row.rater_id)),
            }
            for row in figures.raters.figures(figures.alphas)
        ],
    }


def _over_time(drift: RaterDrift | None) -> dict[str, Any]:
    return {"to_review": drift.way if drift else "", "over_time": drift.slices if drift else []}


def _by_pair(raters: Raters, query: RaterPairsQuery) -> dict[str, Any]:
    named = {one for one in (query.rater, query.other) if one is not None}
    rows = [row for row in raters.pair_rows() if named <= set(row[:2])]
    both = query.rater is not None and query.other is not None
    return {
        "listed": len(rows),
        "items": [
            {
                "raters": [_name(raters, one), _name(raters, other)],
                "pairs": pairs,
                "agreement": agreement,
                "kappa": kappa,
                "higher_by": higher_by,
            }
            for one, other, pairs, agreement, kappa, higher_by in rows[query.offset :][: query.limit]
        ],
        "grades": _grades_of_two(raters, query.rater, query.other) if both and rows else None,
    }


def _grades_of_two(raters: Raters, one: Any, other: Any) -> dict[str, Any] | None:
    found = raters.confusion(one, other)
    if found is None:
        return None
    return {
        "raters": [_name(raters, one), _name(raters, other)],
        "sentence": f"{found.one} grades {found.higher}.",
        "kappas": [_figure(name, kappa) for name, kappa in found.kappas],
        "labels": raters.steps.labels,
        "counts": found.counts,
    }


def _of_machines(figures: AgreementFigures) -> dict[str, Any]:
    rows = figures.machine_rows
    records = json_records(MACHINE_COLUMNS, rows)
    return {
        "labels": figures.raters.steps.labels,
        "machines": [
            record | {"id": row.figures.rater_id, "enough": row.enough, "counts": row.figures.counts}
            for record, row in zip(records, rows, strict=True)
        ],
    }


def _name(raters: Raters, key: int) -> dict[str, Any]:
    return {"id": key, "name": raters.names[key]}


def _figure(name: str, figure: Figure) -> dict[str, Any]:
    return {"name": name, "value": figure.value, "why": figure.why}


def _counts(use: reports.GradeUse) -> list[dict[str, Any]]:
    return [{"label": label, "count": count} for label, count in zip(use.labels, use.counts, strict=True)]
