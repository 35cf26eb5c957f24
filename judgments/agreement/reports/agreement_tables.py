"""The tables of agreement as the page, files and the API have them: by query, by rater, by two raters, and over time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judgments.agreement.reports import agreement as reports
from judgments.agreement.reports import rater_agreement as of_raters
from judgments.agreement.reports.drift import Drift
from judgments.agreement.reports.stored_agreement import AgreementFigures
from judgments.models import Query
from touchstone_core.formats.columns import Column
from touchstone_core.formats.spreadsheet import Cell


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query with its figures; undefined ones are None. `few`: too few pairs for its alpha to mean much."""

    query: Query
    pairs: int
    agreement: float
    distance: float | None
    alpha: float | None

    @property
    def few(self) -> bool:
        return self.pairs < reports.FEW_PAIRS


def query_columns(steps: reports.Steps) -> list[Column[QueryRow]]:
    """The table of queries. Columns with a key can order it, each in one direction."""
    agreement = "Within a tenth" if steps.continuous else "Same grade"
    distance = "Mean distance" if steps.level == "interval" else "Mean grades apart"
    key = "" if steps.level == "nominal" else "distance"
    return [
        Column("query_id", "", "query__external_id"),
        Column("query", "", "query__text"),
        Column("pairs", "", "pairs", label="Pairs", key="pairs"),
        Column("agreement", "", "agreement", label=agreement, key="agreement"),
        Column("mean_distance", "", "distance", label=distance, key=key),
        Column("alpha", "", "alpha", label="Alpha", key="alpha"),
    ]


def query_rows(figures: reports.ByQuery, order: Sequence[int]) -> list[QueryRow]:
    """One query for the texts. Queries that were deleted since the figures were computed are left out."""
    ids = [figures.query_ids[at] for at in order]
    queries = Query.objects.in_bulk(ids)
    return [
        QueryRow(
            queries[figures.query_ids[at]],
            int(figures.pairs[at]),
            float(figures.agreement[at]),
            of_raters.number_or_none(figures.distance[at]),
            of_raters.number_or_none(figures.alpha[at]),
        )
        for at in order
        if figures.query_ids[at] in queries
    ]


def rater_table(figures: AgreementFigures) -> Iterator[Sequence[Cell]]:
    heads = ["judgments", "cannot_judge", "compared", "agreement", "kappa", "bias", "alpha_without"]
    yield ["rater", *heads, *(f"gave {label}" for label in of_raters.labels_of(figures.raters.steps))]
    for row in figures.raters.figures(figures.alphas):
        comparison = [row.pairs, row.agreement, row.kappa, row.bias, row.alpha_without]
        yield [row.name, row.judgments, row.cannot, *comparison, *row.use.counts]


def pair_table(raters: of_raters.Raters) -> Iterator[Sequence[Cell]]:
    yield ["rater", "other", "pairs", "agreement", "kappa", "bias"]
    yield from raters.table()


def time_table(drift: Drift) -> Iterator[Sequence[Cell]]:
    yield ["rater", "tenth", "since", "until", "judgments", "agreement", "higher_by", "moving_average"]
    for rater in drift.raters:
        for nth, one in enumerate(rater.slices, start=1):
            dates = [one.since.isoformat(), one.until.isoformat()]
            figures = [one.judgments, one.same, one.apart, one.average]
            yield [rater.name, nth, *dates, *figures]
