"""What the figures of a comparison say in a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from touchstone_core.comparison.coverage import Coverage
from touchstone_core.comparison.headline import Headline
from touchstone_core.comparison.ruling import Looks, Ruling, ruling
from touchstone_core.comparison.values import fixed, p_text, signed
from touchstone_core.deciding.outlook import Outlook
from touchstone_core.metrics.direction import DCG, has_own_ideal, measures_quality, ranks_runs
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.significance.differences import TOLERANCE
from touchstone_core.significance.permutation import FEWEST, Method
from touchstone_core.significance.planning import SIGNIFICANCE
from touchstone_core.words import counted, in_two_digits

Figures: TypeAlias = dict[str, Any]
ONE_LOOK: Final = Looks()

# What unjudged documents could turn is known for these, at the cutoff of the formula.
WITH_BOUNDS: Final = ("global", "max", DCG)
ALL_JUDGED: Final = " Every document that these runs retrieved is judged."
NOT_UNDER_FORMULA: Final = "What unjudged documents could change isn’t known under this formula."
FEW_RUNS: Final = "What they would be can’t be estimated: that takes three runs that fed the pool."
BEYOND: Final = "What they would be can’t be estimated: one of the two runs is too unlike the pool. Judge its documents first."


@dataclass(frozen=True, slots=True)
class Verdict:
    """`rule` decides whether it is noise. `care` is what a “better” or “worse” may hide, and part of the details, too."""

    headline: Headline
    details: str
    rule: Ruling
    care: str = ""

    @property
    def kind(self) -> str:
        return self.headline.kind

    @property
    def needs_judging(self) -> bool:
        return self.headline.needs_judging

    @property
    def backs_figures(self) -> bool:
        """Whether signs, powers and margins of a single look at these values may be shown beside it."""
        return not self.needs_judging and not self.rule.always_valid


def measure_text(formula: Formula, on: str) -> str:
    """The canonical text of what a comparison is on."""
    if on in IDEALS:
        return formula.measure(on)
    return formula.dcg_measure() if on == DCG else on


def measure_name(cutoff: int, on: str) -> str:
    """What people call it: NDCG-global@10. Further measures have only their canonical text."""
    if on in IDEALS:
        return f"NDCG-{on}@{cutoff}"
    return f"DCG@{cutoff}" if on == DCG else on


def on_of(formula: Formula, measure: str) -> str:
    """The other way round."""
    return next((on for on in (*IDEALS, DCG) if measure_text(formula, on) == measure), measure)


def compared_means(figures: Figures, place: int, on: str) -> tuple[float, float] | None:
    """The means of the baseline and of the run at this place behind it. None where they don't make the difference: a query that
    a run leaves out is compared as 0."""
    baseline, run = (
        {**one["measures"], **one["ndcg"], DCG: one["dcg"]}.get(on)
        for one in (figures["runs"][0], figures["runs"][place + 1])
    )
    if baseline is None or run is None:
        return None
    is_difference = fixed(run - baseline) == fixed(figures["comparisons"][place]["difference"]["mean"])
    return (baseline, run) if is_difference else None


def verdict(
    one: Figures,
    evidence: Figures | None,
    others: int,
    coverage: Coverage,
    *,
    on: str,
    cutoff: int,
    looks: Looks = ONE_LOOK,
) -> Verdict:
    """Of one run beside the baseline; `others` is how many runs its p-value is adjusted for; `on` as `ComparisonOptions.on`."""
    rule = ruling(one, looks)
    known = evidence if on in WITH_BOUNDS else None
    if zeros_would_decide(evidence, coverage, on):
        headline, details = _needs_judging(one, evidence, coverage, on=on, cutoff=cutoff)
        return Verdict(headline, details, replace(rule, p=None, interval=None))
    method = one["permutation"]["method"]
    if method == Method.IDENTICAL:
        return Verdict(*_no_difference(one, evidence, coverage, on=on, cutoff=cutoff), rule)
    if method == Method.TOO_FEW:
        return Verdict(Headline.TOO_FEW, _too_few(one), rule)
    details = _details(one, rule, others, looks)
    if not rule.significant:
        return Verdict(
            Headline.TOO_CLOSE, details if rule.always_valid else f"{details} {_planning(one)}", rule
        )
    if not ranks_runs(on):
        return Verdict(Headline.ORDERING if has_own_ideal(on) else Headline.OTHER_VALUE, details, rule)
    care = _care(one, rule)
    details = f"{details} {care}".rstrip()
    certain, so_far = (
        (Headline.BETTER, Headline.BETTER_SO_FAR)
        if one["difference"]["mean"] > 0
        else (Headline.WORSE, Headline.WORSE_SO_FAR)
    )
    if is_settled(evidence, coverage, on) or (known is not None and not _could_turn(known, on)):
        return Verdict(certain, f"{details}{_certain(known, on)}", rule, care)
    return Verdict(so_far, f"{details} {_could_change(evidence, on, cutoff)}", rule, care)


def verdict_of(figures: Figures, place: int, *, on: str, looks: Looks = ONE_LOOK) -> Verdict:
    """Of the run at this place behind the baseline, from all figures of a comparison."""
    comparisons, evidence = figures["comparisons"], figures["evidence"]
    return verdict(
        comparisons[place],
        evidence and evidence[place],
        tested_runs(comparisons),
        Coverage.of_figures(figures, place),
        on=on,
        cutoff=figures["cutoff"],
        looks=looks,
    )


def _no_difference(
    one: Figures, evidence: Figures | None, coverage: Coverage, *, on: str, cutoff: int
) -> tuple[Headline, str]:
    """Of equal values: headline and details. Unjudged documents could part them, unless it is known that they can't."""
    queries = one["queries"]
    details = f"The same value on {f'every one of {queries:,} queries' if queries > 1 else 'the only query'}."
    if not measures_quality(on) or is_settled(evidence, coverage, on, equal=True):
        return Headline.NO_DIFFERENCE, details
    could = _could_change(evidence, on, cutoff, "make a difference")
    return Headline.NO_DIFFERENCE_SO_FAR, f"{details} {could}"


