"""make bench: `manage.py score` against its rivals on the same files, in turns, and what came of it.

Every contender is a process of its own, from start to exit, so that imports and start-up count. Before it is timed it
gives the value of every query, and a value that ties cannot explain ends the race. TREC_EVAL names a trec_eval binary
to race as well. `--sizes S,M` leaves out the large files, `--write` writes benchmarks/README.md.
"""

import argparse
import datetime as dt
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import many
from benchmarks.data import SIZES, SMALL, Files, files
from benchmarks.measuring import RIVALS_PYTHON, ROOT, bar, measure
from benchmarks.rivals import MEASURES, Values
from benchmarks.values import (
    Comparison,
    compare,
    queries_left_to_ties,
    told,
    values_of_ours,
    values_of_trec_eval,
)

OURS = "manage.py score"
PARSE = "parse alone"
TREC_EVAL = "trec_eval"
ROUNDS = {"S": 5, "M": 5, "L": 5}
IDEALS = "nDCG(ideal='local')@10 nDCG(ideal='recall')@10 nDCG(ideal='max')@10"
SCORED = f"{' '.join(MEASURES)} {IDEALS}"


@dataclass
class Results:
    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    values: Values = field(default_factory=dict)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def peak(self) -> float:
        return max(self.megabytes)


def contenders(size: str, made: Files) -> dict[str, list[str]]:
    """The command of each. scikit-learn takes a loop over queries, and is raced on the small files only."""
    ours = [sys.executable, "manage.py", "score", "--qrels", str(made.qrels), "--run", str(made.run)]
    names = ["pytrec_eval", "ir_measures", "ranx", *(["scikit-learn"] if size == "S" else []), PARSE]
    rivals = {
        name: [
            sys.executable if name == PARSE else RIVALS_PYTHON,
            "-m",
            "benchmarks.rivals",
            name,
            str(made.qrels),
            str(made.run),
        ]
        for name in names
    }
    trec_eval = os.environ.get("TREC_EVAL")
    if trec_eval:
        wanted = "-m ndcg_cut.10,100 -m map -m recip_rank -m P.10 -m recall.1000 -c"
        rivals[TREC_EVAL] = [trec_eval, *wanted.split(), str(made.qrels), str(made.run)]
    return {OURS: [*ours, "--measures", SCORED, "--format", "json"], **rivals}


def race(commands: dict[str, list[str]], rounds: int) -> dict[str, Results]:
    """In turns, so that a busy minute of the machine hits all. One round before that fills caches (ranx compiles)."""
    results = {name: Results() for name in commands}
    for name, command in commands.items():
        results[name].values = values_of(name, measure(with_queries(name, command)).output)
    for _ in range(rounds):
        for name, command in commands.items():
            measured = measure(command)
            results[name].seconds.append(measured.seconds)
            results[name].megabytes.append(measured.megabytes)
    return results


def with_queries(name: str, command: list[str]) -> list[str]:
    """The command that gives every query's values, too."""
    return [command[0], "-q", *command[1:]] if name == TREC_EVAL else [*command, "--per-query"]


def values_of(name: str, output: str) -> Values:
    if name == OURS:
        return values_of_ours(output)
    if name == TREC_EVAL:
        return values_of_trec_eval(output)
    found: Values = json.loads(output)
    return found


def comparisons(made: Files, results: dict[str, Results]) -> dict[str, Comparison]:
    """Each rival's values against ours, query by query; ends the race where they differ."""
    left_to_ties = queries_left_to_ties(made)
    found = {
        name: compare(name, results[OURS].values, result.values, left_to_ties)
        for name, result in results.items()
        if name not in (OURS, PARSE)
    }
    if mismatches := [mismatch for comparison in found.values() for mismatch in comparison.mismatches]:
        sys.exit(f"Values differ:\n{told(mismatches)}")
    return found


def table(size: str, made: Files, results: dict[str, Results]) -> str:
    ours, others = results[OURS], comparisons(made, results)
    shape = SIZES[size]
    lines = [
        f"### {size}: {shape.queries:,} queries × {shape.depth:,} rows, {made.run.stat().st_size / 1e6:,.0f} MB, "
        f"{shape.queries * shape.judged:,} judgments; median of {len(ours.seconds)}",
        "",
        "| contender | seconds | of these ours takes | peak MB | values compared | greatest difference | queries that ties decide |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, result in results.items():
        cells = [
            name,
            f"{result.median:.2f}",
            f"{ours.median / result.median:.2f}",
            f"{result.peak:,.0f}",
            *compared(others.get(name)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def compared(found: Comparison | None) -> list[str]:
    return [f"{found.compared:,}", f"{found.greatest:.0e}", str(found.ties)] if found else ["", "", ""]


def bars(results: dict[str, Results]) -> list[str]:
    """What scale.md asks of the large run."""
    ours = results[OURS]
    fastest = min(results[name].median for name in ("trec_eval", "pytrec_eval") if name in results)
    return [
        bar("time, of the faster of trec_eval and pytrec_eval", ours.median / fastest, 0.25),
        bar("time, of the parse alone", ours.median / results[PARSE].median, 2.5),
        bar("peak memory, of pytrec_eval's", ours.peak / results["pytrec_eval"].peak, 1.0),
    ]


def small_run(folder: Path) -> str:
    """Both files, ten measures and every value of the small run in a warm process."""
    from touchstone_core.offline.file_scores import as_json, score_files

    made = files(SMALL, folder)
    seconds = []
    for _ in range(100):
        start = time.perf_counter()
        as_json(score_files(made.qrels, [made.run]), per_query=True)
        seconds.append(time.perf_counter() - start)
    milliseconds = statistics.median(seconds) * 1000
    return bar(f"50 × 10 rows in process, of 3 ms ({milliseconds:.1f} ms)", milliseconds / 3, 1.0)


def machine() -> str:
    with open("/proc/cpuinfo") as file:
        model = next(
            (line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown"
        )
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    now = dt.datetime.now(dt.UTC)
    return (
        f"{now:%Y-%m-%d}, {os.cpu_count()} × {model}, Python {platform.python_version()}; "
        f"load averages at the end {load}."
    )


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sizes", default="S,M,L")
    parser.add_argument("--rivals", help="only these, separated by commas; default: all")
    parser.add_argument("--write", action="store_true", help="write benchmarks/README.md")
    options = parser.parse_args(arguments)
    folder = ROOT / "var" / "bench"
    report = []
    kept = []
    for size in options.sizes.split(","):
        made = files(SIZES[size], folder)
        commands = contenders(size, made)
        if options.rivals:
            chosen = {OURS, PARSE, *options.rivals.split(",")}
            commands = {name: command for name, command in commands.items() if name in chosen}
        results = race(commands, ROUNDS[size])
        report.append(table(size, made, results))
        print(report[-1], flush=True)
        if size == "L":
            kept = bars(results)
    text, of_many = many.report(folder, SCORED)
    report.append(text)
    print(text, flush=True)
    kept += [*of_many, small_run(folder)]
    report.append(
        "\n".join(
            ["### The bars", "", "| ours | ratio | at most | kept |", "| --- | --- | --- | --- |", *kept]
        )
    )
    print(report[-1])
    print(machine())
    if options.write:
        text = (ROOT / "benchmarks" / "about.md").read_text()
        (ROOT / "benchmarks" / "README.md").write_text(
            "\n\n".join([text.rstrip(), machine(), *report]) + "\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
