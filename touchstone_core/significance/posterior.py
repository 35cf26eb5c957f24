"""The probability that a run is better: Student's posterior of the mean under a flat prior.

With the prior 1/σ on mean and spread, (μ − mean) / error follows Student's t with n − 1 degrees of freedom (Box & Tiao,
Bayesian Inference in Statistical Analysis, 1973, 2.4). For null pairs with normal differences it is 0.975 or more in 2.5 % of
cases, whatever the number of queries. The Bayesian bootstrap would be in 5 % of cases with 15 queries, because its tails are
as short as those of a normal distribution and its spread is too small by √((n − 1)/(n + 1)).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import stdtr

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import MeanDifference

# Mean differences within this have no practical meaning, in the unit of the measure.
ROPE: Final = 0.005


@dataclass(frozen=True, slots=True)
class Posterior:
    """`better` = P(mean > 0), `within` = P(|mean| ≤ rope); neither is adjusted for other runs or for repeated looks."""

    better: float
    within: float
    rope: float


def posterior(difference: MeanDifference, queries: int, *, rope: float = ROPE) -> Posterior | None:
    """The posterior of a mean difference; None for one query. It is certain if the differences do not vary.

    Raises SignificanceError for a rope that is negative or not finite.
    """
    if not 0 <= rope < np.inf:
        raise SignificanceError("What counts as no difference must be a finite number from 0.")
    mean, error = difference.mean, difference.error
    if error is None:
        return None
    if not error:
        return Posterior(float(mean > 0), float(abs(mean) <= rope), rope)
    below, within = stdtr(queries - 1, (np.array([-rope, rope]) - mean) / error)
    return Posterior(float(stdtr(queries - 1, mean / error)), float(within - below), rope)
