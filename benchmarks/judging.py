"""make bench-judging: many raters judge one long list over HTTP, and what a claim and a save cost as lists grow.

Ends with exit status 1 where a judgment is missing, doubled or too many, or where a request failed. Times are printed
beside what scale.md asks, and depend on the machine. `--write` writes benchmarks/judging.md.
"""

import argparse
import asyncio
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VAR = ROOT / "var" / "bench-judging"
PORT = 8199
os.environ |= {
    "TOUCHSTONE_VAR": str(VAR),
    "TOUCHSTONE_DEMO": "0",
    "DJANGO_SETTINGS_MODULE": "config.settings",
}
os.environ |= {"PORT": str(PORT), "HOST": "127.0.0.1"}
for name in [name for name in os.environ if name.startswith("DATABASE_")]:
    del os.environ[name]

import django  # noqa: E402

django.setup()

import psutil  # noqa: E402
from django.db import connections  # noqa: E402

from benchmarks import judging_cost  # noqa: E402
from benchmarks.judging_check import check  # noqa: E402
from benchmarks.judging_data import Shape, make_list, migrate, session_of  # noqa: E402
from benchmarks.judging_raters import Rater, Tally  # noqa: E402
from benchmarks.judging_report import Load, Phase, report  # noqa: E402
from config import postgres  # noqa: E402
from judgments.base.sql.roles import as_owner  # noqa: E402


@dataclass(frozen=True, slots=True)
class Plan:
    raters: int
    pairs: int
    minutes: float
    thinks: tuple[float, ...]


@contextmanager
def site(log: Path) -> Iterator[psutil.Process]:
    """The site in processes of its own, as `make run` starts it."""
    command = [sys.executable, "-m", "benchmarks.judging_site", str(log)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        if not any(line.startswith("Touchstone runs on") for line in iter(process.stdout.readline, "")):
            sys.exit("The site did not start.")
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(60)


def cpu(supervisor: psutil.Process) -> tuple[float, float]:
    """Seconds of processor time until now: of the web processes, of PostgreSQL."""
    web: list[psutil.Process] = [supervisor]
    database: list[psutil.Process] = []
    for child in supervisor.children():
        (database if "postgres" in child.name() else web).append(child)
    # PostgreSQL's processes last as long as their connections do; those that ended count with their parent.
    database += [below for one in database for below in one.children(recursive=True)]
    return sum(map(_spent, web)), sum(map(_spent, database))


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


async def judge(raters: Sequence[Rater], minutes: float, think: float) -> Tally:
    tally = Tally()
    until = time.monotonic() + 60 * minutes
    await asyncio.gather(*(rater.judge(until, think, tally) for rater in raters))
    return tally


def phase(
    supervisor: psutil.Process, log: Path, raters: Sequence[Rater], minutes: float, think: float
) -> Phase:
    """All raters for so many minutes at one pace."""
    begin, before, own, start = log.stat().st_size, cpu(supervisor), _own_cpu(), time.perf_counter()
    tally = asyncio.run(judge(raters, minutes, think))
    seconds, after = time.perf_counter() - start, cpu(supervisor)
    return Phase(
        think=think,
        seconds=seconds,
        tally=tally,
        server=_served(log, begin),
        web_cpu=after[0] - before[0],
        database_cpu=after[1] - before[1],
        client_cpu=_own_cpu() - own,
    )


def load(plan: Plan) -> Load:
    """The list is made, judged over HTTP, and looked at in SQL."""
    shape = Shape(queries=plan.pairs // 20)
    log = VAR / "requests.log"
    log.unlink(missing_ok=True)
    with postgres.Server(VAR).running():
        start = time.perf_counter()
        migrate()
        with as_owner():
            judgment_list, users = make_list(shape, raters=plan.raters)
        sessions = [session_of(user) for user in users]
        connections.close_all()
        print(f"{shape.pairs:,} pairs made in {time.perf_counter() - start:.0f} s", flush=True)
    page = f"/lists/{judgment_list.pk}/judge/"
    raters = [Rater(PORT, page, session, seed) for seed, session in enumerate(sessions, start=1)]
    with site(log) as supervisor:
        phases = [phase(supervisor, log, raters, plan.minutes, think) for think in plan.thinks]
        ledger = {user.pk: rater.given for user, rater in zip(users, raters, strict=True)}
        found = check(judgment_list.pk, shape.overlap, ledger)
        connections.close_all()
    return Load(shape.pairs, shape.overlap, plan.raters, phases, found)


def _own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _served(log: Path, begin: int) -> dict[str, list[float]]:
    """Seconds in the server by kind of request, out of the site's log."""
    served: dict[str, list[float]] = {}
    for line in log.read_bytes()[begin:].decode().splitlines():
        microseconds, _, method, path = line.split()
        kind = "page" if method == "GET" else path.rstrip("/").rpartition("/")[2]
        served.setdefault(kind, []).append(int(microseconds) / 1e6)
    return served


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--minutes", type=float, default=4.0, help="for each pace; 0: no load at all")
    parser.add_argument("--think", default="5,1", help="paces: mean seconds between two acts of a rater")
    parser.add_argument(
        "--lists", default="10000,1000000", help="pairs of the two lists compared; empty: none"
    )
    parser.add_argument("--write", action="store_true", help="write benchmarks/judging.md")
    options = parser.parse_args(arguments)
    shutil.rmtree(VAR / "postgres", ignore_errors=True)
    plan = Plan(options.raters, options.pairs, options.minutes, tuple(map(float, options.think.split(","))))
    done = load(plan) if plan.minutes else None
    costs = None
    if options.lists:
        small, large = map(int, options.lists.split(","))
        with postgres.Server(VAR).running():
            costs = judging_cost.compare(VAR, small, large)
    text = report(done, costs)
    print(text)
    if options.write:
        (ROOT / "benchmarks" / "judging.md").write_text(text)
    shutil.rmtree(VAR, ignore_errors=True)
    return 1 if done and done.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
