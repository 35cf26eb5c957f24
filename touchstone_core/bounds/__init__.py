"""How far unjudged documents could change a value: pure numpy, no Django.

Every bound holds whatever grades the unjudged documents of its universe get, and some grades reach it.
"""

from touchstone_core.bounds.differences import (
    DifferenceBounds,
    GlobalBounds,
    Weights,
    difference_bounds,
    global_bounds,
    weights,
)
from touchstone_core.bounds.estimates import (
    DifferenceEstimate,
    Estimate,
    Pool,
    PoolAudit,
    PooledPages,
    Prior,
    estimate,
    estimate_difference,
    pool_audit,
)
from touchstone_core.bounds.pages import Pages, pages
from touchstone_core.bounds.tops import Tops
from touchstone_core.bounds.universe import PAGES, all_unjudged, most_unjudged, unjudged_of
from touchstone_core.bounds.values import GREATEST_CUTOFF, Bounds, bounds

__all__ = [
    "GREATEST_CUTOFF",
    "PAGES",
    "Bounds",
    "DifferenceBounds",
    "DifferenceEstimate",
    "Estimate",
    "GlobalBounds",
    "Pages",
    "Pool",
    "PoolAudit",
    "PooledPages",
    "Prior",
    "Tops",
    "Weights",
    "all_unjudged",
    "bounds",
    "difference_bounds",
    "estimate",
    "estimate_difference",
    "global_bounds",
    "most_unjudged",
    "pages",
    "pool_audit",
    "unjudged_of",
    "weights",
]
