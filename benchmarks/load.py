"""`make bench-load`: fifty raters, five engineers and a program that asks the API again and again, for five minutes.

The raters judge as in `make bench-judging`. Each engineer uploads a run by the API, then opens the run table, the run, its
comparison with the run before and the list's first page, as people do after an upload. Beside them a bare request
(`/health/live`, which no database answers) is sent twice in a second. Its times say what the machine and the server's queue cost by
themselves, so that p95 of each kind of request is given as a ratio to it.

Ends with exit status 1 if a request failed, or if a judgment is missing, doubled or too many. `--write` writes benchmarks/load.md.
"""

import argparse
import asyncio
import random
import shutil
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.judging import PORT, ROOT, VAR, site
from benchmarks.judging_check import Check, check
from benchmarks.judging_data import CORPUS, Shape, make_list, migrate, session_of
from benchmarks.judging_http import Connection, Gone, Response, request
from benchmarks.judging_raters import Failed, Rater, Tally
from benchmarks.judging_report import machine
from config import postgres
from config.monitored_paths import LIVE

SHAPE = Shape(queries=1_000, judged=500)
RATERS, ENGINEERS = 50, 5
THINK = 5.0  # seconds between two acts of a rater
READ = 4.0  # seconds that an engineer looks at a page
POLL = 1.0  # seconds between two questions of the program
BARE = 0.5
DEPTH = 20
BARE_REQUEST = "bare request"


@dataclass(frozen=True, slots=True)
class Account:
    session: str
    token: str


class Visitor(ABC):
    """Whoever asks for pages or calls the API until `until` (time.monotonic). An error ends it, and is in the tally."""

    def __init__(self, tally: Tally, account: Account | None = None) -> None:
        self.tally, self.account = tally, account
        self.connection = Connection(PORT)

    async def work(self, until: float) -> None:
        try:
            while time.monotonic() < until:
                await self.round()
        except Failed:
            pass
        except (Gone, TimeoutError, OSError) as error:
            self.tally.errors.append(f"{type(self).__name__}: {type(error).__name__} {error}")
        finally:
            self.connection.close()

    @abstractmethod
    async def round(self) -> None: ...

    async def page(self, kind: str, path: str) -> Response:
        cookies = {"sessionid": self.account.session} if self.account else {}
        return await self.send(kind, request("GET", path, cookies))

    async def call(self, kind: str, method: str, path: str, body: bytes = b"") -> Response:
        token = self.account.token if self.account else ""
        lines = [f"{method} /api/v1/{path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}"]
        if body:
            lines += ["Content-Type: application/octet-stream", f"Content-Length: {len(body)}"]
        return await self.send(kind, "\r\n".join([*lines, "", ""]).encode() + body)

    async def send(self, kind: str, packet: bytes) -> Response:
        found = await self.connection.send(packet)
        self.tally.acts[kind] += 1
        self.tally.seconds[kind].append(found.seconds)
        if found.status not in (200, 201):
            said = found.body[:200].decode(errors="replace")
            self.tally.errors.append(f"{kind}: {found.status} {said}")
            raise Failed
        return found


class Engineer(Visitor):
    """Uploads a run, and looks at what it says."""

    def __init__(self, tally: Tally, account: Account, number: int, set_id: int, list_id: int) -> None:
        super().__init__(tally, account)
        self.rng, self.number = random.Random(number), number
        self.set_id, self.list_id = set_id, list_id
        self.uploads, self.before = 0, 0

    async def round(self) -> None:
        self.uploads += 1
        name = f"run-{self.number}-{self.uploads}"
        path = f"query-sets/{self.set_id}/runs?file_name={name}.trec&format=trec"
        found = await self.call("upload of a run", "POST", path, self.run(name))
        run = int(found.content["runs"][0]["id"])
        pages = {"run table": "runs/", "run": f"runs/{run}/"}
        if self.before:
            pages["comparison"] = f"compare/?runs={self.before}-{run}"
        for kind, page in (pages | {"list": ""}).items():
            await asyncio.sleep(READ * self.rng.uniform(0.5, 1.5))
            await self.page(kind, f"/lists/{self.list_id}/{page}")
        self.before = run

    def run(self, name: str) -> bytes:
        """Twenty documents for each query, some of which are judged."""
        rows = []
        for query in range(1, SHAPE.queries + 1):
            documents = self.rng.sample(range(1, CORPUS + 1), DEPTH)
            rows += [
                f"q{query} Q0 d{one} {rank} {DEPTH - rank} {name}" for rank, one in enumerate(documents, 1)
            ]
        return ("\n".join(rows) + "\n").encode()


