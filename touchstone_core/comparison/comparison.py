"""A comparison: from arrays to figures, plain numbers that a JSON field takes. Needs neither Django nor a database.

Stored runs (`evidence`) and files (`file_comparison`) make the arrays; pages, files and commands show the figures.
These depend on nothing else but the seed. What is drawn is drawn for the queries in the order of their external IDs. R runs,
the baseline first; Q queries that every run is compared on.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Self

import numpy as np

from touchstone_core.bounds.means import mean_bounds
from touchstone_core.comparison.causes import CauseInput, RelevantDocuments, causes
from touchstone_core.comparison.coverage import JudgedShares, coverage_figures
from touchstone_core.comparison.json_arrays import pack_array, unpack_array
from touchstone_core.comparison.page_evidence import Evidence, PageEvidence, Standing
from touchstone_core.comparison.pool_estimate import expected_beside, pool_estimate
from touchstone_core.comparison.segments import segments
from touchstone_core.comparison.verdict import Figures as Figures
from touchstone_core.impact.intent import IntentCounts, count_intent
from touchstone_core.impact.pages import Change
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.averages import mean
from touchstone_core.metrics.direction import DCG as DCG
from touchstone_core.metrics.direction import greatest_difference, ranks_runs
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES, ladder
from touchstone_core.metrics.short_pages import ShortPages
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.significance.comparison import Comparison, compare
from touchstone_core.significance.differences import TOLERANCE, differences
from touchstone_core.significance.draws import SEED
from touchstone_core.significance.intervals import level_of_each, mean_difference, mean_of
from touchstone_core.significance.pairs import compare_all
from touchstone_core.significance.settings import Settings
from touchstone_core.significance.weighted_mean import Sampling


@dataclass(frozen=True, slots=True, eq=False)
class RunValues:
    """Several runs over the same judged queries, the baseline first.

    A comparison is paired: a query that a run doesn’t answer counts as 0 there and is never dropped, whatever the policy for
    averages says of it; see `Formula.counting_missing`.
    """

    formula: Formula
    queries: Ints  # (Q,) keys, ascending
    place: Ints  # (Q,) rises with the external IDs; what is drawn is drawn in this order
    weights: Floats  # (Q,)
    tagged: Mask  # (Q,) has the tag of the held-out queries
    answered: Mask  # (R, Q)
    shown: Ints  # (R, Q)
    judged: Ints  # (R, Q)
    parts: Floats  # (R, 5, Q) DCG and the losses by order, depth, recall and content, which sum to IDCG-max
    ideal_max: Floats  # (R, Q)
    ndcgs: Floats  # (R, 4, Q); NaN where the formula leaves a query out
    measures: dict[str, Floats]  # by canonical text (R, Q); NaN where a policy leaves a query out

    @classmethod
    def of_runs(
        cls,
        runs: Sequence[JudgedRun],
        formula: Formula,
        *,
        place: Ints,
        measures: dict[str, Floats] | None = None,
    ) -> Self:
        """All judged queries, in the order of the runs' arrays. Nothing is known of their weights and tags."""
        ladders = [ladder(run, formula) for run in runs]
        queries = len(place)
        return cls(
            formula=formula,
            queries=np.arange(queries),
            place=place,
            weights=np.ones(queries),
            tagged=np.zeros(queries, dtype=np.bool_),
            answered=np.array([one.answered for one in ladders]),
            shown=np.array([one.shown for one in ladders]),
            judged=np.array([one.judged for one in ladders]),
            parts=np.array([[one.dcg, *map(one.loss, LOSSES)] for one in ladders]),
            ideal_max=np.array([one.ideal_max for one in ladders]),
            ndcgs=np.array([[one.ndcg(ideal) for ideal in IDEALS] for one in ladders]),
            measures=measures or {},
        )

    def ndcg(self, ideal: str) -> Floats:
        """(R, Q)"""
        return self.ndcgs[:, IDEALS.index(ideal)]

    @property
    def is_without_gain(self) -> bool:
        """Whether the formula leaves every query out, because no judged document has a gain."""
        return bool(
            self.queries.size and self.formula.zero_ndcg is None and np.isnan(self.ndcg("global")).all()
        )

    @property
    def dcg(self) -> Floats:
        """(R, Q)"""
        return self.parts[:, 0]

    @property
    def shares(self) -> Floats:
        """(R, 5, Q) the waterfall: the parts as shares of IDCG-max; they sum to 1."""
        return np.asarray(self.parts / self.ideal_max[:, None], dtype=np.float64)

    @property
    def pages_judged(self) -> Mask:
        """(Q,) the queries of which no run shows an unjudged document."""
        return np.asarray((self.shown == self.judged).all(axis=0), dtype=np.bool_)

    def of(self, mask: Mask) -> Self:
        """The same for some of the queries (Q,)."""
        return replace(
            self,
            queries=self.queries[mask],
            place=self.place[mask],
            weights=self.weights[mask],
            tagged=self.tagged[mask],
            answered=self.answered[:, mask],
            shown=self.shown[:, mask],
            judged=self.judged[:, mask],
            parts=self.parts[:, :, mask],
            ideal_max=self.ideal_max[:, mask],
            ndcgs=self.ndcgs[:, :, mask],
            measures={text: values[:, mask] for text, values in self.measures.items()},
        )


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """What the comparison is on: the name of an ideal, `dcg`, or the canonical text of a further measure. With `pairs`
    each run is also compared with each other one, which nobody may see of held-out queries that were opened for a candidate
    beside the baseline only."""

    on: str
    drawn: Sampling = Sampling.UNKNOWN
    pairs: bool = True
    seed: int = SEED

    @property
    def ranks(self) -> bool:
        """Whether a difference says which run is better."""
        return ranks_runs(self.on)


