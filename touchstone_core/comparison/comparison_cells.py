"""What tables say of a run beside the baseline: each column declared once, as it is read from a comparison's record."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from touchstone_core.comparison.page_evidence import UNIVERSE
from touchstone_core.comparison.values import MINUS, Value, count, difference, p_text, percent, tinted, value
from touchstone_core.comparison.verdict import Figures
from touchstone_core.formats.columns import Column, of
from touchstone_core.impact.intent import COLUMNS as INTENT
from touchstone_core.impact.intent import IntentCounts
from touchstone_core.metrics.direction import DCG
from touchstone_core.metrics.formula import IDEALS, Formula


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run at its place in the figures of a comparison, the baseline at 0. `run` has a name."""

    run: Any
    place: int
    figures: Figures
    counts: IntentCounts | None = None
    measure: str = ""

    @property
    def means(self) -> Any:
        return self.figures["runs"][self.place]

    @property
    def bound(self) -> Any:
        """Of the run itself; None where the formula has none."""
        bounds = self.figures["bounds"]
        return bounds[self.place] if bounds else None

    def beside(self, name: str) -> Any:
        """What is said of the run beside the baseline; None of the baseline itself, and where nothing is said."""
        records = self.figures[name]
        return records[self.place - 1] if self.place and records else None


def better_probability(one: Figures) -> float | None:
    """None of equal values, too, of which it would be 0 and read as if the run were worse."""
    outcomes = one["outcomes"]
    changed = one["posterior"] and outcomes["wins"] + outcomes["losses"]
    return one["posterior"]["better"] if changed else None


def at(*path: str) -> Callable[[Figures | None], Any]:
    def read(one: Figures | None) -> Any:
        result: Any = one
        for name in path:
            result = result.get(name) if result else None
        return result

    return read


def p_value(p: float | None) -> Value:
    return Value(p, p_text(p))


def _two_decimals(number: float | None) -> Value:
    return value(None) if number is None else Value(number, f"{number:+.2f}".replace("-", MINUS))


def means_columns(formula: Formula, measures: Iterable[str]) -> Iterator[Column[Figures]]:
    """Of the means of a run; `measures` are canonical texts."""
    for ideal in IDEALS:
        text, group = formula.measure(ideal), f"NDCG@{formula.cutoff}"
        yield Column(text, "", at("ndcg", ideal), tinted, ideal, group, term=f"NDCG-{ideal}")
    yield Column(
        formula.dcg_measure(),
        label="DCG",
        value=at(DCG),
        show_row=lambda means: value(means[DCG], share=means["ndcg"]["max"]),
    )
    for text in measures:
        yield Column(text, "", at("measures", text), value, "", "Further measures")


