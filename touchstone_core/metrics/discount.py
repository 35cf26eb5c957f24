"""Discount: how much of its gain a document keeps at a rank. Never above 1, never rising with the rank."""

from typing import Final

import numpy as np

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.types import Floats

DISCOUNTS: Final = ("log2", "jk", "reciprocal", "none")
DEFAULT_BASE: Final = 2.0


def discounts(discount: str, count: int, base: float | None = None) -> Floats:
    """The discounts of the ranks 1 to `count`. Only 'jk' has a `base`."""
    ranks = np.arange(1, count + 1, dtype=np.float64)
    if discount == "log2":
        return 1.0 / np.log2(ranks + 1.0)
    if discount == "jk":
        return _jarvelin_kekalainen(ranks, DEFAULT_BASE if base is None else base)
    if discount == "reciprocal":
        return 1.0 / ranks
    if discount == "none":
        return np.ones_like(ranks)
    raise MetricsError(f"The discount can’t be {discount!r}. Use one of {', '.join(DISCOUNTS)}.")


def _jarvelin_kekalainen(ranks: Floats, base: float) -> Floats:
    """1 for i < b, else 1 / log_b(i) (Järvelin & Kekäläinen 2002): with b = 2, ranks 1 and 2 are not discounted."""
    return np.log(base) / np.log(np.maximum(ranks, base))