def tested_values(runs: RunValues, on: str) -> Floats:
    """(R, Q) what the comparison is on; NaN where the formula leaves a query out."""
    if on in IDEALS:
        return runs.ndcg(on)
    return runs.dcg if on == DCG else runs.measures[on]


def comparable_queries(runs: RunValues, on: str) -> Mask:
    """(Q,) the queries that every run has a value for, on a scale on which something can be gained."""
    undefined = np.isnan(tested_values(runs, on)) | (runs.ideal_max == 0)
    return np.asarray(~undefined.any(axis=0), dtype=np.bool_)


def figures(
    runs: RunValues,
    options: ComparisonOptions,
    pages: PageEvidence | None,
    left_out: RunValues,
    judged: JudgedShares,
    tags: Sequence[tuple[int, Sequence[str]]] = (),
) -> Figures:
    """Everything that is said, of queries that every run has a value for. `pages` are of the same queries, None where the
    formula has no bounds; `left_out` are the queries whose ideal is 0 and has no value; `judged` are the `judged_shares` of
    the same queries; `tags` are those of queries by key.

    Takes time: 100,000 permutations. Raises SignificanceError where there is no query to compare on.
    """
    values = tested_values(runs, options.on)
    order = np.argsort(runs.place)
    in_order = values[:, order]
    weights = runs.weights[order] if np.ptp(runs.weights) else None
    comparisons, span = compare_values(
        in_order,
        options,
        best_dcg=float(runs.ideal_max.max()),
        weights=weights if weights is None or weights.any() else None,
    )
    evidence = None if pages is None else pages.evidence
    return run_figures(runs, pages, left_out, options.on) | {
        "coverage": coverage_figures(judged, runs.formula, options.on, left_out_judged=left_out.pages_judged),
        "comparisons": [
            one.as_json()
            | {"worst_queries": [int(runs.queries[order[loss.position]]) for loss in one.robust.worst]}
            for one in comparisons
        ],
        "pairs": compare_all(list(in_order), seed=options.seed).as_json()
        if options.pairs and len(values) > 2
        else None,
        "segments": segments(runs.queries, runs.weights, values, evidence, span, tags, judged.shares),
        "causes": _causes(runs, values, None if pages is None else pages.relevant),
        "changes": _changes(runs, values, evidence),
    }


def compare_values(
    values: Floats,
    options: ComparisonOptions,
    *,
    best_dcg: float | None,
    weights: Floats | None = None,
) -> tuple[tuple[Comparison, ...], float | None]:
    """Every run but the first beside the first, on values (R, Q) without a NaN, and what ± their differences stay within."""
    span = greatest_difference(options.on, values, best_dcg)
    settings = Settings(seed=options.seed)
    comparisons = compare(
        values[0], list(values[1:]), span=span, settings=settings, weights=weights, drawn=options.drawn
    )
    return comparisons, span


def run_figures(runs: RunValues, pages: PageEvidence | None, left_out: RunValues, on: str = "max") -> Figures:
    """Means, losses, and what the pages tell: the same whatever the comparison is on, but for the steps of its change."""
    bounds = pool = evidence = None
    if pages is not None:
        holes = left_out.shown > left_out.judged
        bounds = [mean_bounds(runs.ndcgs[place], one, holes[place]) for place, one in enumerate(pages.bounds)]
        pool = pool_estimate(pages.pool, len(bounds), left_out=pages.left_out)
        coverage = [one["coverage"] for one in bounds]
        evidence = [
            one.counts(holes[0] | holes[place]) | expected_beside(pool, coverage, place)
            for place, one in enumerate(pages.evidence, 1)
        ]
    every = range(len(runs.answered))
    return {
        "queries": len(runs.queries),
        "left_out": len(left_out.queries),
        "cutoff": runs.formula.cutoff,
        "runs": [_run(runs, place) for place in every],
        **split_figures(runs, on),
        "bounds": bounds,
        "evidence": evidence,
        "pool": pool,
    }


