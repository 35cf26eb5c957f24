"""The trend of a measure: runs in the order of their upload, each with its mean and the interval of that mean."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, Final, NamedTuple

from django.core.cache import cache
from django.db.models import Count, StdDev

from evaluation.base.reports import scale_info
from evaluation.models import Evaluation, MeasureEvaluation, MeasureScore, Run, Score
from evaluation.scores.reports.run_averages import MEAN, PREFIX
from evaluation.scores.sql.summaries import stored_digits
from evaluation.scores.sql.totals import read_spreads
from judgments.models import Act, JudgmentList, Version
from touchstone_core.comparison.values import UNKNOWN, Value, count, coverage, fixed, if_known, value, words
from touchstone_core.formats.columns import Column, json_records
from touchstone_core.metrics.direction import DCG
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import best_dcg
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.significance.intervals import Interval, mean_interval

JUDGED: Final = "judged"
DEFAULT_ON: Final = "global"
KEPT: Final = 86_400
"""Seconds for which the spread of a run's values stays in the cache."""
DEFAULT_FORMULA: Final = "the default formula"
"""The subject that the log has for changes of the formula that a query set's pages start with."""


class Trend(NamedTuple):
    """What is asked: the formula, further measures beside it, which of them is drawn, and which average."""

    formula: Formula
    measures: tuple[RoundedMeasure, ...]
    on: str
    average: str = MEAN

    @property
    def measure(self) -> RoundedMeasure | None:
        """The further measure that is drawn; None for a value of the formula."""
        return next((one for one in self.measures if str(one) == self.on), None)

    @property
    def heading(self) -> str:
        return dict(choices_on(self.formula, self.measures))[self.on]


class Point(NamedTuple):
    """A run in the trend. `queries` have a value; the interval is of their mean. The evaluation is there for values of the formula."""

    run: Run
    value: float
    queries: int
    interval: Interval | None
    evaluation: Evaluation | None = None
    counts_judged: bool = False

    @property
    def text(self) -> str:
        """The value, with its interval where there is one."""
        if not self.is_known:
            return UNKNOWN
        interval = self.interval
        value = fixed(self.value) + (
            f" ({fixed(interval.low)} to {fixed(interval.high)})" if interval else ""
        )
        return f"{value}, provisional" if self.is_provisional else value

    @property
    def coverage(self) -> float | None:
        """How much of the pages is judged. None for a further measure, which looks at other ranks."""
        return self.evaluation.coverage if self.evaluation else None

    @property
    def is_known(self) -> bool:
        """Whether the value says anything: if a document is judged on any page. judged@k says it of each run, and a further
        measure looks at other ranks."""
        return self.evaluation is None or self.counts_judged or self.evaluation.is_known

    @property
    def is_provisional(self) -> bool:
        return self.evaluation is not None and not self.counts_judged and self.evaluation.is_provisional

    @property
    def cells(self) -> "PointCells":
        figures = (if_known(value(one), self.is_known) for one in (self.value, self.low, self.high))
        covers = self.evaluation is None or self.evaluation.is_known
        return PointCells(coverage(self.coverage, known=covers), *figures)

    @property
    def low(self) -> float | None:
        return self.interval.low if self.interval else None

    @property
    def high(self) -> float | None:
        return self.interval.high if self.interval else None


class PointCells(NamedTuple):
    """What a table shows of a point."""

    coverage: Value
    value: Value
    low: Value
    high: Value


class Mark(NamedTuple):
    """Something that changed, before the point with this place, or after all of them."""

    at: datetime
    text: str
    place: int


COLUMNS: Final[Sequence[Column[Point]]] = (
    Column(
        "run",
        "Name of the run",
        "run__name",
        label="Run",
        numeric=False,
        template="evaluation/scores/cells/trend_run.html",
    ),
    Column(
        "uploaded",
        "When the run was uploaded",
        lambda point: point.run.created_at.isoformat(),
        label="Uploaded",
        numeric=False,
        template="evaluation/scores/cells/trend_uploaded.html",
    ),
    Column(
        "commit",
        "Commit or version of the system that made the run",
        "run__commit",
        words,
        "Commit",
        numeric=False,
    ),
    Column("value", show_row=attrgetter("cells.value"), value="value"),
    Column(
        "low",
        "Lower end of the 95 % interval of the mean",
        "low",
        label="from",
        term="confidence interval",
        show_row=attrgetter("cells.low"),
    ),
    Column(
        "high",
        "Upper end of the 95 % interval of the mean",
        "high",
        label="to",
        term="confidence interval",
        show_row=attrgetter("cells.high"),
    ),
    Column(
        "coverage",
        value="coverage",
        show_row=attrgetter("cells.coverage"),
    ),
    Column("queries", "Queries with a value", "queries", count),
)


def choices_on(formula: Formula, measures: Sequence[RoundedMeasure]) -> list[tuple[str, str]]:
    """The measures that a trend can show, by the word that an address has for them."""
    k = formula.cutoff
    ndcgs = [(ideal, f"NDCG-{ideal}@{k}") for ideal in (DEFAULT_ON, "max", "recall", "local")]
    return [*ndcgs, (DCG, f"DCG@{k}"), (JUDGED, f"judged@{k}"), *((str(one), str(one)) for one in measures)]