class Program(Visitor):
    """A build server that asks whether anything is new."""

    def __init__(self, tally: Tally, account: Account, list_id: int) -> None:
        super().__init__(tally, account)
        self.list_id = list_id

    async def round(self) -> None:
        await self.call("API: run table", "GET", f"lists/{self.list_id}/runs?k=10")
        await asyncio.sleep(POLL)


class Bare(Visitor):
    async def round(self) -> None:
        await self.page(BARE_REQUEST, LIVE)
        await asyncio.sleep(BARE)


async def visit(raters: Sequence[Rater], visitors: Sequence[Visitor], minutes: float, tally: Tally) -> None:
    until = time.monotonic() + 60 * minutes
    judging = (rater.judge(until, THINK, tally) for rater in raters)
    await asyncio.gather(*judging, *(visitor.work(until) for visitor in visitors))


def engineers_of(query_set_id: int) -> list[Account]:
    from django.utils import timezone

    from judgments.models import Membership, QuerySet, Role, User
    from judgments.people.actions.tokens import create_token

    query_set = QuerySet.objects.get(pk=query_set_id)
    accounts = []
    for nth in range(1, ENGINEERS + 2):  # one of them for the program
        user = User.objects.create_user(f"engineer{nth}")
        Membership.objects.create(query_set=query_set, user=user, role=Role.ENGINEER)
        _, token = create_token(
            user=user, name="load", scope="engineer", query_set=None, days=1, at=timezone.now()
        )
        accounts.append(Account(session_of(user), token))
    return accounts


def load(minutes: float) -> tuple[Tally, Check]:
    from django.db import connections

    from judgments.base.sql.roles import as_owner

    with postgres.Server(VAR).running():
        migrate()
        with as_owner():
            judgment_list, users = make_list(SHAPE, raters=RATERS)
            accounts = engineers_of(judgment_list.query_set_id)
        sessions = [session_of(user) for user in users]
        connections.close_all()
    page, tally = f"/lists/{judgment_list.pk}/judge/", Tally()
    raters = [Rater(PORT, page, session, seed) for seed, session in enumerate(sessions, start=1)]
    *own, program = accounts
    visitors: list[Visitor] = [
        Engineer(tally, account, nth, judgment_list.query_set_id, judgment_list.pk)
        for nth, account in enumerate(own, start=1)
    ]
    visitors += [Program(tally, program, judgment_list.pk), Bare(tally)]
    with site(VAR / "requests.log"):
        asyncio.run(visit(raters, visitors, minutes, tally))
        given = {user.pk: rater.given for user, rater in zip(users, raters, strict=True)}
        found = check(judgment_list.pk, SHAPE.overlap, given)
        connections.close_all()
    return tally, found


def report(tally: Tally, found: Check, minutes: float) -> str:
    import numpy as np

    bare = float(np.percentile(tally.seconds[BARE_REQUEST], 95))
    head = (__doc__ or "").split("\n\n")
    lines = [
        f"# {RATERS} raters, {ENGINEERS} engineers and a program at once",
        "",
        " ".join(head[1].split()),
        "",
        machine(),
        "",
        f"{SHAPE.queries:,} queries, {SHAPE.pairs:,} pairs, {minutes:g} minutes, {sum(tally.acts.values()):,} requests.",
        "",
        "| request | number | median ms | p95 ms | p95, of the bare request’s |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind, seconds in sorted(tally.seconds.items(), key=lambda one: one[0] != BARE_REQUEST):
        middle, most = (float(one) for one in np.percentile(seconds, [50, 95]))
        lines.append(
            f"| {kind} | {len(seconds):,} | {1000 * middle:.1f} | {1000 * most:.1f} | {most / bare:.1f} |"
        )
    lines += ["", "| must be zero | found |", "| --- | --- |"]
    lines += [f"| {what} | {count} |" for what, count in found.wrong.items()]
    lines.append(f"| requests that failed | {len(tally.errors)} |")
    return "\n".join([*lines, "", *(f"- {error}" for error in tally.errors[:10])]).rstrip() + "\n"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--write", action="store_true", help="write benchmarks/load.md")
    options = parser.parse_args(arguments)
    shutil.rmtree(VAR / "postgres", ignore_errors=True)
    tally, found = load(options.minutes)
    text = report(tally, found, options.minutes)
    print(text)
    if options.write:
        (ROOT / "benchmarks" / "load.md").write_text(text)
    shutil.rmtree(VAR, ignore_errors=True)
    return 1 if tally.errors or any(found.wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
