"""One run against one judgment list: its summary and its queries."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import F, FloatField, Q, QuerySet
from django.db.models.functions import Cast, Coalesce, NullIf

from evaluation.metrics.formula import IDEALS, Formula
from evaluation.metrics.ladder import LOSSES
from evaluation.models import Evaluation, Score
from evaluation.reports.columns import Column, Order, read_order
from evaluation.reports.values import Value, value
from judgments.formats.spreadsheet import Cell

SHOWN = {
    "missing": Q(retrieved=None),
    "empty": Q(retrieved=0),
    "holes": Q(shown__gt=F("judged")),
    "zero": Q(ideal_global=0),
}
STEPS = ("dcg", "ideal_local", "ideal_recall", "ideal_global", "ideal_max")


@dataclass(frozen=True, slots=True)
class QueryRow:
    """`state` says in a word why there is nothing to score; empty otherwise."""

    query_id: int
    text: str
    external_id: str
    state: str
    ndcgs: list[Value]
    dcg: Value
    losses: list[Value]
    judged: Value
    holes: int
    retrieved: int | None


def score_columns(formula: Formula) -> list[Column]:
    k = formula.cutoff
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
        Column("judged", f"judged@{k}", f"Judged@{k}", "judged_share", group_start=True),
        Column("holes", "holes", f"Holes@{k}", "holes"),
        Column("retrieved", "retrieved", "Length of the ranking", "retrieved"),
    ]


def score_order(text: str, columns: list[Column]) -> Order:
    """By the text, the worst global first where the URL says nothing: that is where to look."""
    return read_order(text, columns, "global")


def scores(evaluation: Evaluation, *, text: str = "", show: str = "") -> QuerySet[Score]:
    """The scores of an evaluation with everything that a table can show or sort by, in no order."""
    found = Score.objects.filter(query_set=evaluation.query_set_id, evaluation=evaluation)
    if text:
        found = found.filter(Q(query__text__icontains=text) | Q(query__external_id__icontains=text))
    if show:
        found = found.filter(SHOWN[show])
    ndcgs = {f"ndcg_{ideal}": Coalesce(F("dcg") / NullIf(F(f"ideal_{ideal}"), 0.0), 0.0) for ideal in IDEALS}
    losses = {f"lost_{loss}": F(STEPS[place + 1]) - F(STEPS[place]) for place, loss in enumerate(LOSSES)}
    share = Cast("judged", FloatField()) / NullIf(Cast("shown", FloatField()), 0.0)
    return found.select_related("query").annotate(
        **ndcgs, **losses, judged_share=share, holes=F("shown") - F("judged")
    )


def ordered(found: QuerySet[Score], order: Order) -> QuerySet[Score]:
    return found.order_by(order.by, "query_id")


def query_rows(page: list[Score]) -> list[QueryRow]:
    """Records for the template, which need no further query."""
    return [_row(score) for score in page]


def _row(score: Score) -> QueryRow:
    numbers = vars(score)  # with the annotations of `scores`
    best = score.ideal_max or 1.0
    return QueryRow(
        query_id=score.query_id,
        text=score.query.text,
        external_id=score.query.external_id,
        state=_state(score),
        ndcgs=[value(numbers[f"ndcg_{ideal}"], share=numbers[f"ndcg_{ideal}"]) for ideal in IDEALS],
        dcg=value(score.dcg, share=score.dcg / best),
        losses=[value(numbers[f"lost_{loss}"]) for loss in LOSSES],
        judged=value(numbers["judged_share"]),
        holes=numbers["holes"],
        retrieved=score.retrieved,
    )


def _state(score: Score) -> str:
    if score.retrieved is None:
        return "missing"
    if score.retrieved == 0:
        return "empty"
    return "zero ideal" if score.ideal_global == 0 else ""


def run_csv(evaluation: Evaluation, formula: Formula, found: QuerySet[Score]) -> Iterator[list[Cell]]:
    """One line for each query that is listed, every digit. Cost: one query."""
    columns = score_columns(formula)[1:]
    yield [
        *("list", "formula", "run", "query id", "query"),
        *(column.title for column in columns[:5]),
        *(f"ideal {ideal}" for ideal in IDEALS),
        *(f"lost {loss}" for loss in LOSSES),
        *(column.title for column in columns[9:11]),
        *("retrieved", "shown", "judged"),
    ]
    fields = [
        *(column.field for column in columns[:5]),
        *STEPS[1:],
        *(column.field for column in columns[5:11]),
        *("retrieved", "shown", "judged"),
    ]
    names = (evaluation.judgment_list.name, formula.key, evaluation.run.name)
    for score in found.iterator():
        numbers = vars(score)
        yield [*names, score.query.external_id, score.query.text, *(numbers[field] for field in fields)]
