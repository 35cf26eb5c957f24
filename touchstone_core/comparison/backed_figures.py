"""The figures of a comparison without those that its verdicts don't back, for everything that shows figures beside verdicts."""

from collections.abc import Sequence
from typing import Final

from touchstone_core.comparison.verdict import Figures, Verdict

_OF_ONE_LOOK: Final = ("adjusted", "posterior", "detectable", "queries_needed", "one_sided")
"""What is said of these values at a single look."""


def backed_figures(figures: Figures, verdicts: Sequence[Verdict]) -> Figures:
    """For each run but the first its verdict. If these values, or a single look at them, don't decide it, no p-value, interval
    and plan that rests on them is left; means, counts and bounds are."""
    looked = any(verdict.rule.always_valid for verdict in verdicts)
    return figures | {
        "comparisons": [backed_record(*pair) for pair in zip(figures["comparisons"], verdicts, strict=True)],
        "splits": [
            split if verdict.backs_figures else unbacked_steps(split)
            for split, verdict in zip(figures["splits"], verdicts, strict=True)
        ],
        "segments": [
            one | {"runs": [_part(*pair) for pair in zip(one["runs"], verdicts, strict=True)]}
            for one in figures["segments"]
        ],
        "pairs": _pairs(figures["pairs"]) if looked else figures["pairs"],
    }


def backed_record(one: Figures, verdict: Verdict) -> Figures:
    """The record of a run beside the baseline, with its verdict."""
    shown = one | {"verdict": verdict.headline, "always_valid": verdict.rule.always_valid}
    if verdict.backs_figures:
        return shown
    weighted = one["weighted"]
    return shown | {
        "sequential": None if verdict.needs_judging else one["sequential"],
        **dict.fromkeys(_OF_ONE_LOOK),
        "difference": one["difference"] | {"t": None, "p": None, "interval": None},
        "risk": one["risk"] | {"trisk": None},
        "permutation": one["permutation"] | {"value": None},
        "robust": one["robust"] | {"median_interval": None, "trimmed_interval": None},
        "weighted": weighted
        and weighted | {"interval": None, "permutation": weighted["permutation"] | {"value": None}},
    }


def unbacked_steps(split: Sequence[Figures]) -> list[Figures]:
    """The steps of a waterfall without what rests on zeros or on a single look."""
    return [part | {"interval": None} for part in split]


def _pairs(every: Figures | None) -> Figures | None:
    return every and every | {"pairs": [pair | {"p": None} for pair in every["pairs"]]}


def _part(part: Figures, verdict: Verdict) -> Figures:
    return part if verdict.backs_figures else part | {"interval": None}
