"""Why a query got worse or better: the step of the waterfall that changed most, with the documents that explain it.

R runs, the baseline first; Q queries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from operator import itemgetter
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
CAUSES: Final = (*STEPS, NO_RESULTS, UNKNOWN, NO_STEP)
MOST_QUERIES: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class RelevantDocuments:
    """Documents with a gain above 0, as counts of each query; every array (R, Q). `first` is the rank of the first one on
    the page, 0 if there is none. Only what is within the recall depth of the formula counts as retrieved."""

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
    if formula.depth is not None:
        is_relevant &= run.hit_rank <= formula.depth
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
    """What causes are read from. `parts` are DCG and the losses, as of RunValues; `relevant` is None where nobody looked at the
    pages."""

    queries: Ints
    weights: Floats
    values: Floats  # (R, Q)
    parts: Floats  # (R, 5, Q)
    answered: Mask  # (R, Q)
    shown: Ints  # (R, Q)
    judged: Ints  # (R, Q)
    relevant: RelevantDocuments | None


def causes(of: CauseInput, place: int, difference: Floats) -> dict[str, Any]:
    """Of the run at this place: what each cause took from the mean, weighted by traffic, and the queries that lose and that gain
    most, each with its cause."""
    weights = of.weights if of.weights.any() else np.ones(len(of.queries))
    weighted = weights * difference
    order = np.argsort(weighted, kind="stable")
    worse = [at for at in order[:MOST_QUERIES].tolist() if weighted[at] < 0]
    better = [at for at in order[::-1][:MOST_QUERIES].tolist() if weighted[at] > 0]
    return {
        "lost": _lost(of, place, difference, weighted / weights.sum()),
        "worse": [_record(of, place, at, difference, lost=True) for at in worse],
        "better": [_record(of, place, at, difference, lost=False) for at in better],
    }


def causes_of_worse(of: CauseInput, place: int, difference: Floats) -> Ints:
    """(Q,) the place in CAUSES of the main cause of each query on which the run at this place got worse, and -1 of all others."""
    worse = np.flatnonzero(difference < 0)
    found = np.full(len(difference), -1)
    found[worse] = [CAUSES.index(cause) for cause in _causes(of, place, worse, lost=True)]
    return found


def _lost(of: CauseInput, place: int, difference: Floats, parts: Floats) -> list[dict[str, Any]]:
    """The main causes of the queries that got worse, the greatest loss first. `parts` (Q,) sum to the mean difference."""
    by_query = causes_of_worse(of, place, difference)
    found = [(cause, np.flatnonzero(by_query == at)) for at, cause in enumerate(CAUSES)]
    lost = [
        {"cause": cause, "queries": len(queries), "difference": float(parts[queries].sum())}
        for cause, queries in found
        if queries.size
    ]
    return sorted(lost, key=itemgetter("difference"))


def _record(of: CauseInput, place: int, at: int, difference: Floats, *, lost: bool) -> dict[str, Any]:
    relevant, weights = of.relevant, of.weights
    (cause,) = _causes(of, place, np.array([at]), lost=lost)
    return {
        "query": int(of.queries[at]),
        "difference": float(difference[at]),
        "values": [float(of.values[run, at]) for run in (0, place)],
        "known": [is_known(int(of.shown[run, at]), int(of.judged[run, at])) for run in (0, place)],
        "all_judged": bool((of.shown[[0, place], at] == of.judged[[0, place], at]).all()),
        "traffic": float(weights[at] / weights.sum()) if np.ptp(weights) else None,
        "cause": cause,
        "ladders": of.parts[[0, place], :, at].tolist(),
        "relevant": None
        if relevant is None
        else {
            field.name: [int(getattr(relevant, field.name)[run, at]) for run in (0, place)]
            for field in fields(relevant)
        },
    }


def _causes(of: CauseInput, place: int, at: Ints, *, lost: bool) -> list[str]:
    """By query: why the run at this place, or the baseline where that is not `lost`, is the worse of the two."""
    worse_run, better_run = (place, 0) if lost else (0, place)
    steps = slice(1, 1 + len(STEPS))
    more = (of.parts[worse_run, steps] - of.parts[better_run, steps])[:, at].T
    shown = np.where(of.answered[worse_run, at], of.shown[worse_run, at], 0)
    return causes_of_losses(shown, of.judged[worse_run, at], more)


def causes_of_losses(shown: Ints, judged: Ints, losses: Floats) -> list[str]:
    """What loses most on each of N pages: a step, unless there is nothing to order, or nobody knows what it is worth.

    `losses` (N, 3) by STEPS: those of a run alone, or how much more it loses than another.
    """
    step = np.asarray(STEPS)[np.argmax(losses, axis=1)]
    by_step = np.where(np.max(losses, axis=1) > 0, step, NO_STEP)
    found = np.where(shown == 0, NO_RESULTS, np.where(judged == 0, UNKNOWN, by_step))
    return [str(cause) for cause in found]


def cause_words(record: Mapping[str, Any], formula: Formula, *, lost: bool) -> str:
    """The cause of one query in words; `lost`: the run got worse there, not better."""
    cause, relevant = record["cause"], record["relevant"]
    if relevant is None:
        return _with_ranks(_WITHOUT_COUNTS[cause, lost], formula)
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
    return _with_ranks(words or _WITHOUT_COUNTS[cause, lost], formula)


def _counted_change(cause: str, worse: Mapping[str, int], better: Mapping[str, int], *, lost: bool) -> str:
    """How many relevant documents fewer or more; “” if their number says nothing. Both runs have the same judgments."""
    if cause not in _COUNTED:
        return ""
    where, counts = _COUNTED[cause]
    number = sum(worse[name] - better[name] for name in counts)
    documents = f"{'fewer' if lost else 'more'} relevant document"
    return f"{counted(number, documents)} {where}" if number > 0 else ""


def words_of_cause(cause: str, formula: Formula) -> str:
    """The cause of queries that got worse, without counts."""
    return _with_ranks(_WITHOUT_COUNTS[cause, True], formula)


def words_of_loss(cause: str, formula: Formula) -> str:
    """What a run alone loses most by."""
    return _with_ranks(_OF_ONE_RUN.get(cause, _WITHOUT_COUNTS[cause, True]), formula)


def _with_ranks(words: str, formula: Formula) -> str:
    return words.format(cutoff=formula.cutoff, within=within_depth(formula))


def within_depth(formula: Formula) -> str:
    """How far down a ranking counts as retrieved, after that word; “” for the whole ranking."""
    if formula.depth is None:
        return ""
    return f" within the first {counted(formula.depth, 'rank')}" if formula.depth > 1 else " at rank 1"


_OF_ONE_RUN: Final = {
    "order": "relevant documents are in a worse order than they could be",
    "depth": "relevant documents are retrieved below rank {cutoff}",
    "recall": "relevant documents are never retrieved{within}",
}
_COUNTED: Final = {
    "recall": ("retrieved{within}", ("missing",)),
    "depth": ("in the top {cutoff}", ("missing", "below")),
}
_WITHOUT_COUNTS: Final = {
    ("order", True): "relevant documents are in a worse order",
    ("order", False): "relevant documents are in a better order",
    ("depth", True): "relevant documents fell below rank {cutoff}",
    ("depth", False): "relevant documents came up from below rank {cutoff}",
    ("recall", True): "relevant documents are no longer retrieved{within}",
    ("recall", False): "relevant documents are retrieved{within} that weren’t before",
    (NO_RESULTS, True): "no results",
    (NO_RESULTS, False): "the baseline has no results",
    (UNKNOWN, True): "unknown: no result on its page is judged",
    (UNKNOWN, False): "unknown: no result on the baseline’s page is judged",
    (NO_STEP, True): "no step of the waterfall got worse",
    (NO_STEP, False): "no step of the waterfall got better",
}
