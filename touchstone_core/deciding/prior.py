"""What gain to expect of an unjudged document: a ridge regression on where the runs show it. D documents, F features."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from touchstone_core.deciding.documents import Documents
from touchstone_core.metrics.query_sums import sums
from touchstone_core.metrics.types import Floats

_PENALTY: Final = 1.5
_LEAST_SHARE: Final = (
    0.02  # no document is expected to gain less than this share of the greatest gain, or all but this
)
# So many documents of the mean gain are added to each query. What stays unjudged to the end are documents of poor queries: with 4,
# too much is expected of them, and beside a judged baseline that is all for one run.
_QUERY_WEIGHT: Final = 1.0
_ASSUMED: Final = 10.0  # so many documents with the assumed spread are added to the judged ones
_ASSUMED_MEAN: Final = 1 / 3  # of the greatest gain, for one further document
_ASSUMED_SPREAD: Final = 0.5  # of μ (top − μ), the spread if all grades were the lowest or the top one
_CAUTION: Final = 1.5  # how much wider than by the book what is not known of the coefficients is taken


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """(D,) the expected gain of each document and its variance, as if it were unjudged.

    An error of the coefficients moves all expected gains together: `slopes` (D, F) says how much a coefficient moves each, and
    `covariance` (F, F) is that of the coefficients.
    """

    mean: Floats
    variance: Floats
    slopes: Floats
    covariance: Floats


def fit_prior(documents: Documents) -> Prior:
    """Fits the gains of the judged documents. Without any, all documents are like one of an assumed mean gain."""
    judged, top = ~documents.unjudged, documents.top
    query, gain = documents.query[judged], documents.gain[judged]
    mean_gain = (gain.sum() + _ASSUMED_MEAN * top) / (len(gain) + 1)
    features = _features(documents.discount)
    known = features[judged]
    inverse = np.linalg.inv(known.T @ known + _PENALTY * np.eye(features.shape[1]))
    coefficients = inverse @ (known.T @ (gain - mean_gain))
    by_rank = _within(mean_gain + features @ coefficients, top)
    added = _QUERY_WEIGHT * mean_gain
    factor = (sums(query, gain, documents.queries) + added) / (
        sums(query, by_rank[judged], documents.queries) + added
    )
    of_query = factor[documents.query]
    mean = _within(by_rank * of_query, top)
    binary = mean * (top - mean)
    assumed = _ASSUMED * mean_gain * (top - mean_gain)
    squares = ((gain - mean[judged]) ** 2).sum() + _ASSUMED_SPREAD * assumed
    spread = squares / (binary[judged].sum() + assumed)
    residual = squares / (len(gain) + _ASSUMED)
    return Prior(mean, spread * binary, features * of_query[:, None], _CAUTION * residual * inverse)


def _features(discount: Floats) -> Floats:
    """(D, F) of discounts (D, R): one, the discount in each run, by how many runs it is shown, and by what share of them."""
    shown_by = (discount > 0).sum(axis=1)
    columns = [
        np.ones(len(discount)),
        *discount.T,
        shown_by >= 2,
        shown_by >= 3,
        shown_by / discount.shape[1],
    ]
    return np.stack(columns, axis=1).astype(np.float64)


def _within(gain: Floats, top: float) -> Floats:
    return np.clip(gain, _LEAST_SHARE * top, (1 - _LEAST_SHARE) * top)
