"""Which runs the pairs of a list came from, as the log keeps it: also of runs that were deleted since."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from evaluation.models import Run
from judgments.models import Act, JudgmentList, Verb

SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class PooledRun:
    """`name` is the present one, of a deleted run the last that it fed the pool under; `depth` is the lowest rank that was pooled."""

    name: str
    depth: int
    deleted: bool


@dataclass(frozen=True, slots=True)
class PoolHistory:
    """`runs` are the first SHOWN by name, the deleted ones first; `more` are the others."""

    runs: list[PooledRun]
    more: int
    deleted: int


def pool_history(judgment_list: JudgmentList, stored_runs: Iterable[Run]) -> PoolHistory:
    """Of the runs whose results were sent to the raters; pairs from files name none. `stored_runs` are all of the query set.
    One statement."""
    acts = Act.objects.filter(judgment_list=judgment_list, verb=Verb.PAIRS_ADDED, after__has_key="runs")
    names: dict[int, str] = {}
    depths: dict[int, int] = {}
    for after in acts.order_by("pk").values_list("after", flat=True):
        for run in after["runs"]:
            names[run["id"]] = run["name"]
            depths[run["id"]] = max(depths.get(run["id"], 0), after["depth"])
    stored = {run.pk: run.name for run in stored_runs}
    every = [PooledRun(stored.get(key, name), depths[key], key not in stored) for key, name in names.items()]
    every.sort(key=lambda run: (not run.deleted, run.name))
    return PoolHistory(every[:SHOWN], len(every[SHOWN:]), sum(run.deleted for run in every))
