"""What is said of runs against a baseline: all figures of the comparison page, as plain numbers that a JSON field takes.

They are made from stored values and depend on nothing else but the seed, so that they are computed once. R runs, the baseline
first; Q queries that every run is compared on.
"""

from dataclasses import asdict, dataclass

import numpy as np

from evaluation.metrics.direction import DCG as DCG
from evaluation.metrics.direction import ranks_runs
from evaluation.metrics.formula import IDEALS
from evaluation.metrics.ladder import LOSSES
from evaluation.metrics.types import Floats, Mask
from evaluation.models import Run
from evaluation.reports.compared import Compared
from evaluation.reports.evidence import Judged
from evaluation.reports.pool_estimate import pool_estimate
from evaluation.reports.segments import segments
from evaluation.reports.verdict import Figures as Figures
from evaluation.significance.comparison import compare
from evaluation.significance.differences import differences
from evaluation.significance.intervals import mean_difference
from evaluation.significance.pairs import compare_all
from evaluation.significance.settings import Settings
from evaluation.significance.weighted import Drawn


@dataclass(frozen=True, slots=True)
class Asked:
    """What the comparison is on: the name of an ideal, `dcg`, or the canonical text of a further measure. With `pairs`
    each run is also compared with each other one, which nobody may see of held-out queries that were opened for a candidate
    beside the baseline only."""

    on: str
    seed: int
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


def figures(compared: Compared, asked: Asked, judged: Judged | None) -> Figures:
    """Everything that the page says, of queries that every run has a value for. `judged` is of the same queries, None
    where the formula has no bounds.

    Takes time: 100,000 permutations, 10,000 draws of the Bayesian bootstrap, and the pages of all runs. Raises
    SignificanceError where there is no query to compare on.
    """
    values = tested_values(compared, asked.on)
    weights = compared.weights if np.ptp(compared.weights) else None
    told = compare(
        values[0],
        list(values[1:]),
        settings=Settings(seed=asked.seed),
        weights=weights if weights is None or weights.any() else None,
        drawn=asked.drawn,
    )
    found = None
    bounds: list[Figures] | None = None
    if judged is not None:
        found = [judged.evidence(compared.runs[0], run) for run in compared.runs[1:]]
        bounds = [_bounds(judged, run) for run in compared.runs]
    return {
        "queries": len(compared.queries),
        "cutoff": compared.formula.cutoff,
        "runs": [_run(compared, place) for place in range(len(compared.runs))],
        "comparisons": [
            one.as_json()
            | {"worst_queries": [int(compared.queries[loss.position]) for loss in one.robust.worst]}
            for one in told
        ],
        "splits": [_split(compared, place) for place in range(1, len(compared.runs))],
        "pairs": compare_all(list(values), seed=asked.seed).as_json()
        if asked.pairs and len(values) > 2
        else None,
        "bounds": bounds,
        "evidence": found and [one.counts() for one in found],
        "segments": segments(compared, values, found),
        "pool": None if judged is None else pool_estimate(judged),
    }


def _run(compared: Compared, place: int) -> Figures:
    """Means over the queries; the waterfall as shares of IDCG-max, DCG first."""
    shown = np.maximum(compared.shown[place], 1)
    return {
        "answered": int(compared.answered[place].sum()),
        "ndcg": {ideal: _mean(compared.ndcg(ideal)[place]) for ideal in IDEALS},
        "dcg": _mean(compared.dcg[place]),
        "judged": _mean(compared.judged[place] / shown),
        "holes": int((compared.shown[place] - compared.judged[place]).sum()),
        "measures": {text: _mean(values[place]) for text, values in compared.measures.items()},
        "shares": [float(share) for share in compared.shares[place].mean(axis=1)],
    }


def _split(compared: Compared, place: int) -> list[Figures]:
    """The change of NDCG-max from the baseline, split exactly into what order, depth and recall gained, with intervals.

    Science of the four ideals, 1.5: Δ = −Δorder − Δdepth − Δrecall, since the content gap is common to both runs.
    """
    parts = [("change", compared.shares[:, 0], 1)]
    parts += [(loss, compared.loss(loss), -1) for loss in LOSSES]
    return [
        {"part": part, **asdict(mean_difference(differences(values[0] * sign, values[place] * sign)))}
        for part, values, sign in parts
    ]


def _bounds(judged: Judged, run: Run) -> Figures:
    found = judged.bounds(run)
    return {
        "coverage": _mean(found.coverage),
        "least_covered": float(found.coverage.min()),
        "low": {ideal: _mean(found.low[ideal]) for ideal in IDEALS},
        "high": {ideal: _mean(found.high[ideal]) for ideal in IDEALS},
    }


def _mean(values: Floats) -> float | None:
    """Of what is a number; None where nothing is."""
    numbers = values[~np.isnan(values)]
    return float(numbers.mean()) if numbers.size else None
