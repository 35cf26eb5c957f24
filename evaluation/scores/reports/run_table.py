"""The run table: every run of a query set against one judgment list under one formula."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, F, FilteredRelation, Max, Q

from evaluation.base.reports.columns import Column, Order, read_order
from evaluation.models import Evaluation, Run
from evaluation.models.score import EvaluationQuerySet
from evaluation.scores.reports.averages import MEASURE_FIELD, OF, PREFIX
from judgments.models import JudgmentList, Version
from touchstone_core.comparison.values import Segment, Value, segments, value
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.policies import SKIP
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.selection import Selection

COUNTS = {
    "answered": ("answered", "Judged queries for which the run has documents"),
    "missing": ("missing", "Judged queries that the run does not have; they count as 0"),
    "empty": ("empty", "Judged queries with an empty ranking; they count as 0"),
    "unjudged_queries": ("unjudged", "Queries of the run without a grade in this list; they are left out"),
    "zero_ideal": ("zero ideal", "Judged queries without a document of any gain; their NDCG counts as 0"),
    "ties": ("ties", "Judged queries with equal scores inside the cutoff; their ids decide the order there"),
    "counted": ("counted", "Queries that the averages are over: the formula leaves the others out"),
}
HOLES = Column("holes", "holes", "Unjudged documents within the cutoff, over all judged queries", "holes")


@dataclass(frozen=True, slots=True)
class Shown:
    """What the table is asked for: a formula with its further measures, and which average of them all."""

    chosen: Selection
    average: str = "mean"

    @property
    def formula(self) -> Formula:
        return self.chosen.formula

    @property
    def measures(self) -> tuple[RoundedMeasure, ...]:
        return self.chosen.measures


@dataclass(frozen=True, slots=True)
class RunRow:
    evaluation: Evaluation
    ndcgs: list[Value]
    dcg: Value
    judged: Value
    measures: list[Value]
    counts: list[int]
    ladder: list[Segment]

    @property
    def run(self) -> Run:
        return self.evaluation.run


def run_columns(shown: Shown) -> list[Column]:
    """All columns of the table but the ladder: NDCGs, DCG, judged@k, further measures, counts."""
    formula, prefix = shown.formula, PREFIX[shown.average]
    columns = [Column("run", "Run", "Name of the run", "run__name", numeric=False)]
    for place, ideal in enumerate(IDEALS):
        title = _title(formula.measure(ideal), shown.average)
        columns.append(Column(ideal, ideal, title, f"{prefix}ndcg_{ideal}", group_start=place == 0))
    for key, label, text, field in (
        ("dcg", f"DCG@{formula.cutoff}", formula.dcg_measure(), "dcg"),
        ("judged", f"judged@{formula.cutoff}", formula.judged_measure(), "judged_at_k"),
    ):
        title = _title(text, shown.average)
        columns.append(Column(key, label, title, f"{prefix}{field}", group_start=key == "dcg"))
    for place, wanted in enumerate(shown.measures):
        title = _title(str(wanted), shown.average)
        columns.append(Column(str(wanted), str(wanted), title, f"measure_{place}", group_start=place == 0))
    for place, (field, (label, _)) in enumerate(COUNTS.items()):
        title = count_title(field, formula)
        columns.append(Column(field.removesuffix("_queries"), label, title, field, group_start=place == 0))
    return columns


def _title(text: str, average: str) -> str:
    return f"{text}, {OF[average]}" if OF[average] else text


def count_title(field: str, formula: Formula) -> str:
    """What a count means under the policies of this formula."""
    title = COUNTS[field][1]
    if field == "missing" and formula.missing == SKIP:
        return title.replace("they count as 0", "they are left out")
    if field == "zero_ideal" and formula.zero != 0:
        counts_as = "is left out" if formula.zero == SKIP else f"counts as {formula.zero}"
        return title.replace("counts as 0", counts_as)
    return title


def shown_counts(rows: Sequence[Evaluation]) -> list[str]:
    """The counts worth a column: some say nothing where they are 0, or all."""
    return [field for field in COUNTS if _says_something(field, rows)]


def _says_something(field: str, rows: Sequence[Evaluation]) -> bool:
    if field in ("zero_ideal", "ties"):
        return any(getattr(row, field) for row in rows)
    if field == "counted":
        return any(row.counted != row.judged_queries for row in rows)
    return True


def shown_columns(columns: list[Column], rows: Sequence[Evaluation]) -> list[Column]:
    counts = shown_counts(rows)
    return [column for column in columns if column.field not in COUNTS or column.field in counts]


def evaluations(
    judgment_list: JudgmentList, shown: Shown, version: Version | None = None
) -> EvaluationQuerySet:
    """The evaluations of the table, with their runs and the averages of the further measures, in no order."""
    found = _of_table(judgment_list, shown, version)
    for place, (measure, digits) in enumerate(shown.measures):
        of_measure = Q(
            run__measures__judgment_list=judgment_list,
            run__measures__version=version,
            run__measures__measure=str(measure),
            run__measures__digits=-1 if digits is None else digits,
        )
        relation = f"evaluated_{place}"
        found = found.annotate(
            **{relation: FilteredRelation("run__measures", condition=of_measure)},
        ).annotate(
            **{
                f"measure_{place}": F(f"{relation}__{MEASURE_FIELD[shown.average]}"),
                f"counted_{place}": F(f"{relation}__counted"),
            }
        )
    return found.select_related("run")


def ordered(rows: EvaluationQuerySet, order: Order) -> EvaluationQuerySet:
    return rows.order_by(order.by, "run__name", "pk")


def run_order(text: str, columns: list[Column]) -> Order:
    return read_order(text, columns, "-global")


@dataclass(frozen=True, slots=True)
class Whole:
    """What is said of all runs: how many there are, and the best global and max.

    Local and recall have no best: their ideal depends on the run.
    """

    runs: int
    best: dict[str, float | None]


def _of_table(judgment_list: JudgmentList, shown: Shown, version: Version | None) -> EvaluationQuerySet:
    found = Evaluation.objects.filter(judgment_list=judgment_list, version=version)
    return found.filter(formula=shown.formula.key)


def whole(judgment_list: JudgmentList, shown: Shown, version: Version | None = None) -> Whole:
    """One query."""
    prefix = PREFIX[shown.average]
    best = {ideal: Max(f"{prefix}ndcg_{ideal}") for ideal in ("global", "max")}
    found = _of_table(judgment_list, shown, version).aggregate(runs=Count("pk"), **best)
    return Whole(found.pop("runs"), found)


def run_rows(page: list[Evaluation], of_all: Whole, shown: Shown) -> list[RunRow]:
    """Records for the template, which need no further query."""
    counts = shown_counts(page)
    return [_row(evaluation, of_all.best, shown, counts) for evaluation in page]


def _row(evaluation: Evaluation, best: dict[str, float | None], shown: Shown, counts: list[str]) -> RunRow:
    numbers = vars(evaluation)  # with the annotations of `evaluations`
    prefix = PREFIX[shown.average]
    ndcgs = {ideal: numbers[f"{prefix}ndcg_{ideal}"] for ideal in IDEALS}
    return RunRow(
        evaluation=evaluation,
        ndcgs=[
            value(number, share=number, best=number is not None and best.get(ideal) == number)
            for ideal, number in ndcgs.items()
        ],
        # IDCG-max is one number for all runs, so that DCG has the tint of its share of it.
        dcg=value(numbers[f"{prefix}dcg"], share=ndcgs["max"]),
        judged=value(numbers[f"{prefix}judged_at_k"]),
        measures=[value(numbers[f"measure_{place}"]) for place in range(len(shown.measures))],
        counts=[numbers[field] for field in counts],
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
