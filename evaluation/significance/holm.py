"""Several runs against one baseline: p-values that count how many there are."""

from collections.abc import Sequence


def holm(values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's adjusted p-values (Scand. J. Statist. 1979), in the given order; whichever the truth, the chance of any
    false claim stays at the level.

    The k-th smallest of m is multiplied by m − k + 1, is never below the one before it, and at most 1. None stands for
    no test: it stays None and does not count among the m.
    """
    tested = sorted((value, at) for at, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    least = 0.0
    for before, (value, at) in enumerate(tested):
        least = max(least, min(1.0, (len(tested) - before) * value))
        adjusted[at] = least
    return tuple(adjusted)
