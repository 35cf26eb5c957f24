"""The run table: every run of a query set against one judgment list under one formula."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Max

from evaluation.metrics.formula import IDEALS, Formula
from evaluation.models import Evaluation, Run
from evaluation.models.score import EvaluationQuerySet
from evaluation.reports.columns import Column, Order, read_order
from evaluation.reports.values import Segment, Value, segments, value
from judgments.formats.spreadsheet import Cell
from judgments.models import JudgmentList

COUNTS = {
    "answered": ("answered", "Judged queries for which the run has documents"),
    "missing": ("missing", "Judged queries that the run does not have; they count as 0"),
    "empty": ("empty", "Judged queries with an empty ranking; they count as 0"),
    "unjudged_queries": ("unjudged", "Queries of the run without a grade in this list; they are left out"),
    "zero_ideal": ("zero ideal", "Judged queries without a document of any gain; their NDCG counts as 0"),
}
HOLES = Column("holes", "holes", "Unjudged documents within the cutoff, over all judged queries", "holes")


@dataclass(frozen=True, slots=True)
class RunRow:
    evaluation: Evaluation
    ndcgs: list[Value]
    dcg: Value
    judged: Value
    counts: list[int]
    ladder: list[Segment]

    @property
    def run(self) -> Run:
        return self.evaluation.run


def run_columns(formula: Formula) -> list[Column]:
    """All columns of the table but the ladder, counts last."""
    k = formula.cutoff
    columns = [Column("run", "Run", "Name of the run", "run__name", numeric=False)]
    for place, ideal in enumerate(IDEALS):
        columns.append(Column(ideal, ideal, formula.measure(ideal), f"ndcg_{ideal}", group_start=place == 0))
    columns.append(Column("dcg", f"DCG@{k}", formula.dcg_measure(), "dcg", group_start=True))
    columns.append(Column("judged", f"judged@{k}", f"Judged@{k}", "judged_at_k"))
    for place, (field, (label, title)) in enumerate(COUNTS.items()):
        columns.append(Column(field.removesuffix("_queries"), label, title, field, group_start=place == 0))
    return columns


def shown_counts(rows: Sequence[Evaluation]) -> list[str]:
    """The counts worth a column. Whether an ideal is 0 depends on the judgments alone: in all rows or in none."""
    return [field for field in COUNTS if field != "zero_ideal" or any(row.zero_ideal for row in rows)]


def shown_columns(columns: list[Column], rows: Sequence[Evaluation]) -> list[Column]:
    counts = shown_counts(rows)
    return [column for column in columns if column.field not in COUNTS or column.field in counts]


def evaluations(judgment_list: JudgmentList, formula: Formula) -> EvaluationQuerySet:
    """The evaluations of the table, with their runs, in no order."""
    found = Evaluation.objects.filter(judgment_list=judgment_list, formula=formula.key)
    return found.select_related("run")


def ordered(rows: EvaluationQuerySet, order: Order) -> EvaluationQuerySet:
    return rows.order_by(order.by, "run__name", "pk")


def run_order(text: str, columns: list[Column]) -> Order:
    return read_order(text, columns, "-global")


def best_values(rows: EvaluationQuerySet) -> dict[str, float | None]:
    """The best global and max over all runs. Local and recall have none: their ideal depends on the run."""
    return rows.aggregate(ndcg_global=Max("ndcg_global"), ndcg_max=Max("ndcg_max"))


def run_rows(page: list[Evaluation], best: dict[str, float | None]) -> list[RunRow]:
    """Records for the template, which need no further query."""
    return [_row(evaluation, best) for evaluation in page]


def _row(evaluation: Evaluation, best: dict[str, float | None]) -> RunRow:
    fields = [f"ndcg_{ideal}" for ideal in IDEALS]
    numbers = {field: getattr(evaluation, field) for field in fields}
    return RunRow(
        evaluation=evaluation,
        ndcgs=[
            value(number, share=number, best=number is not None and best.get(field) == number)
            for field, number in numbers.items()
        ],
        # IDCG-max is one number for all runs, so that DCG has the tint of its share of it.
        dcg=value(evaluation.dcg, share=evaluation.ndcg_max),
        judged=value(evaluation.judged_at_k),
        counts=[getattr(evaluation, field) for field in shown_counts([evaluation])],
        ladder=ladder_of(evaluation),
    )


def ladder_of(evaluation: Evaluation) -> list[Segment]:
    """Shares of the total: the sums over the judged queries."""
    return segments(
        evaluation.sum_dcg,
        evaluation.sum_order,
        evaluation.sum_depth,
        evaluation.sum_recall,
        evaluation.sum_content,
    )


def run_table_csv(judgment_list: JudgmentList, formula: Formula, order: Order) -> Iterator[list[Cell]]:
    """The whole table in the order shown, every digit. Cost: one query."""
    columns = [*run_columns(formula), HOLES]
    sums = ("sum_dcg", "sum_order", "sum_depth", "sum_recall", "sum_content")
    yield ["list", "formula", "run", *_header(columns[1:]), "judged queries", *sums]
    fields = [column.field for column in columns[1:]] + ["judged_queries", *sums]
    for evaluation in ordered(evaluations(judgment_list, formula), order).iterator():
        numbers = [getattr(evaluation, field) for field in fields]
        yield [judgment_list.name, formula.key, evaluation.run.name, *numbers]


def _header(columns: list[Column]) -> list[str]:
    """Canonical texts where there are such, else the label."""
    return [column.label if column.field in (*COUNTS, "holes") else column.title for column in columns]
