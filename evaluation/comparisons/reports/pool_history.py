"""Which runs the pairs of a list came from, as the log keeps it: also of runs that were deleted since."""

from collections.abc import Iterable
from typing import Any, Final

from evaluation.models import Run
from judgments.lists.reports.removal import with_pairs_left
from judgments.models import SELECTION, Act, JudgmentList, Verb

MOST_RUNS: Final = 20


def pool_history(judgment_list: JudgmentList, stored_runs: Iterable[Run]) -> dict[str, Any]:
    """Of the runs whose results were sent to the raters; pairs from files name none. `stored_runs` are all of the query set.

    `runs` are the first MOST_RUNS by name, the deleted ones first, each with the lowest rank that was pooled; `more` are the
    others. A deleted run has the last name that it fed the pool under. What was taken out again as a whole is no source, nor is
    what was chosen for what it decides: that is a part of the pool. One statement."""
    acts = Act.objects.filter(judgment_list=judgment_list, verb=Verb.PAIRS_ADDED, after__has_key="runs")
    acts = acts.exclude(after__has_key=SELECTION)
    names: dict[int, str] = {}
    depths: dict[int, int] = {}
    for after in with_pairs_left(acts, judgment_list).order_by("pk").values_list("after", flat=True):
        for run in after["runs"]:
            names[run["id"]] = run["name"]
            depths[run["id"]] = max(depths.get(run["id"], 0), after["depth"])
    stored = {run.pk: run.name for run in stored_runs}
    every = sorted((key in stored, stored.get(key, name), depths[key]) for key, name in names.items())
    return {
        "runs": [
            {"name": name, "depth": depth, "deleted": not is_stored}
            for is_stored, name, depth in every[:MOST_RUNS]
        ],
        "more": len(every[MOST_RUNS:]),
        "deleted": sum(not is_stored for is_stored, _, _ in every),
    }