def intent_counts(is_intended: Callable[[Ints], Mask], figures: Figures) -> list[IntentCounts]:
    """Of each run but the first; `is_intended` says which queries (Q,) were meant, by their keys."""
    mask = is_intended(unpack_array(figures["changes"]["queries"]))
    return [_intent_counts_of(mask, one) for one in figures["changes"]["runs"]]


def _intent_counts_of(mask: Mask, one: Figures) -> IntentCounts:
    change, standing = unpack_array(one["change"]), unpack_array(one["standing"])
    return count_intent(
        mask,
        changed=None if change is None else change != Change.NONE,
        difference=unpack_array(one["sign"]),
        undecided=None if standing is None else standing == Standing.OPEN,
    )


def _causes(runs: RunValues, values: Floats, relevant: RelevantDocuments | None) -> list[Figures]:
    """Of each run but the first: why it lost, and the queries that lose and gain most, with the main cause of each."""
    of = cause_input(runs, values, relevant)
    return [causes(of, place, differences(values[0], values[place])) for place in range(1, len(values))]


def cause_input(runs: RunValues, values: Floats, relevant: RelevantDocuments | None = None) -> CauseInput:
    """`values` (R, Q) are those of the compared measure."""
    return CauseInput(
        queries=runs.queries,
        weights=runs.weights,
        values=values,
        parts=runs.parts,
        answered=runs.answered,
        shown=runs.shown,
        judged=runs.judged,
        relevant=relevant,
    )


def _changes(runs: RunValues, values: Floats, evidence: Sequence[Evidence] | None) -> Figures:
    """What each run but the first does to each query, packed: for counts over queries that are named later."""
    return {
        "queries": pack_array(runs.queries),
        "runs": [
            {
                "sign": pack_array(np.sign(differences(values[0], values[place])).astype(np.int64)),
                "change": pack_array(evidence[place - 1].change) if evidence else None,
                "standing": pack_array(evidence[place - 1].standing) if evidence else None,
            }
            for place in range(1, len(values))
        ],
    }


def _run(runs: RunValues, place: int) -> Figures:
    """Means over the queries; the waterfall as shares of IDCG-max, DCG first."""
    shown = np.maximum(runs.shown[place], 1)
    return {
        "answered": int((runs.shown[place] > 0).sum()),  # an empty ranking is no answer
        "ndcg": {ideal: mean(runs.ndcg(ideal)[place]) for ideal in IDEALS},
        "dcg": mean(runs.dcg[place]),
        "judged": mean(runs.judged[place] / shown),
        "short_pages": ShortPages.of(
            runs.formula.cutoff,
            runs.answered[place],
            runs.shown[place],
            runs.ndcg("local")[place],
            runs.ndcg("global")[place],
        ).as_json(),
        "holes": int((runs.shown[place] - runs.judged[place]).sum()),
        "measures": {text: mean(values[place]) for text, values in runs.measures.items()},
        "shares": [float(share) for share in runs.shares[place].mean(axis=1)],
    }


def split_figures(runs: RunValues, on: str) -> Figures:
    """`splits` are what each step gained each run but the first, in the measure `split_on`: the compared one, if its change is
    the sum of steps, else NDCG-max."""
    parts = _parts_of(runs, on)
    if parts is None:
        on, parts = "max", runs.shares
    span = float(runs.ideal_max.max()) if on == DCG else 1.0
    return {"split_on": on, "splits": [_split(parts, place, span) for place in range(1, len(parts))]}


def _parts_of(runs: RunValues, on: str) -> Floats | None:
    """(R, 5, Q) the waterfall in the compared measure. None if the steps don't add up to its change: they do only where all runs
    have the same ideal, and not where the formula gives an ideal of 0 a value that only answers get."""
    if on == DCG:
        return runs.parts
    if on != "global":
        return None
    ideal = runs.parts[:, :-1].sum(axis=1, keepdims=True)
    parts = np.divide(runs.parts, ideal, out=np.zeros_like(runs.parts), where=ideal > 0)
    values = runs.ndcg(on)
    adds_up = np.allclose(parts[:, 0] - parts[0, 0], values - values[0], rtol=0, atol=TOLERANCE)
    return parts if adds_up else None


def _split(parts: Floats, place: int, span: float) -> list[Figures]:
    """The change from the baseline, split exactly into what order, depth and recall gained, from parts (R, 5, Q).

    Science of the four ideals, 1.5: Δ = −Δorder − Δdepth − Δrecall, since the content gap is common to both runs. Their
    intervals hold together, over all runs; that of the whole change is what the comparison says.
    """
    level = level_of_each((len(LOSSES) - 1) * (len(parts) - 1))
    whole = differences(parts[0, 0], parts[place, 0])
    split: list[Figures] = [{"part": "change", "mean": mean_of(whole), "interval": None}]
    for step, loss in enumerate(LOSSES, start=1):
        difference = mean_difference(
            differences(-parts[0, step], -parts[place, step]), level=level, span=span
        )
        split.append(
            {
                "part": loss,
                "mean": difference.mean,
                "interval": difference.interval and asdict(difference.interval),
            }
        )
    return split
