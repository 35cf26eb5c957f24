"""What a claim and a save cost inside PostgreSQL, by its own log, in a short and a long list.

Each list lies in a database of its own, so that the short one's indexes are short, too. A tenth of each is judged.
Time is that of every statement of a transaction together, with its commit.
"""

import random
import re
import statistics
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from django.db import connection, connections
from django.utils import timezone

from benchmarks.judging_data import Shape, make_list, migrate
from config.postgres_data import APPLICATION, OWNER, programs
from judgments.base.sql.roles import as_owner

ROUNDS, ACTS = 8, 25
WARM_UP = 10
RATERS, CLAIMS, PAUSE = 30, 30, 1.0
LINE = re.compile(
    r"^\S+ \S+ \S+ \[(\d+)\] LOG:  duration: ([\d.]+) ms  (?:statement|parse|bind|execute)[^:]*: ?(.*)$"
)
Timings = dict[str, list[float]]


@dataclass
class Costs:
    """Milliseconds by kind of act in the short and in the long list; `crowd` are claims of many raters at once."""

    pairs: tuple[int, int]
    short: Timings = field(default_factory=lambda: defaultdict(list))
    long: Timings = field(default_factory=lambda: defaultdict(list))
    crowd: list[float] = field(default_factory=list)

    def ratio(self, kind: str) -> float:
        return statistics.median(self.long[kind]) / statistics.median(self.short[kind])


class Site:
    """A database with a list in it; acts on it are timed by the server's log."""

    def __init__(self, name: str, var: Path, pairs: int) -> None:
        self.name, self.log = name, var / "postgres.log"
        self.enter()
        migrate()
        shape = Shape(queries=pairs // 20, judged=pairs // 200)
        with as_owner(), connection.cursor() as cursor:
            cursor.execute(f"GRANT SET ON PARAMETER log_min_duration_statement TO {APPLICATION}")
            self.list, self.users = make_list(shape, raters=2 + RATERS)
        self.leave()

    def enter(self) -> None:
        connections.close_all()
        connection.settings_dict["NAME"] = self.name

    def leave(self) -> None:
        connections.close_all()

    def claim(self, nth: int, count: int = 5) -> list[int]:
        from judgments.judging.actions import queue

        held = queue.claim(user=self.users[nth], judgment_list=self.list, at=timezone.now(), count=count)
        return [one.pair_id for one in held]

    def save(self, pair_id: int) -> None:
        from judgments.judging.actions import judging

        judging.record_judgment(
            user=self.users[0],
            judgment_list=self.list,
            pair_id=pair_id,
            request_id=uuid4(),
            value=float(pair_id % 4),
            at=timezone.now(),
        )

    def act(self, count: int, timings: Timings) -> None:
        """Claims and saves in turns; the claim as after each save, when one card is lacking."""
        for _ in range(count):
            with self.timed(timings["claim"]):
                held = self.claim(0)
            with self.timed(timings["save"]):
                self.save(held[0])

    @contextmanager
    def timed(self, into: list[float]) -> Iterator[None]:
        """Every transaction inside the block."""
        start = self.log.stat().st_size
        logging(True)
        yield
        logging(False)
        into += transactions(self.log, start)


def logging(on: bool) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET log_min_duration_statement = %s", [0 if on else -1])


def transactions(log: Path, start: int) -> list[float]:
    """Milliseconds of each transaction that stands in the log after byte `start`."""
    running: dict[str, float] = {}
    done = []
    with log.open(errors="replace") as file:
        file.seek(start)
        for line in file:
            if not (found := LINE.match(line)):
                continue
            process, milliseconds, statement = found[1], float(found[2]), found[3].strip()
            if statement == "BEGIN":
                running[process] = 0.0
            if process in running:
                running[process] += milliseconds
            if statement == "COMMIT" and process in running:
                done.append(running.pop(process))
    return done


def compare(var: Path, short: int, long: int) -> Costs:
    """In turns, so that a busy minute of the machine hits both."""
    costs = Costs((short, long))
    sites = []
    for name, pairs in (("short", short), ("long", long)):
        start = time.perf_counter()
        subprocess.run([programs() / "createdb", "-h", _socket(), "-U", OWNER, name], check=True)
        sites.append(Site(name, var, pairs))
        print(f"{pairs:,} pairs made in {time.perf_counter() - start:.0f} s", flush=True)
    for nth in range(ROUNDS + 1):
        for site, timings in zip(sites, (costs.short, costs.long), strict=True):
            site.enter()
            site.act(ACTS if nth else WARM_UP, timings if nth else defaultdict(list))
            site.leave()
    costs.crowd = _crowd(sites[1])
    return costs


def _socket() -> str:
    return str(connection.settings_dict["HOST"])


def _crowd(site: Site) -> list[float]:
    """Claims of many raters who begin together at the same place and answer one pair each second."""
    site.enter()
    start = site.log.stat().st_size
    threads = [threading.Thread(target=_rater, args=(site, nth)) for nth in range(2, 2 + RATERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    site.leave()
    return transactions(site.log, start)


def _rater(site: Site, nth: int) -> None:
    from judgments.judging.actions import judging

    rng = random.Random(nth)

    def claim() -> list[int]:
        logging(True)
        held = site.claim(nth)
        logging(False)
        return held

    answer: Callable[[int], object] = lambda pair: judging.record_judgment(  # noqa: E731
        user=site.users[nth],
        judgment_list=site.list,
        pair_id=pair,
        request_id=uuid4(),
        value=float(pair % 4),
        at=timezone.now(),
    )
    for _ in range(CLAIMS):
        time.sleep(rng.uniform(0.5, 1.5) * PAUSE)
        if held := claim():
            answer(held[0])
    connections.close_all()
