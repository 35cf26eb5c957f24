"""Averages of a run, side by side, and its means by tag; how far missing grades of queries that an average leaves out could move it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Final

from django.db.models import Avg, Count, Q

from evaluation.models import Evaluation
from evaluation.scores.reports.run_page import RunMeasure, scores
from evaluation.scores.reports.spread import COUNTS, Spread
from evaluation.scores.sql.groups import MEANS, Group, read_groups
from touchstone_core.comparison.values import Value, if_known, is_known, value
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.left_out import LeftOut, left_out_words, skips_missing, skips_zero
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.short_pages import ShortPages

# The average that a table shows: which fields hold it, and what it is called.
MEAN: Final = "mean"
PREFIX: Final = {"mean": "", "median": "median_", "weighted": "weighted_"}
WORDS: Final = {"mean": "Means", "median": "Medians", "weighted": "Traffic-weighted means"}


def of_formula(evaluation: Evaluation, formula: Formula, mean: float | None, counted: int) -> LeftOut | None:
    """For the mean of one of the four NDCGs over `counted` queries."""
    if formula.zero_ndcg is not None:
        return None
    return LeftOut.of(
        mean, counted, _judged_queries(evaluation, without_missing=formula.skips_missing) - counted
    )


def of_measure(
    evaluation: Evaluation, one: RoundedMeasure, mean: float | None, counted: int
) -> LeftOut | None:
    """For a further measure; `evaluation` has the same run and grades."""
    if not skips_zero(one):
        return None
    return LeftOut.of(
        mean, counted, _judged_queries(evaluation, without_missing=skips_missing(one)) - counted
    )


def _judged_queries(evaluation: Evaluation, *, without_missing: bool) -> int:
    return evaluation.judged_queries - (evaluation.missing if without_missing else 0)


def words_of_table(rows: Sequence[Evaluation], formula: Formula, measures: Sequence[RoundedMeasure]) -> str:
    """About the mean of a run table that could move most, NDCG-global or a further measure; empty if none could."""
    worst = max(_of_rows(rows, formula, measures), key=lambda one: one.shift, default=None)
    if worst is None:
        return ""
    sentence = left_out_words(worst.queries, worst.in_mean + worst.queries)
    return f"{sentence} If missing grades bring them in, the mean moves by up to {worst.shift:.4f}."


def _of_rows(
    rows: Sequence[Evaluation], formula: Formula, measures: Sequence[RoundedMeasure]
) -> Iterator[LeftOut]:
    for row in rows:
        numbers = vars(row)  # with the annotations of `run_table.evaluations`
        cases = [of_formula(row, formula, row.ndcg_global, row.counted)]
        for place, one in enumerate(measures):
            cases.append(of_measure(row, one, None, numbers[f"counted_{place}"] or 0))
        yield from filter(None, cases)


MOST_TAGS: Final = 200
ROWS: Final = {"mean": "Mean", "median": "Median", "weighted": "Traffic-weighted mean"}


@dataclass(frozen=True, slots=True)
class AverageColumn:
    """`averages` in the order of ROWS, over `counted` queries. `left_out` are the queries that grades could add."""

    label: str
    title: str
    averages: list[Value]
    counted: int
    left_out: LeftOut | None = None

    @property
    def by_name(self) -> dict[str, float | None]:
        return {name: average.number for name, average in zip(ROWS, self.averages, strict=True)}


@dataclass(frozen=True, slots=True)
class TagRow:
    """`tag` is empty for the queries without one. `left_out` queries are in no NDCG-global of the tag."""

    tag: str
    queries: int
    left_out: int
    ndcgs: list[Value]
    dcg: Value


@dataclass(frozen=True, slots=True)
class RunAverages:
    columns: list[AverageColumn]
    weights: str
    tags: list[TagRow]
    tag_count: int

    @property
    def rows(self) -> list[tuple[str, list[Value]]]:
        """As the table shows them."""
        return [
            (label, [column.averages[place] for column in self.columns])
            for place, label in enumerate(ROWS.values())
        ]

    @property
    def counted(self) -> list[int]:
        return [column.counted for column in self.columns]

    @property
    def left_out(self) -> list[LeftOut | None]:
        """Empty where no mean leaves a query out that grades could add."""
        every = [column.left_out for column in self.columns]
        return every if any(every) else []


def run_averages(evaluation: Evaluation, formula: Formula, measures: Sequence[RunMeasure]) -> RunAverages:
    """One query."""
    every, tags = read_groups(evaluation)
    tag_count = sum(group.tag is not None for group in tags)
    return RunAverages(
        columns=[
            *_columns(evaluation, formula, every),
            *(_measure_column(one, evaluation) for one in measures),
        ],
        weights=weight_words(every),
        tags=[tag_row(group) for group in tags[:MOST_TAGS]] if tag_count else [],
        tag_count=tag_count,
    )


def short_pages_and_spread(evaluation: Evaluation, formula: Formula) -> tuple[ShortPages, Spread | None]:
    """Pages with fewer documents than the cutoff, among the queries that the run answers; and how its queries spread. One statement."""
    answered = Q(retrieved__isnull=False)
    short = answered & Q(shown__gt=0, shown__lt=formula.cutoff)
    counts = scores(evaluation, formula).aggregate(
        answered=Count("pk", filter=answered),
        short=Count("pk", filter=answered & Q(shown__lt=formula.cutoff)),
        empty=Count("pk", filter=answered & Q(shown=0)),
        local=Avg("ndcg_local", filter=short),
        ideal_global=Avg("ndcg_global", filter=short),
        **COUNTS,
    )
    names = [field.name for field in fields(ShortPages) if field.name != "cutoff"]
    pages = ShortPages(cutoff=formula.cutoff, **{name: counts[name] for name in names})
    return pages, Spread.of(counts, evaluation.median_ndcg_global)


def _columns(evaluation: Evaluation, formula: Formula, every: Group) -> list[AverageColumn]:
    counted = dict(zip(MEANS, every.counted, strict=True))
    k = formula.cutoff
    kinds = [(f"NDCG-{ideal}@{k}", formula.measure(ideal), f"ndcg_{ideal}") for ideal in IDEALS]
    kinds.append((f"DCG@{k}", formula.dcg_measure(), "dcg"))
    kinds.append((f"judged@{k}", formula.judged_measure(), "judged_at_k"))
    # What leaves a query out of DCG leaves it out of judged@k.
    return [
        AverageColumn(
            label,
            title,
            [
                if_known(
                    value(getattr(evaluation, PREFIX[average] + field)),
                    evaluation.is_known or field == "judged_at_k",
                )
                for average in ROWS
            ],
            counted.get(field, counted["dcg"]),
            of_formula(evaluation, formula, getattr(evaluation, field), counted[field])
            if field.startswith("ndcg")
            else None,
        )
        for label, title, field in kinds
    ]


def _measure_column(one: RunMeasure, evaluation: Evaluation) -> AverageColumn:
    of = one.evaluation
    averages = [value(getattr(of, average)) for average in ROWS]
    left_out = of_measure(evaluation, one.measure, of.mean, of.counted)
    return AverageColumn(one.text, one.text, averages, of.counted, left_out)


def weight_words(group: Group) -> str:
    """How the weights affect the weighted mean."""
    if group.least_weight is None:
        return "no query is counted"
    if not group.greatest_weight:
        return "all weights are 0, so there is no weighted mean"
    if group.least_weight == group.greatest_weight:
        return "all weights are equal"
    return f"the mean is as certain as one of {group.effective:,.1f} queries of equal weight"


def tag_row(group: Group) -> TagRow:
    numbers = dict(zip(MEANS, group.means, strict=True))
    counted = dict(zip(MEANS, group.counted, strict=True))
    ndcgs = [numbers[f"ndcg_{ideal}"] for ideal in IDEALS]
    known = is_known(group.shown, group.judged)
    return TagRow(
        tag=group.tag or "",
        queries=group.queries,
        left_out=group.queries - counted["ndcg_global"],
        ndcgs=[if_known(value(number, share=number), known) for number in ndcgs],
        # IDCG-max is the same for every query, so that DCG has the tint of its share of it.
        dcg=if_known(value(numbers["dcg"], share=numbers["ndcg_max"]), known),
    )
