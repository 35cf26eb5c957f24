"""What may be looked at as often as one likes: an e-process for the mean of bounded paired differences.

A gambler bets against the claim that the mean is m: each difference multiplies a capital of 1 by 1 + λ (d − m), which on
average gains nothing if the claim is true. Whenever one looks, and however many queries were added in between, a capital of
1/α is reached with a probability of α at most (Ville's inequality). Here twenty capitals that each stake an equal share of
what can be staked on “higher”, from 2.5 % to 97.5 % of it, are averaged, and twenty others on “lower” (Waudby-Smith &
Ramdas, Estimating means of bounded random variables by betting, JRSS B 86(1), 2024: grid Kelly bets). As no stake depends
on what came before, the order in which the queries came does not matter; that nobody chose them by their values does.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import LEVEL, Interval
from touchstone_core.significance.types import Floats

_STAKES: Final = (np.arange(20) + 0.5)[:, None] / 20.0
# Factors that are multiplied before a logarithm is taken: as many as cannot leave the range of a float.
_TOGETHER: Final = 8
_HALVINGS: Final = 26


@dataclass(frozen=True, slots=True)
class Sequential:
    """An always-valid p-value, two-sided and adjusted for the runs of the page (Bonferroni), and the interval of all means
    that it does not exclude."""

    p: float
    interval: Interval


def sequential(difference: Floats, span: float, *, runs: int = 1, level: float = LEVEL) -> Sequential:
    """Of differences (Q,) that the measure keeps within ±span. The interval excludes 0 exactly where p ≤ 1 − level.

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
    """The p-value of `sequential` alone."""
    capital = max(_log_capital(_shift(sign * difference, span), 1.0) for sign in (1.0, -1.0))
    return float(min(1.0, 2.0 * runs * np.exp(-capital)))


def lower_end(difference: Floats, span: float, *, significance: float) -> float:
    """What the mean of bounded differences (Q,) lies above, with 1 − significance, whatever their distribution."""
    values = _shift(difference, span)
    goal = -np.log(significance)
    # The capital against a mean falls as that rises. Where 0 itself is excluded, no halving may end on its other side.
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
    """The differences as numbers from 0 to 2, of which 1 stands for no difference."""
    if not (np.abs(difference) <= span * (1 + 1e-9)).all():
        raise SignificanceError("A difference is greater than the measure allows.")
    return np.clip(1.0 + difference / span, 0.0, 2.0)


def _log_capital(values: Floats, mean: float) -> float:
    """The logarithm of the average capital after bets that numbers from 0 (Q,) lie above this mean, which is above 0."""
    groups = -(-len(values) // _TOGETHER)
    factors = np.ones((len(_STAKES), groups * _TOGETHER))
    factors[:, : len(values)] = 1.0 + _STAKES * (values / mean - 1.0)
    products = factors.reshape(len(_STAKES), groups, _TOGETHER).prod(axis=2)
    logarithms = np.log(products).sum(axis=1)
    most = logarithms.max()  # so that the largest capital stays finite
    return float(most + np.log(np.exp(logarithms - most).mean()))
