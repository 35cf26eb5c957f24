"""Wilcoxon's signed-rank test and the sign test: for those who must report them, and never asked by default.

They do not test the mean. Where a change wins much on a few queries and loses little on many, with no difference of the
means, they claim one in 48 to 100 % of cases at 5 % (Smucker, Allan & Carterette, CIKM 2007, advise against both).
"""

from dataclasses import dataclass
from typing import Final

from evaluation.significance.types import Floats

WARNING: Final = (
    "These tests do not ask whether the means differ; on skewed differences they can be wrong almost always."
)


@dataclass(frozen=True, slots=True)
class RankTests:
    """Two-sided p-values, 1 where every query is a tie; `warning` goes wherever they go."""

    wilcoxon: float
    sign: float
    warning: str = WARNING


def rank_tests(difference: Floats) -> RankTests:
    """Of differences (Q,); ties are left out of both, as Wilcoxon had it. Wilcoxon by the normal approximation."""
    from scipy import stats  # takes longer to import than everything else to run, and is seldom asked

    changed = difference[difference != 0]
    if not changed.size:
        return RankTests(1.0, 1.0)
    return RankTests(
        wilcoxon=float(stats.wilcoxon(changed, method="asymptotic").pvalue),
        sign=float(stats.binomtest(int((changed > 0).sum()), changed.size).pvalue),
    )
