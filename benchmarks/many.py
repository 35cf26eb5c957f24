"""143 runs in one command against pytrec_eval in one process: processor time and memory. Part of `make bench`.

What is done once per file weighs here. Processor time counts, because pytrec_eval uses one processor. Every mean of every
run is compared before.
"""

import json
import statistics
import sys
from pathlib import Path

from benchmarks.data import MANY, many_runs
from benchmarks.measuring import RIVALS_PYTHON, Measured, bar, measure
from benchmarks.rivals import MEASURES, Means
from benchmarks.values import EXACT

ROUNDS = 7
OURS = "manage.py score"
RIVAL = "pytrec_eval"


def report(folder: Path, measures: str, rounds: int = ROUNDS) -> tuple[str, list[str]]:
    """The table, and the bars of scale.md. Ends the process where a mean differs."""
    qrels, runs = many_runs(folder)
    ours = [sys.executable, "manage.py", "score", "--qrels", str(qrels), "--measures", measures]
    commands = {
        OURS: [*ours, "--format", "json", *(word for run in runs for word in ("--run", str(run)))],
        RIVAL: [RIVALS_PYTHON, "-m", "benchmarks.rivals", "many", str(qrels), *map(str, runs)],
    }
    compare(*(measure(command).output for command in commands.values()))
    found: dict[str, list[Measured]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(measure(command))
    processor = {name: statistics.median(one.processor for one in each) for name, each in found.items()}
    peak = {name: max(one.megabytes for one in each) for name, each in found.items()}
    megabytes = sum(run.stat().st_size for run in runs) / 1e6
    lines = [
        f"### {len(runs)} runs of {MANY.queries} queries × {MANY.depth} rows in one command, {megabytes:,.0f} MB, "
        f"{MANY.queries * MANY.judged:,} judgments; median of {rounds}",
        "",
        "| contender | processor seconds | of these ours takes | seconds | peak MB |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, each in found.items():
        seconds = statistics.median(one.seconds for one in each)
        share = processor[OURS] / processor[name]
        lines.append(f"| {name} | {processor[name]:.2f} | {share:.2f} | {seconds:.2f} | {peak[name]:,.0f} |")
    bars = [
        bar(
            f"{len(runs)} runs in one command: processor time, of pytrec_eval's",
            processor[OURS] / processor[RIVAL],
            0.5,
        ),
        bar("the same: peak memory, of pytrec_eval's", peak[OURS] / peak[RIVAL], 3.0),
    ]
    return "\n".join(lines), bars


def compare(ours: str, theirs: str) -> None:
    """Ends the process unless the means of every run are the same."""
    known: list[Means] = json.loads(theirs)
    for run, means in zip(json.loads(ours)["runs"], known, strict=True):
        for name in MEASURES:
            mean = run["measures"][name]["mean"]
            if not abs(mean - means[name]) <= EXACT:
                sys.exit(f"{RIVAL} gives {name} {means[name]!r} for {run['file']}, we {mean!r}")
