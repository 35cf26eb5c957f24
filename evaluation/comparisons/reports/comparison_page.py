"""The records of the comparison page, from stored figures; they need no query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluation.models import Run
from touchstone_core.comparison.comparison import DCG, Figures
from touchstone_core.comparison.comparison_cells import better_probability
from touchstone_core.comparison.ruling import Looks, ruling
from touchstone_core.comparison.values import DASH, Segment, Value, fixed, p_text, segments, signed, value
from touchstone_core.comparison.verdict import Verdict, ideal_of_bounds, missing_words, verdict_of
from touchstone_core.metrics.direction import has_own_ideal, ranks_runs
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.left_out import left_out_of_difference, left_out_words
from touchstone_core.metrics.short_pages import ShortPages

PROVISIONAL: Final = 0.95
"""Below this discounted coverage a value is provisional: unjudged documents could move it."""
PART_WORDS: Final = {
    "change": ("NDCG-max", "the whole change"),
    "order": ("order", "the same documents on the page, in a better or worse order"),
    "depth": ("depth", "good documents that came up from below the cutoff, or went down"),
    "recall": ("recall", "good judged documents that came into the ranking, or left it"),
    "content": ("content", "what nobody could have ranked: the same for every run"),
}


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


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run: its means, and what is said of it beside the baseline; `beside` is None for the baseline itself."""

    run: Run
    means: Figures
    tested: Value
    interval: Interval | None
    ladder: list[Segment]
    missing: str
    short_pages: str
    holes: int
    beside: "BesideBaseline | None"


@dataclass(frozen=True, slots=True)
class Part:
    """What one step of the waterfall gained or lost from the baseline to the run, as a share of the whole ideal."""

    name: str
    words: str
    range: Range


@dataclass(frozen=True, slots=True)
class BesideBaseline:
    """What is said of a run beside the baseline; `bounds` are those of the difference, and `bounds_any` those if anything
    may exist: see `ComparisonPage.ideal_of_difference`."""

    verdict: Verdict
    difference: Range
    p: str
    raw_p: str
    method: str
    better: str
    within: str
    record: Figures
    effect: str
    urisk: str
    trisk: str
    median: Range
    trimmed: Range
    improved: str
    worsened: str
    weighted: "WeightedDifference | None"
    detectable: str
    needed: str
    margins: "Margins"
    parts: list[Part]
    evidence: Figures | None
    bounds: str
    bounds_any: str


@dataclass(frozen=True, slots=True)
class Margins:
    """The least δ of which it can be said, at 5 %: no worse than the baseline by more than δ; the same within ±δ."""

    no_worse: str
    same: str


@dataclass(frozen=True, slots=True)
class WeightedDifference:
    """The traffic-weighted difference, and why it may not be trusted."""

    difference: Range
    p: str
    effective: str
    cautions: list[str]


@dataclass(frozen=True, slots=True)
class PairCell:
    """Two runs among all pairs: the difference, and Tukey's p."""

    difference: str
    p: str
    significant: bool


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """`matrix` has a row for each run: the run, then what differs from each run; None on the diagonal. `own_ideal` where
    runs are not ranked for that reason; `ideal_of_bounds` is the ideal that the bounds of each run are of, and `ideal_of_difference` that of
    those of a difference."""

    queries: int
    left_out: str
    held_out: int
    ranks: bool
    own_ideal: bool
    ideal_of_bounds: str
    ideal_of_difference: str
    heading: str
    rows: list[RunRow]
    matrix: list[tuple[Run, list[PairCell | None]]]
    looks: int
    draws: int

    @property
    def baseline(self) -> RunRow:
        return self.rows[0]

    @property
    def candidates(self) -> list[RunRow]:
        return self.rows[1:]


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
    rows = [_row(run, place, on, figures, looks) for place, run in enumerate(runs)]
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
        matrix=_matrix(runs, figures["pairs"]) if figures["pairs"] else [],
        looks=comparisons,
        draws=figures["comparisons"][0]["settings"]["draws"],
    )