def points(
    judgment_list: JudgmentList, runs: Sequence[Run], trend: Trend, version: Version | None = None
) -> list[Point]:
    """The runs that have a value, in the order given. Two queries, one where the average isn't the mean."""
    measure = trend.measure
    rows: Any = MeasureEvaluation.objects if measure else Evaluation.objects
    rows = rows.filter(judgment_list=judgment_list, version=version, run__in=runs)
    if measure:
        rows = rows.filter(measure=str(measure.measure), digits=stored_digits(measure.digits))
        field, column = trend.average, "value"
    else:
        rows = rows.filter(formula=trend.formula.key)
        column = {DCG: "dcg", JUDGED: "judged_at_k"}.get(trend.on, f"ndcg_{trend.on}")
        field = f"{PREFIX[trend.average]}{column}"
    by_run = {one.run_id: one for one in rows}
    spreads = _spreads(judgment_list, trend, {one.pk: one.revision for one in by_run.values()}, column)
    most = _greatest(judgment_list, trend, version)
    points = []
    for run in runs:
        one = by_run.get(run.pk)
        number = one and getattr(one, field)
        if one is not None and number is not None:
            queries, spread = spreads.get(one.pk, (one.counted, None))
            interval = None if spread is None else mean_interval(number, spread, queries, most=most)
            points.append(Point(run, number, queries, interval, None if measure else one, trend.on == JUDGED))
    return points


def _spreads(
    judgment_list: JudgmentList, trend: Trend, evaluations: Mapping[int, int], column: str
) -> dict[int, tuple[int, float | None]]:
    """Number and standard deviation of the values of each evaluation of this revision. Only a mean has an interval.

    From the totals of evaluations. Those of further measures, which have none, are kept in the cache until grades change:
    reading 60 runs over 7,000 queries takes .7 s (`make bench-runs`).
    """
    if trend.average != MEAN:
        return {}
    kind = "measure" if trend.measure else "formula"
    names = {f"spread-{kind}-{key}-{column}-{revision}": key for key, revision in evaluations.items()}
    spreads = {} if trend.measure else read_spreads(evaluations, column)
    if any(key not in spreads for key in evaluations):
        spreads |= {names[name]: spread for name, spread in cache.get_many(names).items()}
    if missing := {key: name for name, key in names.items() if key not in spreads}:
        scores: Any = MeasureScore.objects if trend.measure else Score.objects
        rows = scores.filter(query_set=judgment_list.query_set_id, evaluation__in=missing)
        figures = rows.values("evaluation").annotate(n=Count(column), spread=StdDev(column, sample=True))
        read = {row["evaluation"]: (row["n"], row["spread"]) for row in figures}
        cache.set_many({missing[key]: spread for key, spread in read.items()}, timeout=KEPT)
        spreads |= read
    return spreads


def _greatest(judgment_list: JudgmentList, trend: Trend, version: Version | None) -> float | None:
    """The greatest value that the measure can have; None if it has none."""
    if trend.measure:
        return 1.0 if trend.measure.measure.definition.is_share else None
    if trend.on == DCG:
        return best_dcg(trend.formula, scale_info((version or judgment_list).scale))
    return 1.0 if trend.on in (*IDEALS, JUDGED) else None


def marks(judgment_list: JudgmentList, versions: Sequence[Version], runs: Sequence[Run]) -> list[Mark]:
    """When versions of the list were frozen and when the default formula changed, between the first and the last run. One query."""
    if not runs:
        return []
    uploads = [run.created_at for run in runs]
    changes = [(version.frozen_at, f"Version {version.number} frozen") for version in versions]
    acts = Act.objects.filter(query_set=judgment_list.query_set_id, subject=DEFAULT_FORMULA)
    acts = acts.filter(at__range=(uploads[0], uploads[-1]))
    changes += [
        (at, f"Default formula: {after.get('default', '')}") for at, after in acts.values_list("at", "after")
    ]
    return [
        Mark(at, text, bisect_right(uploads, at))
        for at, text in sorted(changes)
        if uploads[0] <= at <= uploads[-1]
    ]


def runs_by_age(judgment_list: JudgmentList) -> list[Run]:
    """The oldest first."""
    runs = Run.objects.filter(query_set=judgment_list.query_set_id).defer("report", "notes")
    return list(runs.order_by("created_at", "pk"))


def trend_json(
    trend_choice: Trend, points: list[Point], marks: list[Mark], state: dict[str, Any]
) -> dict[str, Any]:
    return {
        "list": state,
        "formula": {"text": trend_choice.formula.key, "words": trend_choice.formula.words()},
        "measure": trend_choice.heading,
        "average": trend_choice.average,
        "runs": list(json_records(COLUMNS, points)),
        "changes": [{"at": mark.at.isoformat(), "what": mark.text} for mark in marks],
    }
