"""What the load test found, as a page."""

import datetime as dt
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.judging_check import Check
from benchmarks.judging_cost import RATERS, Costs
from benchmarks.judging_raters import Tally

ABOUT = Path(__file__).with_name("judging_about.md")
KINDS = {"answer": "save", "cards": "heartbeat", "skip": "later", "undo": "undo", "page": "page"}


@dataclass(frozen=True, slots=True)
class Phase:
    """`server`: seconds by kind of request, by the server's own log. Processor seconds over the whole phase."""

    think: float
    seconds: float
    tally: Tally
    server: dict[str, list[float]]
    web_cpu: float
    database_cpu: float
    client_cpu: float

    @property
    def requests(self) -> int:
        return sum(map(len, self.server.values()))


@dataclass(frozen=True, slots=True)
class Load:
    pairs: int
    overlap: int
    raters: int
    phases: Sequence[Phase]
    check: Check

    @property
    def errors(self) -> list[str]:
        return [error for phase in self.phases for error in phase.tally.errors]

    @property
    def failures(self) -> list[str]:
        wrong = [f"{count:,} {what}" for what, count in self.check.wrong.items() if count]
        return wrong + self.errors


def report(load: Load | None, costs: Costs | None) -> str:
    parts = [ABOUT.read_text().rstrip(), machine()]
    if load:
        parts += [_load(load), _exactness(load)]
    if costs:
        parts.append(_costs(costs))
    return "\n\n".join([*parts, _bars(load, costs)]) + "\n"


def _load(load: Load) -> str:
    sent = sum(phase.requests for phase in load.phases)
    twice, lost = (
        sum(phase.tally.acts[kind] for phase in load.phases) for kind in ("sent twice", "answer lost")
    )
    said = (
        f"### {load.raters} raters on a list of {load.pairs:,} pairs, each judged {load.overlap} times\n\n"
        f"{sent:,} requests, {load.check.judgments:,} judgments, {load.check.finished:,} pairs finished. {twice:,} acts "
        f"were sent twice at once, and of {lost:,} the answer was not waited for before they were sent again."
    )
    return "\n\n".join([said, *map(_phase, load.phases)])


def _phase(phase: Phase) -> str:
    requests = phase.requests or 1
    lines = [
        f"**One act in {phase.think:g} s by each rater**, for {phase.seconds / 60:.1f} minutes: "
        f"{requests / phase.seconds:.1f} requests in a second. "
        f"Processor time for each request: {1000 * phase.web_cpu / requests:.1f} ms in the web processes, "
        f"{1000 * phase.database_cpu / requests:.1f} ms in PostgreSQL, {1000 * phase.client_cpu / requests:.1f} ms in "
        "the raters.",
        "",
        "| request | number | server: median ms | p95 | p99 | rater: median ms | p95 | p99 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for kind, name in KINDS.items():
        if served := phase.server.get(kind):
            seen = phase.tally.seconds[kind] + (phase.tally.seconds["change"] if kind == "answer" else [])
            lines.append(f"| {name} | {len(served):,} | {_times(served)} | {_times(seen)} |")
    return "\n".join(lines)


def _times(seconds: Sequence[float]) -> str:
    return (
        " | ".join(f"{1000 * found:.1f}" for found in np.percentile(seconds, [50, 95, 99]))
        if seconds
        else "– | – | –"
    )


def _exactness(load: Load) -> str:
    lines = ["| must be zero | found |", "| --- | --- |"]
    lines += [f"| {what} | {count} |" for what, count in load.check.wrong.items()]
    lines.append(f"| requests that failed | {len(load.errors)} |")
    told = [f"- {error}" for error in load.errors[:10]]
    return "\n".join([*lines, "", *told] if told else lines)


def _costs(costs: Costs) -> str:
    short, long = costs.pairs
    lines = [
        f"### Inside PostgreSQL, {short:,} pairs and {long:,}",
        "",
        f"| transaction | median ms at {short:,} | p95 | median ms at {long:,} | p95 | ratio of medians |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for kind in ("claim", "save"):
        cells = [
            f"{found:.2f}"
            for one in (costs.short, costs.long)
            for found in np.percentile(one[kind], [50, 95])
        ]
        lines.append(f"| {kind} | {' | '.join(cells)} | {costs.ratio(kind):.2f} |")
    return "\n".join(lines)


def _bars(load: Load | None, costs: Costs | None) -> str:
    lines = ["### The bars", "", "| ours | found | at most | kept |", "| --- | --- | --- | --- |"]
    for phase in load.phases if load else []:
        if served := phase.server.get("answer"):
            what = f"p95 of a save in the server, {load.raters if load else 0} raters, an act in {phase.think:g} s, ms"
            lines.append(_bar(what, 1000 * float(np.percentile(served, 95)), 50))
    if costs:
        lines += [
            _bar(f"{kind}: the long list's cost, of the short one's", costs.ratio(kind), 1.3)
            for kind in ("claim", "save")
        ]
        crowd = float(np.percentile(costs.crowd, 95))
        lines.append(_bar(f"p95 of a claim with {RATERS} raters inside PostgreSQL, ms", crowd, 10))
    return "\n".join(lines)


def _bar(what: str, found: float, most: float) -> str:
    return f"| {what} | {found:.2f} | {most:g} | {'yes' if found <= most else 'NO'} |"


def machine() -> str:
    with open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    return (
        f"{dt.datetime.now(dt.UTC):%Y-%m-%d}, {os.cpu_count()} × {names[0] if names else 'unknown'}, "
        f"Python {platform.python_version()}; load averages at the end {load}."
    )