def _row(run: Run, place: int, on: str, figures: Figures, looks: Sequence[Looks]) -> RunRow:
    means = figures["runs"][place]
    bound = figures["bounds"][place] if figures["bounds"] else None
    tested = means["ndcg"][on] if on in IDEALS else means["dcg"] if on == DCG else means["measures"][on]
    return RunRow(
        run=run,
        means=means,
        tested=value(tested),
        interval=_interval(bound, on) if bound else None,
        ladder=segments(*means["shares"]),
        missing=missing_words(means["answered"], figures["queries"]),
        short_pages=ShortPages.from_json(means["short_pages"]).words,
        holes=means["holes"],
        beside=_beside(place - 1, on, figures, looks[place - 1]) if place else None,
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


def _interval(bound: Figures, on: str) -> Interval:
    ideal, coverage = _ideal_of_bounds(on), bound["coverage"]
    return Interval(
        low=_fixed(bound["low"][ideal]),
        high=_fixed(bound["high"][ideal]),
        # Where a page of further documents has the top grade, the ideal of global is that of max.
        any_low=_fixed(bound["any_low"]) if ideal == "global" else DASH,
        coverage=f"{100 * coverage:.1f} %",
        provisional=coverage < PROVISIONAL,
    )


def _beside(place: int, on: str, figures: Figures, looks: Looks) -> BesideBaseline:
    one, evidence = figures["comparisons"][place], figures["evidence"] and figures["evidence"][place]
    difference, outcomes, robust, rule = one["difference"], one["outcomes"], one["robust"], ruling(one, looks)
    # Neither knows of looks.
    posterior, plans = (None, False) if rule.always_valid else (one["posterior"], True)
    better = better_probability(one) if plans else None
    return BesideBaseline(
        verdict=verdict_of(figures, place, on=on, looks=looks),
        difference=range_of(difference["mean"], rule.interval),
        p=p_text(rule.p),
        raw_p=p_text(one["permutation"]["value"]),
        method=one["permutation"]["method"],
        better=DASH if better is None else _percent(better),
        within=_percent(posterior["within"]) if posterior else DASH,
        record=one,
        effect=DASH if difference["effect"] is None else f"{difference['effect']:+.2f}".replace("-", "−"),
        urisk=signed(one["risk"]["urisk"]),
        trisk=DASH if one["risk"]["trisk"] is None else f"{one['risk']['trisk']:+.2f}".replace("-", "−"),
        median=range_of(robust["median"], robust["median_interval"], adjusted=False),
        trimmed=range_of(robust["trimmed"], robust["trimmed_interval"], adjusted=False),
        improved=_percent(outcomes["better"]),
        worsened=_percent(outcomes["worse"]),
        weighted=_weighted(one["weighted"]) if one["weighted"] else None,
        detectable=_fixed(one["detectable"] if plans else None),
        needed=f"{one['queries_needed']:,}" if plans and one["queries_needed"] else DASH,
        margins=_margins(one["one_sided"]) if plans else Margins(DASH, DASH),
        parts=[_part(part) for part in figures["splits"][place] if part["part"] != "content"],
        evidence=evidence,
        bounds=_bounds_text(evidence, "global_" if on == "global" else ""),
        bounds_any=_bounds_text(evidence, "any_") if on == "global" else DASH,
    )


def _bounds_text(evidence: Figures | None, name: str) -> str:
    return f"{signed(evidence[f'{name}low'])} to {signed(evidence[f'{name}high'])}" if evidence else DASH


def _weighted(record: dict[str, Any]) -> WeightedDifference:
    return WeightedDifference(
        difference=range_of(record["mean"], record["interval"], adjusted=False),
        p=p_text(record["permutation"]["value"]),
        effective=f"{record['effective']:.0f}",
        cautions=[_CAUTIONS[caution] for caution in record["cautions"]],
    )


def _part(part: Figures) -> Part:
    name, words = PART_WORDS[part["part"]]
    return Part(name, words, range_of(part["mean"], part["interval"]))


def _margins(one_sided: dict[str, float] | None) -> Margins:
    if one_sided is None:
        return Margins(DASH, DASH)
    low, high = one_sided["low"], one_sided["high"]
    return Margins(no_worse=fixed(max(0.0, -low)), same=fixed(max(-low, high)))


def range_of(mean: float, interval: dict[str, float] | None, *, adjusted: bool = True) -> Range:
    """A mean difference as people read it. One that is not `adjusted` for what stands beside it gets no sign."""
    if interval is None:
        return Range(signed(mean), DASH, DASH, 0, repr(mean))
    low, high = interval["low"], interval["high"]
    sign = 0 if not adjusted else 1 if low > 0 else -1 if high < 0 else 0
    return Range(signed(mean), signed(low), signed(high), sign, f"{mean!r}, from {low!r} to {high!r}")


def _matrix(runs: Sequence[Run], pairs: Figures) -> list[tuple[Run, list[PairCell | None]]]:
    cells: list[list[PairCell | None]] = [[None] * len(runs) for _ in runs]
    for pair in pairs["pairs"]:
        significant = pair["p"] is not None and pair["p"] <= 0.05
        first, second, difference = pair["first"], pair["second"], pair["difference"]
        cells[second][first] = PairCell(signed(difference), p_text(pair["p"]), significant)
        cells[first][second] = PairCell(signed(-difference), p_text(pair["p"]), significant)
    return list(zip(runs, cells, strict=True))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _fixed(number: float | None) -> str:
    return DASH if number is None else fixed(number)