def zeros_would_decide(evidence: Figures | None, coverage: Coverage, on: str) -> bool:
    """Whether one run is judged less than the other, or documents were judged for what they decide, and unjudged documents could
    turn the result, so that zeros tell nothing."""
    if not measures_quality(on) or not may_rest_on_zeros(evidence, coverage, on):
        return False
    return evidence is None or on not in WITH_BOUNDS or _could_turn(evidence, on)


def may_rest_on_zeros(evidence: Figures | None, coverage: Coverage, on: str) -> bool:
    """Whether what unjudged documents count as favors one of the runs, or may do so where any can change the difference."""
    return coverage.rests_on_zeros and not (coverage.targeted and is_settled(evidence, coverage, on))


def is_settled(evidence: Figures | None, coverage: Coverage, on: str, *, equal: bool = False) -> bool:
    """Whether it is known that no unjudged document can change the difference; of `equal` values none below the depth can."""
    if coverage.everything:
        return True
    if evidence is not None and on in WITH_BOUNDS:
        low, high = bounds_of(evidence, on)
        return bool(high - low < TOLERANCE)
    if evidence is not None and not evidence["changed"] and coverage.of_pages:
        return True
    # The ideals of local and recall are made of the documents that coverage looks at.
    return coverage.complete and (equal or on in ("local", "recall"))


def _certain(evidence: Figures | None, on: str) -> str:
    if evidence is None:
        return ALL_JUDGED
    low, high = bounds_of(evidence, on)
    if high - low < TOLERANCE:
        return ""
    return (
        " No unjudged document that these runs retrieved can turn it around: whatever their grades, the difference "
        f"{_lies(evidence, on)}."
    )


