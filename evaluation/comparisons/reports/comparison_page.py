"""The records of the comparison page, from stored figures; they need no query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evaluation.models import Run
from touchstone_core.bounds.means import is_provisional
from touchstone_core.comparison.backed_figures import backed_figures
from touchstone_core.comparison.comparison import Figures
from touchstone_core.comparison.ruling import Looks
from touchstone_core.comparison.values import DASH, Segment, fixed, percent_text, segments, signed
from touchstone_core.comparison.verdict import Verdict, ideal_of_bounds, missing_words, verdict_of
from touchstone_core.metrics.direction import has_own_ideal, ranks_runs
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.left_out import left_out_of_difference, left_out_words
from touchstone_core.metrics.short_pages import ShortPages


@dataclass(frozen=True, slots=True)
class Range:
    """A difference with its interval; `sign` is 1, -1, or 0 where the interval holds 0. `exact` has every digit."""

    text: str
    low: str
    high: str
    sign: int
    exact: str


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a value can lie whatever grades the unjudged documents get that one of the runs retrieved, and how much of the
    page's weight is judged. If anything may exist it is at least `any_low`, and `high` stays."""

    low: str
    high: str
    any_low: str
    coverage: str
    provisional: bool
    nothing_judged: bool  # the share is that of places without a document


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run: its means, and what is said of it beside the baseline; `beside` is None for the baseline itself."""

    run: Run
    means: Figures
    interval: Interval | None
    ladder: list[Segment]
    missing: str
    short_pages: str
    holes: int
    beside: "BesideBaseline | None"


@dataclass(frozen=True, slots=True)
class BesideBaseline:
    """What is said of a run beside the baseline, and its `record`. `bounds` are those of the difference, and `bounds_any` those
    if anything may exist: see `ComparisonPage.ideal_of_difference`."""

    verdict: Verdict
    record: Figures
    splits: list[Figures]
    evidence: Figures | None
    bounds: str
    bounds_any: str

    @property
    def difference(self) -> Range:
        mean, interval = self.record["difference"]["mean"], self.verdict.rule.interval
        return range_of(mean, interval)


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """`figures` are those that may be shown beside the `verdicts` (`backed_figures`). `own_ideal` where runs are not ranked for that
    reason; `ideal_of_bounds` is the ideal that the bounds of each run are of, and `ideal_of_difference` that of those of a
    difference."""

    queries: int
    left_out: str
    held_out: int
    ranks: bool
    own_ideal: bool
    ideal_of_bounds: str
    ideal_of_difference: str
    heading: str
    rows: list[RunRow]
    figures: Figures
    verdicts: list[Verdict]
    cautions: list[str]
    looks: int
    draws: int

    @property
    def baseline(self) -> RunRow:
        return self.rows[0]

    @property
    def candidates(self) -> list[RunRow]:
        return self.rows[1:]

    @property
    def looked(self) -> bool:
        """Whether queries were added between looks at any of these runs, so that an always-valid p-value decides."""
        return any(verdict.rule.always_valid for verdict in self.verdicts)

    @property
    def everything_judged(self) -> bool:
        return bool(self.figures["coverage"]["everything"])


_CAUTIONS: Final = {
    "weighted twice": "The queries were drawn by their traffic, so that the plain mean is weighted already.",
    "few effective queries": "A few frequent queries decide alone: fewer than 30 effective queries.",
}


def comparison_page(
    runs: Sequence[Run],
    on: str,
    heading: str,
    figures: Figures,
    looks: Sequence[Looks],
    *,
    comparisons: int = 0,
) -> ComparisonPage:
    """`heading` names what the comparison is on; `looks` are those at each run but the first beside it; `comparisons` is how
    many pairs of runs were compared on this query set."""
    verdicts = [verdict_of(figures, place, on=on, looks=one) for place, one in enumerate(looks)]
    figures = backed_figures(figures, verdicts)
    rows = [_row(run, place, on, figures, verdicts) for place, run in enumerate(runs)]
    weighted = figures["comparisons"][0]["weighted"]
    return ComparisonPage(
        queries=figures["queries"],
        left_out=_left_out(figures, on),
        held_out=figures["held_out"],
        ranks=ranks_runs(on),
        own_ideal=has_own_ideal(on),
        ideal_of_bounds=_ideal_of_bounds(on),
        ideal_of_difference=ideal_of_bounds(on),
        heading=heading,
        rows=rows,
        figures=figures,
        verdicts=verdicts,
        cautions=[_CAUTIONS[caution] for caution in weighted["cautions"]] if weighted else [],
        looks=comparisons,
        draws=figures["comparisons"][0]["settings"]["draws"],
    )


def _row(run: Run, place: int, on: str, figures: Figures, verdicts: Sequence[Verdict]) -> RunRow:
    means = figures["runs"][place]
    bound = figures["bounds"][place] if figures["bounds"] else None
    return RunRow(
        run=run,
        means=means,
        interval=_interval(bound, on, means) if bound else None,
        ladder=segments(*means["shares"]),
        missing=missing_words(means["answered"], figures["queries"]),
        short_pages=ShortPages.from_json(means["short_pages"]).words,
        holes=means["holes"],
        beside=_beside(place - 1, on, figures, verdicts[place - 1]) if place else None,
    )


def _left_out(figures: Figures, on: str) -> str:
    """Which queries the formula leaves out, and what missing grades could make of it; empty where none is."""
    out, queries = figures["left_out"], figures["queries"]
    if not out:
        return ""
    if on == "global" and figures["bounds"]:
        return f"{left_out_words(out, out + queries)} Missing grades can bring them in, and the bounds allow for that."
    return left_out_of_difference(out, queries, [one["difference"]["mean"] for one in figures["comparisons"]])


def _ideal_of_bounds(on: str) -> str:
    return on if on in IDEALS else "global"


def _interval(bound: Figures, on: str, means: Figures) -> Interval:
    ideal, coverage = _ideal_of_bounds(on), bound["coverage"]
    return Interval(
        low=_fixed(bound["low"][ideal]),
        high=_fixed(bound["high"][ideal]),
        # Where a page of further documents has the top grade, the ideal of global is that of max.
        any_low=_fixed(bound["any_low"]) if ideal == "global" else DASH,
        coverage=percent_text(coverage),
        provisional=is_provisional(coverage),
        nothing_judged=bool(means["holes"] and not means["judged"]),
    )


def _beside(place: int, on: str, figures: Figures, verdict: Verdict) -> BesideBaseline:
    evidence = figures["evidence"] and figures["evidence"][place]
    return BesideBaseline(
        verdict=verdict,
        record=figures["comparisons"][place],
        splits=figures["splits"][place],
        evidence=evidence,
        bounds=_bounds_text(evidence, "global_" if on == "global" else ""),
        bounds_any=_bounds_text(evidence, "any_") if on == "global" else DASH,
    )


def _bounds_text(evidence: Figures | None, name: str) -> str:
    return f"{signed(evidence[f'{name}low'])} to {signed(evidence[f'{name}high'])}" if evidence else DASH


def range_of(mean: float, interval: dict[str, float] | None, *, adjusted: bool = True) -> Range:
    """A mean difference as people read it. One that is not `adjusted` for all that its sign would claim gets none."""
    if interval is None:
        return Range(signed(mean), DASH, DASH, 0, repr(mean))
    low, high = interval["low"], interval["high"]
    sign = 0 if not adjusted else 1 if low > 0 else -1 if high < 0 else 0
    return Range(signed(mean), signed(low), signed(high), sign, f"{mean!r}, from {low!r} to {high!r}")


def _fixed(number: float | None) -> str:
    return DASH if number is None else fixed(number)
