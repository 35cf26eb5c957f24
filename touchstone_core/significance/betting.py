"""A test that stays valid however often you look: an e-process for the mean of bounded paired differences.

A gambler bets against the claim that the mean is m. Each difference multiplies a capital of 1 by 1 + λ (d − m), which gains
nothing on average if the claim is true. Then the capital reaches 1/α with a probability of at most α, however often you look
and however many queries you add in between (Ville's inequality). Here we average twenty capitals that bet on “higher” with
2.5 % to 97.5 % of the greatest possible stake, and twenty that bet on “lower” (grid Kelly bets; Waudby-Smith & Ramdas,
Estimating means of bounded random variables by betting, JRSS B 86(1), 2024). No stake depends on earlier queries, so the
order of the queries does not matter. But nobody may choose queries by their values.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import LEVEL, Interval
from touchstone_core.significance.types import Floats

_STAKES: Final = (np.arange(20) + 0.5)[:, None] / 20.0
# This many factors are multiplied before taking a logarithm. Their product cannot overflow.
_TOGETHER: Final = 8
_HALVINGS: Final = 26


@dataclass(frozen=True, slots=True)
class Sequential:
    """An always-valid two-sided p-value, adjusted for the number of runs (Bonferroni), and the interval of all means that it
    does not exclude."""

    p: float
    interval: Interval


def sequential(difference: Floats, span: float, *, runs: int = 1, level: float = LEVEL) -> Sequential:
    """Tests differences (Q,) that lie within ±span. The interval excludes 0 exactly if p ≤ 1 − level.

    Raises SignificanceError for a difference beyond the span.
    """
    share = (1.0 - level) / (2.0 * runs)
    return Sequential(
        p=always_valid_p(difference, span, runs=runs),
        interval=Interval(
            lower_end(difference, span, significance=share),
            -lower_end(-difference, span, significance=share),
            level,
        ),
    )


def always_valid_p(difference: Floats, span: float, *, runs: int = 1) -> float:
    """Returns only the p-value of `sequential`."""
    capital = max(_log_capital(_shift(sign * difference, span), 1.0) for sign in (1.0, -1.0))
    return float(min(1.0, 2.0 * runs * np.exp(-capital)))


def lower_end(difference: Floats, span: float, *, significance: float) -> float:
    """A lower confidence limit of the mean of bounded differences (Q,), whatever their distribution."""
    values = _shift(difference, span)
    goal = -np.log(significance)
    # The capital falls as the mean rises. If 0 itself is excluded, no halving may end on its other side.
    low, high = 0.0, float(values.mean())
    if high > 1.0:
        low, high = (1.0, high) if _log_capital(values, 1.0) >= goal else (0.0, 1.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if middle > 0 and _log_capital(values, middle) >= goal:
            low = middle
        else:
            high = middle
    return (low - 1.0) * span


def _shift(difference: Floats, span: float) -> Floats:
    """Maps differences to numbers from 0 to 2; 1 is no difference."""
    if not (np.abs(difference) <= span * (1 + 1e-9)).all():
        raise SignificanceError("A difference is greater than the measure allows.")
    return np.clip(1.0 + difference / span, 0.0, 2.0)


def _log_capital(values: Floats, mean: float) -> float:
    """The logarithm of the average capital after bets that the mean of `values` (Q,), from 0, lies above this positive mean."""
    groups = -(-len(values) // _TOGETHER)
    factors = np.ones((len(_STAKES), groups * _TOGETHER))
    factors[:, : len(values)] = 1.0 + _STAKES * (values / mean - 1.0)
    products = factors.reshape(len(_STAKES), groups, _TOGETHER).prod(axis=2)
    logarithms = np.log(products).sum(axis=1)
    most = logarithms.max()  # keeps the largest capital finite
    return float(most + np.log(np.exp(logarithms - most).mean()))
