"""make bench-comparing: the tests of comparisons, against scipy and ranx on the same scores. `--write` writes comparing.md.

Ours sets nine runs against a baseline over 7,000 queries with 100,000 permutations each, then makes all else that a comparison
holds, then compares all 45 pairs; then the pages of ten such runs are looked at (see comparing_pages). The others are asked for a part of the first, and what it takes is multiplied. Every contender
is a process of its own; a first call that is not timed compiles what there is to compile. The race ends with an error where
p-values differ by more than the error of drawing, or where the first task takes more than two seconds of the clock and of the processor.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.comparing_pages import LIMIT as PAGE_LIMIT
from benchmarks.comparing_pages import measured
from benchmarks.measuring import RIVALS_PYTHON, ROOT
from benchmarks.race import machine

QUERIES, RUNS, DRAWS = 7_000, 10, 100_000
ROUNDS: Final = 5
LIMIT: Final = 2.0
# The first is the task; the others would take minutes to hours for it.
PARTS: Final = {"ours": (RUNS - 1, DRAWS), "scipy": (1, 5_000), "ranx": (1, 1_000)}
NAMES: Final = {
    "ours": "`family_tests`",
    "scipy": "`scipy.stats.permutation_test`, vectorized",
    "ranx": "`fisher_randomization_test`, which `ranx.compare` calls for each pair",
}


@dataclass(frozen=True, slots=True)
class Timed:
    """Wall and CPU seconds of each round, the p-values of the runs asked for, and how much of the task that was."""

    rounds: list[tuple[float, float]]
    values: list[float]
    runs: int
    draws: int

    @property
    def wall(self) -> float:
        return statistics.median(wall for wall, _ in self.rounds)

    @property
    def processor(self) -> float:
        return statistics.median(processor for _, processor in self.rounds)

    @property
    def whole(self) -> float:
        """CPU seconds for nine runs with 100,000 permutations each."""
        return self.processor * (RUNS - 1) * DRAWS / (self.runs * self.draws)


def scores() -> NDArray[np.float64]:
    """Queries × runs, as NDCG might be: queries differ, runs hardly, and a third of the values stay the same."""
    source = np.random.default_rng(1)
    queries = source.beta(2, 1.5, (QUERIES, 1))
    changes = source.normal(0.001, 0.15, (QUERIES, RUNS)) * (source.random((QUERIES, RUNS)) < 0.67)
    changes[:, 0] = 0
    return np.clip(queries + changes, 0, 1).round(6)


def contend(name: str, made: Path) -> Timed:
    """One contender in a process of its own."""
    runs, draws = PARTS[name]
    python = RIVALS_PYTHON if name == "ranx" else sys.executable
    command = [
        python,
        "-m",
        "benchmarks.comparing_rivals",
        name,
        str(made),
        str(runs),
        str(draws),
        str(ROUNDS),
    ]
    found = json.loads(subprocess.check_output(command, cwd=ROOT, text=True))
    return Timed([tuple(one) for one in found["rounds"]], found["values"], runs, draws)


def check(name: str, theirs: Timed, ours: Timed) -> None:
    """Ends the race where p-values differ by more than the error of drawing."""
    for run, (value, own) in enumerate(zip(theirs.values, ours.values, strict=False)):
        error = math.sqrt(own * (1 - own) * (1 / theirs.draws + 1 / ours.draws))
        if abs(value - own) > 5 * error + 1 / theirs.draws:
            sys.exit(f"{name} gives p = {value} for run {run + 1}, we {own}.")


def all_else(made: NDArray[np.float64]) -> list[tuple[str, float, float]]:
    """Wall and CPU seconds of what has no rival here: the whole record of nine runs, all pairs of ten, and what decides two."""
    from touchstone_core.significance.comparison import compare
    from touchstone_core.significance.pairs import compare_all
    from touchstone_core.significance.settings import Settings

    runs = list(made.T)
    record = "the whole record of nine runs (permutations, always-valid intervals, 1,000 resamples)"
    pairs = "all 45 pairs by the randomised Tukey HSD test, 100,000 draws"
    return [
        (record, *seconds_of(lambda: compare(runs[0], runs[1:], settings=Settings(seed=1), span=1.0))),
        (pairs, *seconds_of(lambda: compare_all(runs, seed=1))),
        ("what to judge next of 50,000 documents on the pages of two runs", *seconds_of(_deciding())),
    ]


def _deciding() -> Callable[[], object]:
    """Two runs of 3,333 queries that share five of ten documents, a tenth of them judged."""
    from touchstone_core.deciding.batch import next_batch
    from touchstone_core.deciding.difference import difference
    from touchstone_core.deciding.documents import Documents
    from touchstone_core.metrics.discount import discounts

    source = np.random.default_rng(1)
    queries, ranks = 3_333, 10
    page = source.permuted(np.tile(np.arange(15), (queries, 1)), axis=1)
    pages = np.stack([page[:, :ranks], page[:, -ranks:]])
    of_queries = np.where(source.random((queries, 15)) < 0.1, source.integers(0, 4, (queries, 15)), np.nan)
    gain = np.stack([np.take_along_axis(of_queries, one, axis=1) for one in pages])

    def work() -> object:
        documents = Documents.of_pages(pages, gain, discounts("log2", ranks), 3.0)
        return next_batch(documents, difference(documents).value, 100, np.random.default_rng(1))

    return work


def seconds_of(work: Callable[[], object]) -> tuple[float, float]:
    """Medians of wall and CPU seconds."""
    walls, processors = [], []
    for _ in range(ROUNDS):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return statistics.median(walls), statistics.median(processors)


def report(results: dict[str, Timed], others: list[tuple[str, float, float]], pages: list[str]) -> str:
    ours = results["ours"].whole
    lines = [
        "# Tests of comparisons",
        "",
        f"`make bench-comparing` sets {RUNS - 1} runs against a baseline over {QUERIES:,} queries with {DRAWS:,} permutations each, and writes",
        "this page. Imports and compilation are not timed. The others are asked for a part of the task, and their seconds multiplied;",
        f"all p-values agree within the error of drawing. Medians of {ROUNDS}. CPU seconds are those of all threads, and what the ratios are of:",
        "wall seconds have whatever else the machine does in them. Limits: 2 s for the task, 200 ms for pages from stored scores; what changed",
        "before anybody judges is worked out anew for each look.",
        "",
        machine(),
        "",
        "| contender | asked for | wall seconds | CPU seconds | CPU seconds for the task | of these ours takes |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, result in results.items():
        asked = f"{result.runs} × {result.draws:,}"
        share = f"1/{result.whole / ours:,.0f}" if name != "ours" else "1"
        cells = [
            NAMES[name],
            asked,
            f"{result.wall:.2f}",
            f"{result.processor:.2f}",
            f"{result.whole:,.1f}",
            share,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| ours alone | wall seconds | CPU seconds |", "| --- | --- | --- |"]
    lines += [f"| {name} | {wall:.2f} | {processor:.2f} |" for name, wall, processor in others]
    return "\n".join([*lines, "", *pages])


def main(arguments: list[str]) -> None:
    made = ROOT / "var" / "bench" / "comparing.npy"
    made.parent.mkdir(parents=True, exist_ok=True)
    matrix = scores()
    np.save(made, matrix)
    results = {name: contend(name, made) for name in PARTS}
    for name in ("scipy", "ranx"):
        check(name, results[name], results["ours"])
    pages, slow = measured()
    text = report(results, all_else(matrix), pages)
    print(text)
    if "--write" in arguments:
        (ROOT / "benchmarks" / "comparing.md").write_text(text + "\n")
    if slow:
        sys.exit(f"A page from stored scores takes more than {1000 * PAGE_LIMIT:.0f} ms.")
    fastest = min(min(both) for both in results["ours"].rounds)
    if fastest > LIMIT:
        sys.exit(
            f"{fastest:.2f} s is more than {LIMIT:g} s; the load of the machine is {os.getloadavg()[0]:.1f}."
        )


if __name__ == "__main__":
    main(sys.argv[1:])
