"""Krippendorff's alpha, and the plain shares that are shown with it.

α = 1 - D_o / D_e with D_o the sum of o_cv δ_cv over the coincidences o, D_e the sum of n_c n_v δ_cv / (n - 1), and

| level | δ_cv |
| --- | --- |
| nominal | 1 where c ≠ v |
| interval | (c - v)² |
| ordinal | (n_c / 2 + the judgments between c and v + n_v / 2)²: the interval distance of mean ranks |

(Krippendorff 2011). Every function takes coincidences of any leading shape (..., V, V), or moments (..., 6) where a
scale has no fixed steps, and gives NaN where fewer than two grades occur.
"""

import numpy as np

from judgments.agreement.figures import Level
from judgments.agreement.units import Floats


def alpha(coincidences: Floats, scale: Floats, level: Level) -> Floats:
    marginal = coincidences.sum(axis=-1)
    total = marginal.sum(axis=-1)
    places = _places(marginal, scale, level)
    distances = _apart(places, level)
    observed = (coincidences * distances).sum(axis=(-2, -1))
    expected = np.einsum(
        "...c,...cv,...v->...", marginal, np.broadcast_to(distances, coincidences.shape), marginal
    )
    several = (marginal > 0).sum(axis=-1) > 1
    return _one_minus(observed * (total - 1), expected, several)


def _places(marginal: Floats, scale: Floats, level: Level) -> Floats:
    """The positions of grades on the line along which distances are measured."""
    if level == "ordinal":
        ranks: Floats = np.cumsum(marginal, axis=-1) - marginal / 2
        return ranks
    return scale


def _apart(places: Floats, level: Level) -> Floats:
    between: Floats = places[..., :, None] - places[..., None, :]
    return (between != 0).astype(np.float64) if level == "nominal" else between**2


def _one_minus(observed: Floats, expected: Floats, is_defined: np.ndarray) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(is_defined, 1 - observed / expected, np.nan)


def alpha_of_moments(sums: Floats) -> Floats:
    """The alpha at interval level, from the sums of `units.moments`: exact for any number of different grades."""
    judgments, total, squares, observed = (sums[..., column] for column in range(4))
    spread = 2 * (judgments * squares - total**2)
    is_defined = spread > 1e-12 * judgments * squares
    return _one_minus(observed * (judgments - 1), spread, is_defined)


def observed_agreement(coincidences: Floats) -> Floats:
    """The share of two judgments of the same pair that agree; a pair weighs as much as it has judgments."""
    return _share(np.einsum("...cc->...", coincidences), coincidences.sum(axis=(-2, -1)))


def expected_agreement(coincidences: Floats) -> Floats:
    """The same share if judgments were assigned to pairs at random: nominal alpha compares the two."""
    marginal = coincidences.sum(axis=-1)
    total = marginal.sum(axis=-1)
    return _share((marginal * (marginal - 1)).sum(axis=-1), total * (total - 1))


def within_one(coincidences: Floats, steps: np.ndarray) -> Floats:
    """The share of two judgments of a pair at most one grade apart; `steps` (V,) are the grades' positions on their scale."""
    near = np.abs(steps[:, None] - steps[None, :]) <= 1
    return _share((coincidences * near).sum(axis=(-2, -1)), coincidences.sum(axis=(-2, -1)))


def mean_distance(coincidences: Floats, places: np.ndarray) -> Floats:
    """The mean distance of two judgments of a pair; `places` (V,) are the grades' positions."""
    distances = np.abs(places[:, None] - places[None, :])
    return _share((coincidences * distances).sum(axis=(-2, -1)), coincidences.sum(axis=(-2, -1)))


def mean_distance_of_moments(sums: Floats) -> Floats:
    return _share(sums[..., 4], sums[..., 0])


def near_share_of_moments(sums: Floats) -> Floats:
    return _share(sums[..., 5], sums[..., 0])


def _share(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
