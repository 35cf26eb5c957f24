"""What a gate says, for people."""

from collections.abc import Iterator
from typing import Final

from evaluation.gate.actions import Gate
from touchstone_core.comparison.values import DASH, p_text, signed
from touchstone_core.formats.columns import aligned
from touchstone_core.metrics.left_out import left_out_of_difference
from touchstone_core.offline.gate import Condition, MeasureResult
from touchstone_core.significance.permutation import FEWEST
from touchstone_core.significance.planning import may_be_unseen
from touchstone_core.words import counted

MANY: Final = 100
"""With fewer queries the gate says which losses they may not show."""
_WORDS = {
    "min": "at least",
    "max-drop": "drop of at most",
    "no-worse": "shown: drop of at most",
    "same-within": "shown: the same within",
}


def as_table(gate: Gate) -> str:
    """A line for each condition, then a sentence for each that is not met, and what unjudged documents could change."""
    rows = [["measure", "run", "baseline", "difference", "95 % interval", "p", "condition", "verdict"]]
    for one in gate.measures:
        rows += _rows(one)
    out = f", {gate.held_out:,} held out" if gate.held_out else ""
    head = (
        f"{gate.name} ({gate.file_name}) beside {gate.baseline.name}, over {counted(gate.queries, 'query', 'queries')}"
        f"{out}.\n{gate.state.list_name}: {gate.state}."
    )
    sentences = [sentence for one in gate.measures for sentence in _sentences(one)]
    sentences.append("Passed." if gate.passed else "Not passed.")
    return f"{head}\n\n{aligned(rows)}\n\n" + "\n".join(sentences) + "\n"


def _rows(one: MeasureResult) -> Iterator[list[str]]:
    comparison = one.comparison
    ends = comparison.difference.interval
    figures = [
        one.measure,
        f"{comparison.run:.4f}",
        f"{comparison.baseline:.4f}",
        signed(comparison.difference.mean),
        f"{signed(ends.low)} to {signed(ends.high)}" if ends else DASH,
        p_text(comparison.permutation.value),
    ]
    for condition in one.conditions:
        words = f"{_WORDS[condition.kind]} {condition.limit:g}"
        yield [*figures, words, "passed" if condition.passed else "FAILED"]
    if not one.conditions:
        yield [*figures, "none", DASH]


def _sentences(one: MeasureResult) -> Iterator[str]:
    for condition in one.conditions:
        if not condition.passed:
            yield f"{one.measure}: {_shortfall(one, condition)}."
        elif condition.noise:
            yield f"{one.measure}: {_shortfall(one, condition)}, which may be noise and is let pass."
    yield from _unseen_note(one)
    yield f"{one.measure}: {_unjudged_note(one)}"
    if one.left_out:
        difference = one.comparison.difference.mean
        yield f"{one.measure}: {left_out_of_difference(one.left_out, one.comparison.queries, [difference])}"


def _unseen_note(one: MeasureResult) -> Iterator[str]:
    """What no test of few queries can show, where one has shown something."""
    queries = one.comparison.queries
    if queries < MANY and any(
        each.passed and each.kind in ("no-worse", "same-within") for each in one.conditions
    ):
        share = 100 * may_be_unseen(queries)
        yield (
            f"{one.measure}: what is shown holds at 5 %, but {counted(queries, 'query', 'queries')} may not show a loss at all that "
            f"hits fewer than {share:.0f} % of queries."
        )


def _shortfall(one: MeasureResult, condition: Condition) -> str:
    comparison = one.comparison
    if condition.kind == "min":
        return f"{comparison.run:.4f} is {condition.limit - comparison.run:.4f} below the least value, {condition.limit:g}"
    if condition.kind in ("no-worse", "same-within"):
        return _unshown(one, condition)
    ends = comparison.difference.interval
    interval = f" (95 % interval of the difference {signed(ends.low)} to {signed(ends.high)})" if ends else ""
    over = (
        f"{-comparison.difference.mean - condition.limit:.4f} more than {condition.limit:g}"
        if condition.limit
        else "more than nothing"
    )
    return f"the drop is {-comparison.difference.mean:.4f}, {over}{interval}"


def _unshown(one: MeasureResult, condition: Condition) -> str:
    """What these queries leave possible, beside what was to be excluded."""
    changes = one.comparison.permutation.changed
    few = f"; only {counted(changes, 'query', 'queries')} changed" if changes < FEWEST else ""
    if one.ends is None:
        return f"nothing can be shown{few}"
    low, high = one.ends
    difference = f"the difference is {signed(one.comparison.difference.mean)}"
    if condition.kind == "no-worse":
        return f"{difference}, and a drop of {-low:.4f} can't be excluded, more than {condition.limit:g}{few}"
    return (
        f"{difference}, and anything from {signed(low)} to {signed(high)} can't be excluded, more than "
        f"±{condition.limit:g}{few}"
    )


def _unjudged_note(one: MeasureResult) -> str:
    unjudged = one.unjudged
    where = "the ranking" if unjudged.cutoff is None else f"the top {unjudged.cutoff}"
    if not unjudged.documents:
        return f"every document in {where} is judged."
    several = counted(unjudged.documents, "unjudged document")
    sentence = f"{several} in {where} of {counted(unjudged.queries, 'query', 'queries')} could change it"
    if one.bounds is None:
        return f"{sentence}."
    low, high = one.bounds
    return f"{sentence}; whatever grades the documents of both runs get, the run lies between {low:.4f} and {high:.4f}."
