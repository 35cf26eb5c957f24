"""The queries of one run against one judgment list, under one formula and further measures beside it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from evaluation.base.reports import query_columns
from evaluation.models import Evaluation, MeasureEvaluation, MeasureScore, Run, Score
from evaluation.scores.reports.fix_first import queries_by_cause
from evaluation.scores.reports.spread import RANGES
from evaluation.scores.reports.ties import TiedScore, tie_columns, tied_rankings
from evaluation.scores.sql.summaries import stored_digits
from judgments.models import JudgmentList, Version
from touchstone_core.comparison.values import Value, count, if_known, value
from touchstone_core.formats.columns import Column, of
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES
from touchstone_core.metrics.rounding import RoundedMeasure


@dataclass(frozen=True, slots=True)
class RunMeasure:
    """A further measure with its stored averages for the run."""

    measure: RoundedMeasure
    evaluation: MeasureEvaluation

    @property
    def text(self) -> str:
        """The canonical text, with the decimals that values are rounded to."""
        return str(self.measure)


def stored_measures(
    judgment_list: JudgmentList, run: Run, measures: Sequence[RoundedMeasure], version: Version | None
) -> list[RunMeasure] | None:
    """The stored averages of these measures; None if one isn't stored. At most one query."""
    if not measures:
        return []
    keys = [(str(one.measure), stored_digits(one.digits)) for one in measures]
    evaluations = MeasureEvaluation.objects.filter(
        judgment_list=judgment_list, version=version, run=run, measure__in=[text for text, _ in keys]
    )
    by_key = {(one.measure, one.digits): one for one in evaluations}
    if not by_key.keys() >= set(keys):
        return None
    return [RunMeasure(one, by_key[key]) for one, key in zip(measures, keys, strict=True)]


LEFT_OUT: Final = "left out"
QUERY_CELL: Final = "evaluation/scores/cells/query.html"
TIES: Final = "ties"
_CONDITIONS: Final = {
    "missing": Q(retrieved=None),
    "empty": Q(retrieved=0),
    "holes": Q(shown__gt=F("judged")),
    "zero": Q(ideal_global=0),
    "left-out": Q(ndcg_global=None),
    "untagged": Q(query__tags=[]),
    **RANGES,
    **queries_by_cause(),
}


@dataclass(frozen=True, slots=True)
class Filter:
    """Which queries are listed; by default all."""

    text: str = ""
    show: str = ""
    tag: str = ""


EVERY_QUERY: Final = Filter()


def score_columns(formula: Formula, measures: Sequence[RunMeasure]) -> list[Column[TiedScore]]:
    """Every column, in its order on the page and in files."""
    return [*of(attrgetter("score"), _columns(formula, measures)), *tie_columns(formula)]


def _columns(formula: Formula, measures: Sequence[RunMeasure]) -> Iterator[Column[Score]]:
    group, judged, k = f"NDCG@{formula.cutoff}", formula.judged_measure(), formula.cutoff
    yield from query_columns(QUERY_CELL, key="query", show_row=states)
    yield Column("weight", "", "query__weight")
    for ideal in IDEALS:
        text = formula.measure(ideal)
        yield Column(
            text,
            "",
            f"ndcg_{ideal}",
            None,
            ideal,
            group,
            ideal,
            json=("values", text),
            term=f"NDCG-{ideal}",
            show_row=_of_page(f"ndcg_{ideal}"),
        )
    dcg = formula.dcg_measure()
    yield Column(dcg, "", "dcg", None, "DCG", "", "dcg", json=("values", dcg), show_row=_of_page("dcg"))
    for place, one in enumerate(measures):
        json = ("values", one.text)
        yield Column(one.text, "", f"measure_{place}", value, "", "Further measures", one.text, json=json)
    for ideal in IDEALS:
        yield Column(f"ideal {ideal}", "", f"ideal_{ideal}", json=("ideals", ideal))
    for loss in LOSSES:
        name = f"lost {loss}"
        yield Column(
            name, "", f"lost_{loss}", value, loss, "Lost DCG points", f"lost-{loss}", json=("lost", loss)
        )
    yield Column(judged, "", "judged_at_k", value, f"judged@{k}", "Page", "judged", json=("values", judged))
    yield Column(formula.holes_measure(), "", "holes", count, "holes", "Page", "holes", json=("holes",))
    yield Column("retrieved", "", "retrieved", count, group="Page", key="retrieved")
    yield Column("shown", "", "shown")
    yield Column("judged", "", "judged")
    yield Column(LEFT_OUT, "", lambda row: "yes" if row.ndcg_global is None else "", json=None)
    yield Column("", "", lambda row: row.ndcg_global is None, json=("left_out",))
    yield Column("unknown", "", lambda row: "" if row.is_known else "yes", json=None)
    yield Column("", "", lambda row: not row.is_known, json=("unknown",))


def scores(
    evaluation: Evaluation,
    formula: Formula,
    measures: Sequence[RunMeasure] = (),
    query_filter: Filter = EVERY_QUERY,
) -> QuerySet[Score]:
    """The scores of an evaluation with everything that a table can show or sort by, in no order."""
    rows = Score.objects.filter(query_set=evaluation.query_set_id, evaluation=evaluation)
    rows = rows.select_related("query").annotate(
        **{f"measure_{place}": _measure(one.evaluation) for place, one in enumerate(measures)},
        holes=F("shown") - F("judged"),
    )
    if query_filter.show == TIES:
        rows = rows.filter(query__in=tied_rankings(evaluation.run, formula).values("query"))
    return rows.filter(_where(query_filter))


def _where(query_filter: Filter) -> Q:
    where = _CONDITIONS.get(query_filter.show, Q())
    if query_filter.text:
        where &= Q(query__text__icontains=query_filter.text) | Q(
            query__external_id__icontains=query_filter.text
        )
    if query_filter.tag:
        where &= Q(query__tags__contains=[query_filter.tag])
    return where


def _measure(evaluation: MeasureEvaluation) -> Subquery:
    """The query's stored value, found by its key."""
    values = MeasureScore.objects.filter(
        query_set=evaluation.query_set_id, evaluation=evaluation.pk, query=OuterRef("query_id")
    )
    return Subquery(values.values("value"))


def states(score: Score) -> list[str]:
    """Why there's nothing to score, in words, and whether a policy leaves the query out."""
    words = []
    if score.retrieved is None:
        words.append("missing")
    elif score.retrieved == 0:
        words.append("empty")
    elif score.ideal_global == 0:
        words.append("zero ideal")
    return [*words, LEFT_OUT] if score.ndcg_global is None else words


def _of_page(field: str) -> Callable[[Score], Value]:
    """Shows a value of the page. IDCG-max is the same for every query, so that DCG has the tint of its share of it."""
    share = "ndcg_max" if field == "dcg" else field
    return lambda score: if_known(value(getattr(score, field), share=getattr(score, share)), score.is_known)