def _could_change(evidence: Figures | None, on: str, cutoff: int, do: str = "turn it around") -> str:
    if evidence is None or on not in WITH_BOUNDS:
        return unknown_change(evidence, cutoff)
    # Also where every query is decided: by how much each is won or lost is open still.
    return f"Unjudged documents could {do}: whatever their grades, the difference {_lies(evidence, on)}."


def unknown_change(evidence: Figures | None, cutoff: int) -> str:
    """Of a measure without bounds: why nobody knows what unjudged documents could change."""
    if evidence is None:
        return NOT_UNDER_FORMULA
    return f"What unjudged documents could change is known for NDCG@{cutoff} only."


def tested_runs(comparisons: Sequence[Figures]) -> int:
    """How many runs a p-value is adjusted for."""
    return sum(one["permutation"]["method"] in (Method.EXACT, Method.DRAWN) for one in comparisons)


def missing_words(answered: int, queries: int) -> str:
    """What to remember of a run that does not answer every query; empty for one that does."""
    if answered == queries:
        return ""
    missing = "none" if not answered else f"{answered:,}"
    return (
        f"answers {missing} of {counted(queries, 'judged query', 'judged queries')}; the others count as 0."
    )


def impact_words(evidence: Figures, queries: int) -> str:
    """How much a change touches, before anybody judges."""
    changed = evidence["changed"]
    words = f"{changed:,} of {counted(queries, 'query', 'queries')} changed"
    if not changed:
        return f"{words}, so both have the same NDCG-max and NDCG-global, whatever the grades."
    return (
        f"{words}. Whatever the grades, mean NDCG-max can’t move by more than {fixed(evidence['ceiling'])}."
    )


def ideal_of_bounds(on: str) -> str:
    """The ideal whose NDCG the bounds of a difference are of, where this is compared."""
    return "global" if on == "global" else "max"


def bounds_of(evidence: Figures, on: str) -> tuple[float, float]:
    """The bounds of the difference in the measure that is compared; those of DCG have the sign of NDCG-max."""
    prefix = "global_" if on == "global" else ""
    return evidence[f"{prefix}low"], evidence[f"{prefix}high"]


def _could_turn(evidence: Figures, on: str) -> bool:
    low, high = bounds_of(evidence, on)
    return low <= 0 <= high


def _lies(evidence: Figures, on: str) -> str:
    low, high = map(signed, bounds_of(evidence, on))
    of = f"of NDCG-{ideal_of_bounds(on)}"
    return f"{of} is {low}" if low == high else f"{of} lies between {low} and {high}"


def _needs_judging(
    one: Figures, evidence: Figures | None, coverage: Coverage, *, on: str, cutoff: int
) -> tuple[Headline, str]:
    """Headline and details where zeros would decide: see ADR 29, and ADR 83 of documents judged for what they decide."""
    details = f"{signed(one['difference']['mean'])} on average on current judgments. {coverage.words}"
    if evidence is None or on not in WITH_BOUNDS:
        return Headline.NEEDS_JUDGING, f"{details} {_could_change(evidence, on, cutoff)}"
    details = f"{details} Whatever the missing grades, the difference {_lies(evidence, on)}."
    if coverage.targeted and "outlook" in evidence:
        headline, expectation = targeted_verdict(evidence["outlook"])
        return headline, f"{details} {expectation}"
    value, low, high = (evidence[f"expected_{name}"] for name in ("value", "low", "high"))
    if low is None:
        return Headline.NEEDS_JUDGING, f"{details} {BEYOND if evidence['expected_beyond'] else FEW_RUNS}"
    expectation = _expectation(value, low, high)
    if low <= 0 <= high:
        return Headline.NEEDS_JUDGING, f"{details} {expectation} Judge the missing documents first."
    return _probably(value), f"{details} {expectation}"


