"""The queries of one run against one judgment list, under one formula and further measures beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from evaluation.base.reports.columns import Column, Order, read_order
from evaluation.models import Evaluation, MeasureEvaluation, MeasureScore, Score
from evaluation.scores.reports.measures import Measured
from evaluation.scores.reports.ties import QueryTies, tied_rankings
from touchstone_core.comparison.values import Value, value
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES

LEFT_OUT: Final = "left out"
TIED: Final = "ties"
_SHOWN: Final = {
    "missing": Q(retrieved=None),
    "empty": Q(retrieved=0),
    "holes": Q(shown__gt=F("judged")),
    "zero": Q(ideal_global=0),
    "left-out": Q(ndcg_global=None),
    "untagged": Q(query__tags=[]),
}


@dataclass(frozen=True, slots=True)
class Filter:
    """Which queries are listed; nothing chosen means every one."""

    text: str = ""
    show: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class QueryRow:
    """`states` say in words why there is nothing to score, and whether a policy leaves the query out."""

    query_id: int
    text: str
    external_id: str
    states: list[str]
    ndcgs: list[Value]
    dcg: Value
    losses: list[Value]
    judged: Value
    holes: int
    retrieved: int | None
    ties: QueryTies | None
    measures: list[Value]


def score_columns(formula: Formula, measures: Sequence[Measured] = ()) -> list[Column]:
    """The columns of the table; the field of a further measure is its place."""
    return [
        Column("query", "Query", "Text of the query", "query__text", numeric=False),
        *(
            Column(ideal, ideal, formula.measure(ideal), f"ndcg_{ideal}", group_start=ideal == "local")
            for ideal in IDEALS
        ),
        Column("dcg", "DCG", formula.dcg_measure(), "dcg", group_start=True),
        *(
            Column(
                f"lost-{loss}", loss, f"DCG points lost: {loss}", f"lost_{loss}", group_start=loss == "order"
            )
            for loss in LOSSES
        ),
        Column(
            "judged", f"judged@{formula.cutoff}", formula.judged_measure(), "judged_at_k", group_start=True
        ),
        Column("holes", "holes", formula.holes_measure(), "holes"),
        Column("retrieved", "retrieved", "Length of the ranking", "retrieved"),
        *(
            Column(one.text, one.text, one.text, f"measure_{place}", group_start=place == 0)
            for place, one in enumerate(measures)
        ),
    ]


def score_order(text: str, columns: list[Column]) -> Order:
    """By the text, the worst global first where the URL says nothing: that is where to look."""
    return read_order(text, columns, "global")


def scores(
    evaluation: Evaluation, formula: Formula, measures: Sequence[Measured] = (), chosen: Filter | None = None
) -> QuerySet[Score]:
    """The scores of an evaluation with everything that a table can show or sort by, in no order."""
    found = Score.objects.filter(query_set=evaluation.query_set_id, evaluation=evaluation)
    found = found.select_related("query").annotate(
        **{f"measure_{place}": _measure(one.evaluation) for place, one in enumerate(measures)},
        holes=F("shown") - F("judged"),
    )
    chosen = chosen or Filter()
    if chosen.show == TIED:
        found = found.filter(query__in=tied_rankings(evaluation.run, formula).values("query"))
    return found.filter(_where(chosen))


def _where(chosen: Filter) -> Q:
    where = _SHOWN.get(chosen.show, Q())
    if chosen.text:
        where &= Q(query__text__icontains=chosen.text) | Q(query__external_id__icontains=chosen.text)
    if chosen.tag:
        where &= Q(query__tags__contains=[chosen.tag])
    return where


def _measure(evaluation: MeasureEvaluation) -> Subquery:
    """The query's stored value, found by its key."""
    values = MeasureScore.objects.filter(
        query_set=evaluation.query_set_id, evaluation=evaluation.pk, query=OuterRef("query_id")
    )
    return Subquery(values.values("value"))


def ordered(found: QuerySet[Score], order: Order) -> QuerySet[Score]:
    return found.order_by(order.by, "query_id")


def query_rows(
    page: Sequence[Score], measures: Sequence[Measured], ties: Mapping[int, QueryTies]
) -> list[QueryRow]:
    """Records for the template, which need no further query; `ties` by query."""
    return [_row(score, len(measures), ties.get(score.query_id)) for score in page]


def _row(score: Score, measures: int, ties: QueryTies | None) -> QueryRow:
    numbers = vars(score)  # with the annotations of `scores`
    return QueryRow(
        query_id=score.query_id,
        text=score.query.text,
        external_id=score.query.external_id,
        states=_states(score),
        ndcgs=[value(numbers[f"ndcg_{ideal}"], share=numbers[f"ndcg_{ideal}"]) for ideal in IDEALS],
        # IDCG-max is the same for every query, so that DCG has the tint of its share of it.
        dcg=value(score.dcg, share=score.ndcg_max),
        losses=[value(numbers[f"lost_{loss}"]) for loss in LOSSES],
        judged=value(score.judged_at_k),
        holes=numbers["holes"],
        retrieved=score.retrieved,
        ties=ties,
        measures=[value(numbers[f"measure_{place}"]) for place in range(measures)],
    )


def _states(score: Score) -> list[str]:
    states = []
    if score.retrieved is None:
        states.append("missing")
    elif score.retrieved == 0:
        states.append("empty")
    elif score.ideal_global == 0:
        states.append("zero ideal")
    return [*states, LEFT_OUT] if score.ndcg_global is None else states