DIFFERENCE: Final[Column[Figures]] = Column(
    "difference",
    "mean difference with its 95 % interval, which agrees with p",
    at("difference", "mean"),
    difference,
)
P: Final[Column[Figures]] = Column(
    "p (adjusted)",
    "sign-flip permutation test, adjusted for the runs of this page",
    at("adjusted"),
    p_value,
    "p",
)
BETTER: Final[Column[Figures]] = Column(
    "P(better)",
    "probability that the mean difference is above 0, of a single look, not adjusted for other runs",
    better_probability,
    percent,
)
OUTCOMES: Final[tuple[Column[Figures], ...]] = (
    Column("won", "", at("outcomes", "wins"), count, key="won"),
    Column("tied", "", at("outcomes", "ties"), count, key="tied"),
    Column("lost", "", at("outcomes", "losses"), count, key="lost", term="lost query"),
)
EFFECT_SIZE: Final[Column[Figures]] = Column(
    "d_z", "mean difference divided by its spread", at("difference", "effect"), _two_decimals
)
RISK: Final[tuple[Column[Figures], ...]] = (
    Column("URisk", "wins less twice the losses, on average", at("risk", "urisk"), difference),
    Column(
        "TRisk",
        "URisk by its standard error: below −2 the losses outweigh",
        at("risk", "trisk"),
        _two_decimals,
    ),
)
POWER: Final[tuple[Column[Figures], ...]] = (
    Column(
        "can show",
        "the smallest difference that these queries detect in about 80 of 100 cases (76 with 15 queries, 77 with 25, 79 with "
        "50), in the adjusted test",
        at("detectable"),
        value,
        "can detect",
    ),
    Column(
        "queries needed",
        "queries that would detect a difference as large as the one seen",
        at("queries_needed"),
        count,
    ),
)
VERDICT: Final[Column[Figures]] = Column("verdict", "", at("verdict"))
COMPARISON: Final[tuple[Column[Figures], ...]] = (
    DIFFERENCE,
    Column("interval low", "", at("difference", "interval", "low")),
    Column("interval high", "", at("difference", "interval", "high")),
    Column("p", "", at("permutation", "value")),
    P,
    Column("method", "", at("permutation", "method")),
    BETTER,
    *OUTCOMES,
    EFFECT_SIZE,
    Column("rank-biserial", "", at("outcomes", "rank_biserial")),
    *RISK,
    *POWER,
)
ROBUST: Final[tuple[Column[Figures], ...]] = (
    Column("median", "", at("robust", "median")),
    Column("trimmed mean", "", at("robust", "trimmed")),
    Column("weighted difference", "", at("weighted", "mean")),
    Column("effective queries", "", at("weighted", "effective")),
    # What decides where queries were added between looks; nothing of a measure without an upper end.
    Column("always-valid p", "", at("sequential", "p")),
    Column("always-valid low", "", at("sequential", "interval", "low")),
    Column("always-valid high", "", at("sequential", "interval", "high")),
)
_DIFFERS: Final = "Queries whose page differs"
_HOW_MUCH: Final = "By how much, on average"
_DECIDED: Final = "Queries decided regardless of missing grades"
_OVERLAP: Final = "documents on both pages, as a share of the longer one, on average"
_RBO: Final = "rank-biased overlap, extrapolated; the page carries 90 % of the weight"
_CEILING: Final = "the most that mean NDCG-max could move, whatever grades"
ON_AVERAGE: Final[tuple[Column[Figures], ...]] = (
    Column("overlap", _OVERLAP, at("overlap"), value, "", _HOW_MUCH, term="overlap of pages"),
    Column("RBO", _RBO, at("rbo"), value, "", _HOW_MUCH),
    Column("NDCG-max ceiling", _CEILING, at("ceiling"), value, "", _HOW_MUCH),
)
PAGE_CHANGES: Final[tuple[Column[Figures], ...]] = (
    Column("changed", "", at("changed"), count, "", _DIFFERS, "changed"),
    Column("changed at rank 1", "another document at rank 1", at("first"), count, "at rank 1", _DIFFERS),
    Column(
        "order only", "the same documents in another order", at("new_order"), count, "", _DIFFERS, "order"
    ),
    Column("documents", "with other documents", at("new_documents"), count, "", _DIFFERS, "documents"),
    *ON_AVERAGE,
)
DECISIONS: Final[tuple[Column[Figures], ...]] = (
    Column("for the run", "", at("for_candidate"), count, "", _DECIDED, "for-run"),
    Column("for the baseline", "", at("for_baseline"), count, "", _DECIDED, "for-baseline"),
    Column("even", "no document decides: neither can win", at("even"), count, "", _DECIDED, "even"),
    Column("open", "", at("open"), count, "", _DECIDED, "open"),
)
BOUNDS: Final[tuple[Column[Figures], ...]] = (
    Column("NDCG-max at least", "", at("low"), difference, "max at least"),
    Column("NDCG-max at most", "", at("high"), difference, "at most"),
    Column("difference of NDCG-global at least", "", at("global_low"), difference, "global at least"),
    Column("difference of NDCG-global at most", "", at("global_high"), difference, "at most"),
)
EVIDENCE: Final[tuple[Column[Figures], ...]] = (
    *PAGE_CHANGES,
    *DECISIONS,
    *BOUNDS,
    Column("difference of NDCG-global at least, anything", "", at("any_low")),
    Column("difference of NDCG-global at most, anything", "", at("any_high")),
    Column("baseline coverage", "", at("baseline_coverage")),
    Column("coverage of the run", "", at("coverage")),
    Column("difference of NDCG-max expected", "", at("expected_value")),
    Column("expected at least", "", at("expected_low")),
    Column("expected at most", "", at("expected_high")),
)
STEPS: Final[tuple[Column[list[Figures]], ...]] = (
    Column("all steps", "", lambda parts: parts[0]["mean"], difference),
    Column("by order", "", lambda parts: parts[1]["mean"], difference, "order"),
    Column("by depth", "", lambda parts: parts[2]["mean"], difference, "depth"),
    Column("by recall", "", lambda parts: parts[3]["mean"], difference, "recall"),
)
"""The parts of a split; the content gap, the last of them, is the same for every run."""
BOUND: Final[tuple[Column[Figures], ...]] = (
    Column("coverage", "", at("coverage"), percent),
    Column("NDCG-global at least", "", at("low", "global"), value),
    Column("NDCG-global at most", "", at("high", "global"), value, "at most"),
)
SHORT_PAGES: Final[Column[ComparedRun]] = Column(
    "short pages", "", lambda row: row.means["short_pages"]["short"]
)
BOUNDS_OVER: Final[Column[ComparedRun]] = Column(
    "bounds over", "", lambda row: UNIVERSE if row.figures["bounds"] else None
)


def of_comparison(*columns: Column[Figures]) -> list[Column[ComparedRun]]:
    """Columns of the record of a run beside the baseline (`significance.comparison.Comparison`)."""
    return of(lambda row: row.beside("comparisons"), columns)


def evidence(*columns: Column[Figures]) -> list[Column[ComparedRun]]:
    """Columns of what its pages say (`Evidence.counts`, `pool_estimate.expected_beside`)."""
    return of(lambda row: row.beside("evidence"), columns)


def intent() -> list[Column[ComparedRun]]:
    return of(lambda row: row.counts, INTENT)
