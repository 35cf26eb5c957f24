"""How far unjudged documents could change a value: pure numpy, no Django.

Every bound holds whatever grades the unjudged documents would get, and is attained by some grades.
"""

from evaluation.bounds.differences import DifferenceBounds, Weights, difference_bounds, weights
from evaluation.bounds.expected import (
    Expected,
    Pool,
    PoolAudit,
    PooledPages,
    Prior,
    expected,
    pool_audit,
)
from evaluation.bounds.pages import Pages, pages
from evaluation.bounds.values import GREATEST_CUTOFF, Bounds, bounds

__all__ = [
    "GREATEST_CUTOFF",
    "Bounds",
    "DifferenceBounds",
    "Expected",
    "Pages",
    "Pool",
    "PoolAudit",
    "PooledPages",
    "Prior",
    "Weights",
    "bounds",
    "difference_bounds",
    "expected",
    "pages",
    "pool_audit",
    "weights",
]
