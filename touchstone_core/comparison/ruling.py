"""The one rule that verdict, p-value, interval and color of a comparison's page follow."""

from dataclasses import dataclass
from typing import Any

from touchstone_core.significance.planning import SIGNIFICANCE


@dataclass(frozen=True, slots=True)
class Looks:
    """How often people looked at two runs under a measure, this time included, and whether `queries_added` in between."""

    count: int = 1
    queries_added: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """The p-value that decides, with the interval that excludes 0 exactly where it is significant.

    `always_valid`: both hold however often people looked. None where nothing can be decided.
    """

    p: float | None
    interval: dict[str, float] | None
    always_valid: bool

    @property
    def significant(self) -> bool:
        return self.p is not None and self.p <= SIGNIFICANCE


def ruling(one: dict[str, Any], looks: Looks) -> Ruling:
    """`one` is the record of a run beside the baseline (`significance.comparison.Comparison`).

    Where queries were added between looks, the e-process decides. Where only grades changed, none is valid, and the page
    says what looking did to the error.
    """
    if not looks.queries_added:
        return Ruling(one["adjusted"], one["difference"]["interval"], always_valid=False)
    sequential = one["sequential"]
    return Ruling(sequential and sequential["p"], sequential and sequential["interval"], always_valid=True)