def targeted_verdict(outlook: Figures) -> tuple[Headline, str]:
    """Headline and what to expect where documents were judged for what they decide, from an `Outlook` as it is stored."""
    known = Outlook.from_json(outlook)
    value, low, high = known.expected, known.low, known.high
    if known.is_early:
        return Headline.NEEDS_JUDGING, "Too little is judged to say what to expect. Judge what decides first."
    if low is None or high is None:
        expectation = f"If everything were judged, the difference of NDCG-max is expected to be {signed(value)}. Too few queries changed to tell whether that is more than noise."
    else:
        expectation = _expectation(value, low, high)
        if not low <= 0 <= high:
            return _probably(value), expectation
    if known.is_ahead and value:
        headline = Headline.BETTER_ON_THESE if value > 0 else Headline.WORSE_ON_THESE
        return headline, f"{expectation} Further queries tell more than further judgments."
    return Headline.NEEDS_JUDGING, f"{expectation} Judge what decides first."


def _expectation(value: float, low: float, high: float) -> str:
    return (
        f"If everything were judged, the difference of NDCG-max is expected to be {signed(value)}. Its 95 % band, "
        f"{signed(low)} to {signed(high)}, allows for other queries, too."
    )


def _probably(value: float) -> Headline:
    return Headline.PROBABLY_BETTER if value > 0 else Headline.PROBABLY_WORSE


def _too_few(one: Figures) -> str:
    p = one["permutation"]
    of = counted(one["queries"], "query", "queries")
    exact = (
        "With a single changed query the exact p is always 1.000."
        if p["changed"] == 1
        else f"The exact p over all {p['draws']:,} assignments of signs {_is(p['value'])}, but it decides nothing."
    )
    return (
        f"{signed(one['difference']['mean'])} on average. {p['changed']:,} of {of} changed in value: fewer than {FEWEST}, "
        f"so that no test can be trusted. {exact}"
    )


def _details(one: Figures, rule: Ruling, others: int, looks: Looks) -> str:
    mean = f"{signed(one['difference']['mean'])} on average over {one['queries']:,} queries"
    adjusted = f", adjusted for {others} runs" if others > 1 else ""
    if rule.interval is None:
        return (
            f"{mean}. Queries were added between {looks.count} looks at these runs, and no test of a measure without an "
            "upper end holds then."
        )
    ends = f"95 % interval {signed(rule.interval['low'])} to {signed(rule.interval['high'])}"
    if rule.always_valid:
        return (
            f"{mean} ({ends}), always-valid p {_is(rule.p)}{adjusted}. It decides, since queries were added between "
            f"{looks.count} looks at these runs; the p-value for a single look {_is(one['adjusted'])}."
        )
    return f"{mean} ({ends}), p {_is(rule.p)}{adjusted}.{_looks_words(looks)}"


def _looks_words(looks: Looks) -> str:
    """What looks without new queries do to the error, by Bonferroni's bound: nothing sharper holds for all of them."""
    if looks.count < 2:
        return ""
    share = min(100, round(100 * SIGNIFICANCE * looks.count))
    return (
        f" These runs were looked at {looks.count} times while grades changed: where nothing differs, one of "
        f"{looks.count} looks is significant in up to {share} % of cases instead of 5 %."
    )


def _care(one: Figures, rule: Ruling) -> str:
    """What few queries with skewed differences may not show; a test of them calls too many runs better or worse."""
    if rule.always_valid or one["unseen"] is None:
        return ""
    kind = "loss" if one["difference"]["mean"] > 0 else "gain"
    return (
        f"{counted(one['queries'], 'query', 'queries')} may not show a rare {kind} at all, one that hits fewer than "
        f"{100 * one['unseen']:.0f} % of queries."
    )


def _is(p: float | None) -> str:
    text = p_text(p)
    return text if text.startswith("<") else f"= {text}"


def _planning(one: dict[str, Any]) -> str:
    if one["detectable"] is None:
        return ""
    words = f"With these queries you can reliably detect differences of {fixed(one['detectable'])} or more, in about 75 to 80 of 100 cases."
    queries = one["queries_needed"]
    return (
        f"{words} You’d need about {in_two_digits(queries):,} queries to detect a difference this small."
        if queries
        else words
    )
