"""What the judgments so far say about the difference of two runs, and what each further one is worth. D documents."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from touchstone_core.deciding.documents import Documents
from touchstone_core.deciding.prior import Prior, fit_prior
from touchstone_core.metrics.types import Floats, Ints

ENOUGH: Final = 2.33
"""So many standard errors from 0 a difference is beyond doubt, if it stays so (ADR 83)."""
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """Mean NDCG-max of the second run minus that of the first if all of these queries' pages were judged: what to expect, and
    its variance, which is 0 once everything that can decide is judged. It says nothing about other queries.

    `low` and `high` hold whatever grades are missing. `gain` (D,) is that of the judged documents, and to be expected of the others. `value` (D,) is what a document by itself adds to the standard error, 0 if
    it can't decide. `judgments_left`: so many further judged documents decide, if the difference stays as expected.
    """

    expected: float
    variance: float
    low: float
    high: float
    gain: Floats
    value: Floats
    judgments_left: int

    @property
    def z(self) -> float:
        """How many standard errors the difference is from 0, with its sign; infinite where no grade can turn it."""
        if self.low > _ROUNDING or self.high < -_ROUNDING:
            return float(np.copysign(np.inf, self.low + self.high))
        return self.expected / np.sqrt(self.variance) if self.variance else 0.0


def difference(documents: Documents) -> Difference:
    """Of the first two runs, under a prior that is fitted to the judged documents."""
    prior = fit_prior(documents)
    queries, weight = documents.queries, documents.weight
    is_open, unjudged = documents.open, documents.unjudged
    gain = np.where(unjudged, prior.mean, documents.gain)
    known = float(weight[~unjudged] @ documents.gain[~unjudged])
    reach = weight[unjudged] * documents.top
    value = np.where(is_open, np.abs(weight) * np.sqrt(prior.variance), 0.0) / queries
    expected = float(weight @ gain) / queries
    variances = _falling_variances(weight / queries, value, prior)
    return Difference(
        expected=expected,
        variance=float(variances[0]),
        gain=gain,
        low=(known + float(np.minimum(reach, 0).sum())) / queries,
        high=(known + float(np.maximum(reach, 0).sum())) / queries,
        value=np.asarray(value),
        judgments_left=_judgments_left(expected, variances),
    )


def most_valuable(value: Floats) -> Ints:
    """The documents that can decide, the most valuable first."""
    order = np.argsort(-value, kind="stable")
    return order[: np.count_nonzero(value)]


def _falling_variances(weight: Floats, value: Floats, prior: Prior) -> Floats:
    """(V + 1,) the variance once the b most valuable of the V documents are judged, for b from 0 on.

    Each is the sum of the documents' own variances and that of what they owe to the coefficients together. Without the
    second part, an early lead is taken for far too sure.
    """
    order = most_valuable(value)
    own = value[order] ** 2
    shared = weight[order, None] * prior.slopes[order]
    left = np.zeros((len(order) + 1, 1 + shared.shape[1]))
    left[:-1] = np.cumsum(np.column_stack([own, shared])[::-1], axis=0)[::-1]
    by_coefficients = left[:, 1:]
    return np.asarray(left[:, 0] + ((by_coefficients @ prior.covariance) * by_coefficients).sum(axis=1))


def _judgments_left(expected: float, variances: Floats) -> int:
    """The least number of further judgments after which the difference, if it stays as expected, is beyond doubt."""
    return int(np.argmax(expected**2 >= ENOUGH**2 * variances))
