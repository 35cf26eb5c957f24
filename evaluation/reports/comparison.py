"""What is said of runs against a baseline: all figures of the comparison page, as plain numbers that a JSON field takes.

They are made from stored values and depend on nothing else but the seed, so that they are computed once. What is drawn is
drawn for the queries in the order of their external ids, so that the command finds the same in files. R runs, the baseline
first; Q queries that every run is compared on.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from evaluation.metrics.direction import DCG as DCG
from evaluation.metrics.direction import greatest_difference, ranks_runs
from evaluation.metrics.formula import IDEALS
from evaluation.metrics.ladder import LOSSES
from evaluation.metrics.left_out import greatest_mean, least_mean
from evaluation.metrics.short_pages import ShortPages
from evaluation.metrics.types import Floats, Mask
from evaluation.reports.compared import Compared
from evaluation.reports.evidence import Judged
from evaluation.reports.packed import packed
from evaluation.reports.page_evidence import Evidence
from evaluation.reports.pool_estimate import expected_beside, pool_estimate
from evaluation.reports.segments import segments
from evaluation.reports.verdict import Figures as Figures
from evaluation.significance.comparison import compare
from evaluation.significance.differences import differences
from evaluation.significance.draws import SEED
from evaluation.significance.intervals import level_of_each, mean_difference, mean_of
from evaluation.significance.pairs import compare_all
from evaluation.significance.settings import Settings
from evaluation.significance.weighted import Drawn


@dataclass(frozen=True, slots=True)
class Asked:
    """What the comparison is on: the name of an ideal, `dcg`, or the canonical text of a further measure. With `pairs`
    each run is also compared with each other one, which nobody may see of held-out queries that were opened for a candidate
    beside the baseline only."""

    on: str
    drawn: Drawn = Drawn.UNKNOWN
    pairs: bool = True

    @property
    def ranks(self) -> bool:
        """Whether a difference says which run is better."""
        return ranks_runs(self.on)


def tested_values(compared: Compared, on: str) -> Floats:
    """(R, Q) what the comparison is on; NaN where the formula leaves a query out."""
    if on in IDEALS:
        return compared.ndcg(on)
    return compared.dcg if on == DCG else compared.measures[on]


def counted(compared: Compared, on: str) -> Mask:
    """(Q,) the queries that every run has a value for, on a scale on which something can be gained."""
    undefined = np.isnan(tested_values(compared, on)) | (compared.steps[:, -1] == 0)
    return np.asarray(~undefined.any(axis=0), dtype=np.bool_)


def figures(compared: Compared, asked: Asked, judged: Judged | None, left_out: Compared) -> Figures:
    """Everything that the page says, of queries that every run has a value for. `judged` is of the same queries, None
    where the formula has no bounds; `left_out` are the queries whose ideal is 0 and has no value.

    Takes time: 100,000 permutations, and the pages of all runs. Raises
    SignificanceError where there is no query to compare on.
    """
    values = tested_values(compared, asked.on)
    order = np.argsort(compared.place)
    ordered = values[:, order]
    weights = compared.weights[order] if np.ptp(compared.weights) else None
    best_dcg = float(compared.steps[:, -1].max())
    span = greatest_difference(asked.on, values, best_dcg)
    told = compare(
        ordered[0],
        list(ordered[1:]),
        span=span,
        settings=Settings(),
        weights=weights if weights is None or weights.any() else None,
        drawn=asked.drawn,
    )
    found = evidence = None
    bounds: list[Figures] | None = None
    pool: Figures | None = None
    if judged is not None:
        found = [judged.evidence(compared.runs[0], run) for run in compared.runs[1:]]
        holes = left_out.shown > left_out.judged
        bounds = [_bounds(compared, judged, place, holes[place]) for place in range(len(compared.runs))]
        pages, too_many = judged.pool_pages()
        pool = pool_estimate(pages, len(compared.runs), left_out=too_many)
        coverage = [one["coverage"] for one in bounds]
        evidence = [
            one.counts(left_out=holes[0] | holes[place]) | expected_beside(pool, coverage, place)
            for place, one in enumerate(found, 1)
        ]
    return {
        "queries": len(compared.queries),
        "left_out": len(left_out.queries),
        "cutoff": compared.formula.cutoff,
        "runs": [_run(compared, place) for place in range(len(compared.runs))],
        "comparisons": [
            one.as_json()
            | {"worst_queries": [int(compared.queries[order[loss.position]]) for loss in one.robust.worst]}
            for one in told
        ],
        "splits": [_split(compared, place) for place in range(1, len(compared.runs))],
        "pairs": compare_all(list(ordered), seed=SEED).as_json() if asked.pairs and len(values) > 2 else None,
        "bounds": bounds,
        "evidence": evidence,
        "segments": segments(compared, values, found, span),
        "pool": pool,
        "changes": _changes(compared, values, found),
    }


def _changes(compared: Compared, values: Floats, evidence: Sequence[Evidence] | None) -> Figures:
    """What each run but the first does to each query, packed: for counts over queries that are named later."""
    return {
        "queries": packed(compared.queries),
        "runs": [
            {
                "sign": packed(np.sign(differences(values[0], values[place])).astype(np.int64)),
                "change": packed(evidence[place - 1].change) if evidence else None,
                "standing": packed(evidence[place - 1].standing) if evidence else None,
            }
            for place in range(1, len(values))
        ],
    }


def _run(compared: Compared, place: int) -> Figures:
    """Means over the queries; the waterfall as shares of IDCG-max, DCG first."""
    shown = np.maximum(compared.shown[place], 1)
    return {
        "answered": int(compared.answered[place].sum()),
        "ndcg": {ideal: _mean(compared.ndcg(ideal)[place]) for ideal in IDEALS},
        "dcg": _mean(compared.dcg[place]),
        "judged": _mean(compared.judged[place] / shown),
        "short_pages": ShortPages.of(
            compared.formula.cutoff,
            compared.answered[place],
            compared.shown[place],
            compared.ndcg("local")[place],
            compared.ndcg("global")[place],
        ).as_json(),
        "holes": int((compared.shown[place] - compared.judged[place]).sum()),
        "measures": {text: _mean(values[place]) for text, values in compared.measures.items()},
        "shares": [float(share) for share in compared.shares[place].mean(axis=1)],
    }


def _split(compared: Compared, place: int) -> list[Figures]:
    """The change of NDCG-max from the baseline, split exactly into what order, depth and recall gained.

    Science of the four ideals, 1.5: Δ = −Δorder − Δdepth − Δrecall, since the content gap is common to both runs. Their
    intervals hold together, over all runs; that of the whole change is what a comparison on NDCG-max says.
    """
    level = level_of_each((len(LOSSES) - 1) * (len(compared.runs) - 1))
    whole = differences(compared.shares[0, 0], compared.shares[place, 0])
    parts: list[Figures] = [{"part": "change", "mean": mean_of(whole), "interval": None}]
    for loss in LOSSES:
        lost = compared.loss(loss)
        found = mean_difference(differences(-lost[0], -lost[place]), level=level, span=1.0)
        parts.append(
            {"part": loss, "mean": found.mean, "interval": found.interval and asdict(found.interval)}
        )
    return parts


def _bounds(compared: Compared, judged: Judged, place: int, holes: Mask) -> Figures:
    """`any_low` is the least of NDCG-global if anything may exist. `holes` (L,): which of the queries left out show a document
    without a grade. Missing grades can bring them in, at 0 or, where there is a hole, at up to 1."""
    found = judged.bounds(compared.runs[place])
    low, high = {}, {}
    for ideal in IDEALS:
        out = np.isnan(compared.ndcg(ideal)[place])
        # A query that is out has bounds where missing grades can bring it in.
        least, most = _numbers(found.low[ideal][out]), _numbers(found.high[ideal][out])
        low[ideal] = _defined(least_mean(found.low[ideal][~out], np.append(least, np.zeros(len(holes)))))
        high[ideal] = _defined(greatest_mean(found.high[ideal][~out], np.append(most, holes)))
    return {
        "coverage": _mean(found.coverage),
        "least_covered": float(found.coverage.min()),
        "low": low,
        "high": high,
        "any_low": least_mean(found.low["max"], np.zeros(len(holes))),
    }


def _mean(values: Floats) -> float | None:
    """Of what is a number; None where nothing is."""
    numbers = _numbers(values)
    return float(numbers.mean()) if numbers.size else None


def _defined(number: float) -> float | None:
    return None if math.isnan(number) else number


def _numbers(values: Floats) -> Floats:
    return np.asarray(values[~np.isnan(values)], dtype=np.float64)
