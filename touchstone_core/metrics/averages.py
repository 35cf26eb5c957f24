"""From one value per query to one value per run."""

import numpy as np

from touchstone_core.metrics.types import Floats


def round_half_up(values: Floats, digits: int) -> Floats:
    """Rounds the values to so many decimals, a half up, as tools do that round before they average."""
    shift = 10.0**digits
    return np.floor(values * shift + 0.5) / shift


def none_for_nan(values: Floats) -> list[float | None]:
    """The values with None for NaN."""
    return [None if value != value else value for value in values.tolist()]


def mean(values: Floats) -> float | None:
    """The mean without the queries that are NaN; None if no query has a value."""
    numbers = values[~np.isnan(values)]
    return float(numbers.mean()) if numbers.size else None


def median(values: Floats) -> float | None:
    """The median without the queries that are NaN; None if no query has a value."""
    numbers = np.sort(values[~np.isnan(values)])  # np.median is slower, above all for few values
    middle = len(numbers) // 2
    return float((numbers[middle] + numbers[-1 - middle]) / 2.0) if numbers.size else None
