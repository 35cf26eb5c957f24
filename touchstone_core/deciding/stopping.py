"""When enough is judged to call one run better."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from touchstone_core.deciding.difference import ENOUGH

_APART: Final = 0.025  # of the pool has to be judged from one check to the next
EARLIEST: Final = 0.05  # of the pool has to be judged before a check counts


@dataclass(frozen=True, slots=True)
class Check:
    """One look at the difference: how many documents of the pool were judged, and how many standard errors it was from 0."""

    judged: int
    z: float


def is_decided(checks: Sequence[Check], pool: int) -> bool:
    """Whether the difference was beyond doubt, with the same sign, at the last two checks and at all between them.

    `checks` are in order of time, the last one of now, and `pool` is how many documents the pages hold. A check that comes too
    soon after the one before can't be one of the two: whoever looks more often finds more by chance.
    """
    last = checks[-1]
    if abs(last.z) == inf:
        return True
    apart = _far_apart(checks, max(1, _APART * pool))
    if len(apart) < 2 or apart[-1] != last or apart[-2].judged < EARLIEST * pool:
        return False
    since = [check for check in checks if check.judged >= apart[-2].judged]
    return all(check.z * last.z > 0 and abs(check.z) >= ENOUGH for check in since)


def _far_apart(checks: Sequence[Check], gap: float) -> list[Check]:
    """The first one, and each one by which so many more were judged than at the one before of these."""
    found = [checks[0]]
    for check in checks[1:]:
        if check.judged - found[-1].judged >= gap:
            found.append(check)
    return found
