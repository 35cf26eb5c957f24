"""When enough is judged to call one run better."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from touchstone_core.deciding.difference import ENOUGH

_APART: Final = 0.025  # of the pool has to be judged from one check to the next
_EARLIEST: Final = 0.05  # of the pool has to be judged before a check counts


@dataclass(frozen=True, slots=True)
class Check:
    """One look at the difference: how many documents of the pool were judged, and how many standard errors it was from 0."""

    judged: int
    z: float


def is_decided(checks: Sequence[Check], pool: int) -> bool:
    """Whether the difference was beyond doubt, with the same sign, at the last two checks that are far enough apart.

    `checks` are in order of time, the last one of now, and `pool` is how many documents the pages hold.
    """
    last = checks[-1]
    if abs(last.z) == float("inf"):
        return True
    before = [check for check in checks[:-1] if last.judged - check.judged >= max(1, _APART * pool)]
    return bool(before) and all(
        check.z * last.z > 0 and abs(check.z) >= ENOUGH and check.judged >= _EARLIEST * pool
        for check in (before[-1], last)
    )
