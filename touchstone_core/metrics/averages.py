"""From one value per query to one value per run."""

import numpy as np

from touchstone_core.metrics.types import Floats


def rounded(values: Floats, digits: int) -> Floats:
    """The values to so many decimals, a half going up, as tools do that round before they average."""
    shift = 10.0**digits
    return np.floor(values * shift + 0.5) / shift


def mean(values: Floats) -> float | None:
    """Over the queries that have a value, those that are NaN being left out; None where there is none."""
    counted = values[~np.isnan(values)]
    return float(counted.mean()) if counted.size else None


def median(values: Floats) -> float | None:
    """Half way between the two middle values for an even number of queries; None where there is no value."""
    counted = np.sort(values[~np.isnan(values)])  # numpy's own median takes longer, above all for few values
    middle = len(counted) // 2
    return float((counted[middle] + counted[-1 - middle]) / 2.0) if counted.size else None
