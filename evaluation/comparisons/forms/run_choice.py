"""Which runs are compared, and on what, as addresses say it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.http import QueryDict

from evaluation.models import Run
from touchstone_core.comparison.comparison import DCG
from touchstone_core.comparison.verdict import measure_name
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.selection import is_measure
from touchstone_core.words import counted

MOST_RUNS: Final = 20
CHOOSE: Final = "Choose at least one run to compare with the baseline."
RUNS: Final = "runs"
ON: Final = "on"
CONFIRM: Final = "confirm"
INTENT: Final = "intent"
DEFAULT_ON: Final = "global"
# What the form of choice sends; gone from the URL that it leads to.
RUN, BASELINE = "run", "baseline"


@dataclass(frozen=True, slots=True)
class RunChoice:
    """The runs, the baseline first; `problem` says why they cannot be compared. Empty where nothing was chosen yet."""

    runs: tuple[Run, ...]
    problem: str = ""

    @property
    def ready(self) -> bool:
        return len(self.runs) > 1 and not self.problem

    @property
    def baseline(self) -> Run | None:
        return self.runs[0] if self.runs else None

    @property
    def text(self) -> str:
        """What the URL says of them: `3-5-7`."""
        return runs_text(self.runs)

    @property
    def removals(self) -> list[tuple[Run, str]]:
        """Each run beside the baseline, with what the URL says without it; nothing where too few would be left."""
        return [
            (one, runs_text(run for run in self.runs if run != one) if len(self.runs) > 2 else "")
            for one in self.runs[1:]
        ]

    @property
    def baselines(self) -> list[tuple[Run, str]]:
        """Each run beside the baseline, with what the URL says where it is the baseline instead."""
        return [(one, runs_text([one, *(run for run in self.runs if run != one)])) for one in self.runs[1:]]

    def additions(self, runs: Iterable[Run]) -> list[tuple[Run, str]]:
        """Each of these runs that could be added, with what the URL says then."""
        if len(self.runs) >= MOST_RUNS:
            return []
        return [(run, runs_text([*self.runs, run])) for run in runs if run not in self.runs]


def runs_text(runs: Iterable[Run]) -> str:
    return "-".join(str(run.pk) for run in runs)


def sent_choice(data: QueryDict) -> str | None:
    """`3-5-7` for what the form of choice sent, the baseline first; None where the URL comes from elsewhere."""
    if RUN not in data and BASELINE not in data:
        return None
    baseline = data.get(BASELINE, "")
    keys = dict.fromkeys([baseline, *data.getlist(RUN)])
    return "-".join(key for key in keys if key.isdecimal())


def read_runs(data: QueryDict, runs: Iterable[Run]) -> RunChoice:
    """From `runs=3-5-7`; a run that is not there, twice, or too many are a problem said in a sentence."""
    by_key = {str(run.pk): run for run in runs}
    keys = [key for key in data.get(RUNS, "").split("-") if key]
    matches = tuple(dict.fromkeys(by_key[key] for key in keys if key in by_key))
    if unknown := sum(key not in by_key for key in keys):
        return RunChoice(matches, _unknown_words(unknown, len(keys)))
    if len(matches) < len(keys):
        return RunChoice(matches, "This link names a run twice. Choose each run once.")
    if len(matches) > MOST_RUNS:
        return RunChoice(matches[:MOST_RUNS], f"Up to {MOST_RUNS} runs are compared at once.")
    if len(matches) == 1:
        return RunChoice(matches, CHOOSE)
    return RunChoice(matches)


def usual_baseline(runs: Iterable[Run]) -> Run | None:
    """The pinned one, or else the earliest."""
    return min(runs, key=lambda run: (not run.is_baseline, run.pk), default=None)


def runs_to_compare_at_once(data: QueryDict, runs: Sequence[Run]) -> str | None:
    """What the address says of the only two runs, the baseline first; None if there are others, or it says something already."""
    if len(runs) != 2 or RUNS in data:
        return None
    baseline = usual_baseline(runs)
    return runs_text(sorted(runs, key=lambda run: run != baseline))


def _unknown_words(unknown: int, of: int) -> str:
    one = unknown == 1
    return (
        f"{unknown:,} of {counted(of, 'run')} of this link {'was' if one else 'were'} deleted, or "
        f"{'isn’t' if one else 'aren’t'} in this query set. Choose the runs again."
    )


def choices_on(cutoff: int, measures: Sequence[RoundedMeasure]) -> list[tuple[str, str]]:
    """What a comparison can be on: the four NDCGs, DCG, further measures."""
    kinds = ("global", "max", "recall", "local", DCG, *map(str, measures))
    return [(on, measure_name(cutoff, on)) for on in kinds]


def unknown_measure(data: QueryDict) -> str:
    """A sentence if the address asks for a comparison on what is no measure."""
    on = data.get(ON, "")
    known = not on or on in (*IDEALS, DCG) or is_measure(on)
    return "" if known else f"Nothing is compared because “{on[:40]}” isn’t a measure."


def read_on(data: QueryDict, measures: Sequence[RoundedMeasure]) -> str:
    """The default where the URL says nothing, or a measure that is not among the further ones."""
    on = data.get(ON) or DEFAULT_ON
    return on if on in (*IDEALS, DCG, *map(str, measures)) else DEFAULT_ON


def missing_measure(data: QueryDict, measures: Sequence[RoundedMeasure]) -> str:
    """The measure that the URL asks for though it is not among the further ones, so that the default is shown instead."""
    on = data.get(ON, "")
    return on if on and on != read_on(data, measures) and is_measure(on) else ""
