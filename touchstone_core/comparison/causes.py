"""Why a query got worse or better: the step of the waterfall that changed most, with the documents that explain it.

R runs, the baseline first; Q queries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np

from touchstone_core.comparison.values import UNKNOWN, is_known
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gain import gains
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.words import counted

STEPS: Final = ("order", "depth", "recall")
"""The losses that a run can gain back; content is the same for every run."""
NO_RESULTS: Final = "no results"
NO_STEP: Final = "no step"
MOST_QUERIES: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class RelevantDocuments:
    """Documents with a gain above 0, as counts of each query; every array (R, Q). `first` is the rank of the first one on
    the page, 0 if there is none."""

    first: Ints
    below: Ints  # retrieved, but below the cutoff
    missing: Ints  # judged, but not retrieved

    @classmethod
    def of_runs(cls, runs: Sequence[JudgedRun], formula: Formula) -> Self:
        counts = [_count(run, formula) for run in runs]
        return cls(*(np.array(of_runs) for of_runs in zip(*counts, strict=True)))

    def of(self, mask: Mask) -> Self:
        """The same for some of the queries (Q,)."""
        return type(self)(*(getattr(self, field.name)[:, mask] for field in fields(self)))


def _count(run: JudgedRun, formula: Formula) -> tuple[Ints, Ints, Ints]:
    is_relevant = gains(run.hit_grade, formula.gain, run.scale) > 0
    query, rank = run.hit_query[is_relevant], run.hit_rank[is_relevant]
    on_page = rank <= formula.cutoff
    first = np.full(run.queries, formula.cutoff + 1)
    np.minimum.at(first, query[on_page], rank[on_page])
    retrieved = np.bincount(query, minlength=run.queries)
    judged = run.judged_query[gains(run.judged_grade, formula.gain, run.scale) > 0]
    return (
        np.where(first > formula.cutoff, 0, first),
        retrieved - np.bincount(query[on_page], minlength=run.queries),
        np.bincount(judged, minlength=run.queries) - retrieved,
    )


@dataclass(frozen=True, slots=True, eq=False)
class CauseInput:
    """What causes are read from. `parts` (R, 3, Q): the losses by STEPS; `relevant` is None where nobody looked at the pages."""

    queries: Ints
    weights: Floats
    values: Floats  # (R, Q)
    losses: Floats  # (R, 3, Q)
    answered: Mask  # (R, Q)
    shown: Ints  # (R, Q)
    judged: Ints  # (R, Q)
    relevant: RelevantDocuments | None


def causes(of: CauseInput, place: int, difference: Floats) -> dict[str, Any]:
    """Of the run at this place: the queries that lose and that gain most, weighted by traffic, each with its cause."""
    weighted = (of.weights if of.weights.any() else np.ones(len(of.queries))) * difference
    order = np.argsort(weighted, kind="stable")
    worse = [at for at in order[:MOST_QUERIES].tolist() if weighted[at] < 0]
    better = [at for at in order[::-1][:MOST_QUERIES].tolist() if weighted[at] > 0]
    return {
        "worse": [_record(of, place, at, difference, lost=True) for at in worse],
        "better": [_record(of, place, at, difference, lost=False) for at in better],
    }


def _record(of: CauseInput, place: int, at: int, difference: Floats, *, lost: bool) -> dict[str, Any]:
    change = of.losses[place, :, at] - of.losses[0, :, at]
    relevant, weights = of.relevant, of.weights
    return {
        "query": int(of.queries[at]),
        "difference": float(difference[at]),
        "values": [float(of.values[run, at]) for run in (0, place)],
        "known": [is_known(int(of.shown[run, at]), int(of.judged[run, at])) for run in (0, place)],
        "all_judged": bool((of.shown[[0, place], at] == of.judged[[0, place], at]).all()),
        "traffic": float(weights[at] / weights.sum()) if np.ptp(weights) else None,
        "cause": _cause(of, place if lost else 0, at, change if lost else -change),
        "relevant": None
        if relevant is None
        else {
            field.name: [int(getattr(relevant, field.name)[run, at]) for run in (0, place)]
            for field in fields(relevant)
        },
    }


def _cause(of: CauseInput, worse_run: int, at: int, change: Floats) -> str:
    """Of the run that is worse on this query; `change` is how much more it loses at each step."""
    if not of.answered[worse_run, at] or not of.shown[worse_run, at]:
        return NO_RESULTS
    if not of.judged[worse_run, at]:
        return UNKNOWN
    step = int(np.argmax(change))
    return STEPS[step] if change[step] > 0 else NO_STEP


def cause_words(record: Mapping[str, Any], cutoff: int, *, lost: bool) -> str:
    """The cause of one query in words; `lost`: the run got worse there, not better."""
    cause, relevant = record["cause"], record["relevant"]
    if relevant is None:
        return _WITHOUT_COUNTS[cause, lost].format(cutoff=cutoff)
    before, after = (
        {name: pair[0] for name, pair in relevant.items()},
        {name: pair[1] for name, pair in relevant.items()},
    )
    worse, better = (after, before) if lost else (before, after)
    words = _counted_change(cause, worse, better, lost=lost)
    if cause == "order" and worse["first"] and better["first"] and worse["first"] > better["first"]:
        # An unjudged document further up may be relevant. Comparisons that were stored before lack the key.
        first = "relevant document" if record.get("all_judged", True) else "document known to be relevant"
        return (
            f"the first {first} {'fell' if lost else 'rose'} from rank {before['first']} to {after['first']}"
        )
    return (words or _WITHOUT_COUNTS[cause, lost]).format(cutoff=cutoff)


def _counted_change(cause: str, worse: Mapping[str, int], better: Mapping[str, int], *, lost: bool) -> str:
    """How many relevant documents fewer or more; “” if their number says nothing. Both runs have the same judgments."""
    if cause not in _COUNTED:
        return ""
    where, counts = _COUNTED[cause]
    number = sum(worse[name] - better[name] for name in counts)
    documents = f"{'fewer' if lost else 'more'} relevant document"
    return f"{counted(number, documents)} {where}" if number > 0 else ""


_COUNTED: Final = {
    "recall": ("retrieved", ("missing",)),
    "depth": ("in the top {cutoff}", ("missing", "below")),
}
_WITHOUT_COUNTS: Final = {
    ("order", True): "relevant documents are in a worse order",
    ("order", False): "relevant documents are in a better order",
    ("depth", True): "relevant documents fell below rank {cutoff}",
    ("depth", False): "relevant documents came up from below rank {cutoff}",
    ("recall", True): "relevant documents are no longer retrieved",
    ("recall", False): "relevant documents are retrieved that weren’t before",
    (NO_RESULTS, True): "no results",
    (NO_RESULTS, False): "the baseline has no results",
    (UNKNOWN, True): "unknown: no result on its page is judged",
    (UNKNOWN, False): "unknown: no result on the baseline’s page is judged",
    (NO_STEP, True): "no step of the waterfall got worse",
    (NO_STEP, False): "no step of the waterfall got better",
}
