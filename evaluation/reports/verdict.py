"""What the figures of a comparison say in a sentence."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from evaluation.metrics.direction import DCG, has_own_ideal, ranks_runs
from evaluation.metrics.formula import IDEALS, Formula
from evaluation.reports.values import fixed, p_text, signed
from evaluation.significance.permutation import Method
from evaluation.significance.planning import SIGNIFICANCE
from judgments.words import counted

Figures: TypeAlias = dict[str, Any]

ORDERING: Final = "Another skill of ordering, given what was shown"
# What unjudged documents could turn is known for these, at the cutoff of the formula.
BOUNDED: Final = ("global", "max", DCG)
NO_DIFFERENCE: Final = "No difference that these queries can show"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` is better, worse, open (more than noise, but unjudged documents could turn it), unshown or same."""

    kind: str
    headline: str
    details: str


def measure_text(formula: Formula, on: str) -> str:
    """The canonical text of what a comparison is on."""
    if on in IDEALS:
        return formula.measure(on)
    return formula.dcg_measure() if on == DCG else on


def on_of(formula: Formula, measure: str) -> str:
    """The other way round."""
    return next((on for on in (*IDEALS, DCG) if measure_text(formula, on) == measure), measure)


def verdict(one: Figures, evidence: Figures | None, others: int, *, on: str, cutoff: int) -> Verdict:
    """Of one run beside the baseline; `others` is how many runs its p-value is adjusted for; `on` as `Asked.on`."""
    method, changed, queries = one["permutation"]["method"], one["outcomes"], one["queries"]
    touched = changed["wins"] + changed["losses"]
    if method == Method.IDENTICAL:
        told = f"every one of {queries:,} queries" if queries > 1 else "the only query"
        return Verdict("same", NO_DIFFERENCE, f"The same value on {told}.")
    if method == Method.TOO_FEW:
        of = counted(queries, "query", "queries")
        told = f"{touched:,} of {of} changed in value: too few for any test to be trusted."
        return Verdict("unshown", NO_DIFFERENCE, told)
    difference = one["difference"]
    shown = one["holm"] is not None and one["holm"] <= SIGNIFICANCE
    details = _details(one, others)
    if not shown:
        return Verdict("unshown", NO_DIFFERENCE, f"{details} {_planning(one)}")
    if not ranks_runs(on):
        headline = ORDERING if has_own_ideal(on) else "Another value, by more than noise"
        return Verdict("open", headline, details)
    better = difference["mean"] > 0
    word = "Better" if better else "Worse"
    if on not in BOUNDED:
        told = f"What unjudged documents could change is known for NDCG@{cutoff} only."
        return Verdict("open", f"{word} as far as it is judged", f"{details} {told}")
    if evidence is None:
        told = "What unjudged documents could change is not known under this formula."
        return Verdict("open", f"{word} as far as it is judged", f"{details} {told}")
    # Also where every query is decided: by how much each is won or lost is open still.
    if _could_turn(evidence, better=better):
        turn = f"Unjudged documents could turn it: whatever their grades, the difference of NDCG-max {_lies(evidence)}."
        return Verdict("open", f"{word} as far as it is judged", f"{details} {turn}")
    if on == "global":  # documents outside both pages move its ideals too
        settled = f"In NDCG-max no unjudged document can turn it: whatever their grades, the difference {_lies(evidence)}."
        details = f"{details} {settled}"
    return Verdict("better" if better else "worse", word, details)


def missing_words(answered: int, queries: int) -> str:
    """What to remember of a run that does not answer every query; empty for one that does."""
    if answered == queries:
        return ""
    missing = "none" if not answered else f"{answered:,}"
    return f"answers {missing} of {counted(queries, 'judged query', 'judged queries')}; the others count 0."


def impact_words(evidence: Figures, queries: int) -> str:
    """How much a change touches, before anybody judges."""
    changed = evidence["changed"]
    told = f"{changed:,} of {counted(queries, 'query', 'queries')} changed"
    if not changed:
        return f"{told}, so that no grades can make a difference."
    return (
        f"{told}; whatever the grades, mean NDCG-max cannot move by more than {fixed(evidence['ceiling'])}."
    )


def _could_turn(evidence: Figures, *, better: bool) -> bool:
    return bool(evidence["low"] <= 0 if better else evidence["high"] >= 0)


def _lies(evidence: Figures) -> str:
    low, high = signed(evidence["low"]), signed(evidence["high"])
    return f"is {low}" if low == high else f"lies between {low} and {high}"


def _details(one: Figures, others: int) -> str:
    difference = one["difference"]
    interval = difference["interval"]
    adjusted = f", adjusted for {others} runs" if others > 1 else ""
    return (
        f"{signed(difference['mean'])} on average over {one['queries']:,} queries "
        f"(95 % interval {signed(interval['low'])} to {signed(interval['high'])}), "
        f"p {_is(one['holm'])}{adjusted}."
    )


def _is(p: float | None) -> str:
    text = p_text(p)
    return text if text.startswith("<") else f"= {text}"


def _planning(one: dict[str, Any]) -> str:
    if one["detectable"] is None:
        return ""
    told = f"These queries would mostly show a difference of {fixed(one['detectable'])} or more"
    needed = one["queries_needed"]
    return f"{told}; to settle one as small as this takes about {needed:,} queries." if needed else f"{told}."
