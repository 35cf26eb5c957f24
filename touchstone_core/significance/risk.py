"""URisk and TRisk, which weigh losses more than wins."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import mean_difference
from touchstone_core.significance.types import Floats

ALPHA: Final = 1.0


@dataclass(frozen=True, slots=True)
class Risk:
    """`urisk` is in the unit of the measure, `trisk` like a t, and None if the weighted differences do not vary."""

    alpha: float
    urisk: float
    trisk: float | None


def risk(difference: Floats, *, alpha: float = ALPHA) -> Risk:
    """URisk = (Σ wins d − (1 + α) Σ losses |d|) / Q and TRisk = URisk / its standard error, of differences (Q,).

    URisk: Wang, Bennett & Collins-Thompson, SIGIR 2012. TRisk: Dinçer, Macdonald & Ounis, SIGIR 2014; below −2 the losses
    outweigh the wins by more than noise. At α = 0 URisk is the mean difference and TRisk the paired t. Raises
    SignificanceError for an alpha that is negative or not finite.
    """
    if not 0 <= alpha < np.inf:
        raise SignificanceError("The alpha of risk must be a finite number from 0.")
    summary = mean_difference(np.where(difference < 0, (1.0 + alpha) * difference, difference))
    return Risk(alpha, summary.mean, summary.t)
