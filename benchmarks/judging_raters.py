"""Raters who judge as the rating screen does, over HTTP: cards ahead, one act after the other, a UUID for each.

An answer asks for further cards only where few are left, as static/js/judging/document-screen.js does. What the site acknowledged is kept in `Rater.given`, to be compared with the database afterwards.
"""

import asyncio
import random
import re
import time
import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from benchmarks.judging_data import GRADES
from benchmarks.judging_http import Connection, Gone, Response, request

HEARTBEAT = 60.0
ARRIVAL = 30.0  # seconds in which all of them open the list, as on a morning
EMPTY = 2.0  # seconds until one asks again where nothing is left
REASONS = ("query_unclear", "language", "needs_expert")
# Shares of the acts of a rater; the rest are grades.
SKIP, UNDO, CHANGE, REASON, COMMENT = 0.02, 0.015, 0.01, 0.03, 0.02
# Shares of the requests that are sent twice at once, and of those whose answer gets lost and that are sent again.
TWICE, LOST = 0.02, 0.01
PAIR = re.compile(r'data-pair="(\d+)"')
ACCOUNT = re.compile(r'data-account="(\d+)"')
AHEAD = re.compile(r'data-ahead="(\d+)"')
PUT_OFF = re.compile(r'name="put_off" value="([^"]*)"')

Given = tuple[str, float | None, str]
"""Request, value, reason."""


@dataclass
class Tally:
    """What all raters saw together. `seconds` by kind of act; `errors` are words."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    acts: Counter[str] = field(default_factory=Counter)


class Failed(Exception):
    """An answer that no rater should get; it is in the tally."""


@dataclass
class Rater:
    port: int
    page: str
    session: str
    seed: int
    given: dict[int, Given] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.cookies = {"sessionid": self.session}
        self.connection, self.second = Connection(self.port), Connection(self.port)
        self.deck: dict[int, str] = {}  # the cards at hand, in order, and when each was put off
        self.ahead, self.account = 5, ""
        self.before: dict[int, list[Given]] = defaultdict(list)
        self.beat = 0.0  # when the next heartbeat is due
        self.tally = Tally()

    async def judge(self, until: float, think: float, tally: Tally) -> None:
        """Opens the page and acts until `until` (time.monotonic), a mean of `think` seconds apart.

        An error ends this rater.
        """
        self.tally = tally
        try:
            await asyncio.sleep(self.rng.random() * ARRIVAL)
            await self.open()
            while time.monotonic() < until:
                await asyncio.sleep(think * self.rng.uniform(0.5, 1.5))
                await self.act()
        except Failed:
            pass
        except (Gone, TimeoutError, OSError) as error:
            self.tally.errors.append(f"{type(error).__name__} {error}")
        finally:
            self.connection.close()
            self.second.close()

    async def open(self) -> None:
        found = await self.connection.send(request("GET", self.page, self.cookies))
        self.check("page", found)
        token = re.search(r"csrftoken=(\w+)", found.headers.get("set-cookie", ""))
        self.cookies["csrftoken"] = token[1] if token else ""
        text = found.body.decode()
        self.account, self.ahead = ACCOUNT.findall(text)[0], int(AHEAD.findall(text)[0])
        self.deck = {int(pair): _put_off(text) for pair in PAIR.findall(text)[:1]}
        self.beat = time.monotonic() + HEARTBEAT
        await self.refresh()

    @property
    def enough(self) -> bool:
        return len(self.deck) > max(self.ahead - 5, 4)

    async def act(self) -> None:
        if not self.deck:
            await asyncio.sleep(EMPTY)
            await self.refresh()
            return
        if time.monotonic() > self.beat:
            self.beat += HEARTBEAT
            await self.refresh()
        await self.choose()

    async def choose(self) -> None:
        drawn = self.rng.random()
        pair, put_off = next(iter(self.deck.items()))
        if drawn < SKIP:
            await self.post("skip", {"pair": str(pair), "put_off": put_off})
        elif drawn < SKIP + UNDO and self.given:
            await self.undo()
        elif drawn < SKIP + UNDO + CHANGE and self.given:
            await self.answer(self.rng.choice(list(self.given)), known="1")
        else:
            await self.answer(pair)

    async def answer(self, pair: int, **more: str) -> None:
        value: float | None = self.rng.choice(GRADES)
        reason = ""
        if self.rng.random() < REASON:
            value, reason = None, self.rng.choice(REASONS)
        given = str(uuid.uuid4()), value, reason
        fields = {"pair": str(pair), "request_id": given[0], "view": "document", "place": "1", **more}
        fields |= {"reason": reason} if reason else {"grade": str(value)}
        fields |= {"active_ms": "900", "wall_ms": "1000", "method": "key", "device": "mouse"}
        fields["comment"] = "Not quite." if self.rng.random() < COMMENT else ""
        await self.post("change" if more else "answer", fields)
        if pair in self.given:
            self.before[pair].append(self.given[pair])
        self.given[pair] = given

    async def undo(self) -> None:
        found = await self.post("undo", {"undo_id": str(uuid.uuid4())})
        saved = found.content["saved"]
        pair = saved["pair"]
        if pair is None:
            return
        if "withdrawn" in saved["text"]:
            self.given.pop(pair)
            self.before.pop(pair, None)
        elif "holds again" in saved["text"]:  # else the document had been put off
            self.given[pair] = self.before[pair].pop()

    async def refresh(self) -> None:
        await self.post("cards", {})

    async def post(self, kind: str, fields: dict[str, str]) -> Response:
        """One act, at times twice at once or once in vain before. The deck follows the answer."""
        acted = int(fields.get("pair", 0))
        self.deck.pop(acted, None)  # the next card is on the screen by now
        unsent = [acted] if kind in ("answer", "change") else []
        fields = {
            **fields,
            "have": ",".join(map(str, [*self.deck, *unsent])),
            "ahead": str(self.ahead),
            "guidelines": "1",
            "account": self.account,
        }
        if kind in ("answer", "change") and self.enough:
            fields["enough"] = "1"
        path = f"{self.page}{'answer' if kind == 'change' else kind}/"
        packet = request("POST", path, self.cookies, fields)
        drawn = self.rng.random()
        if drawn < LOST:
            self.tally.acts["answer lost"] += 1
            await self.second.hang_up(packet)
        if LOST < drawn < LOST + TWICE:
            self.tally.acts["sent twice"] += 1
            found, other = await asyncio.gather(self.connection.send(packet), self.second.send(packet))
            self.check(kind, other)
        else:
            found = await self.connection.send(packet)
        self.check(kind, found)
        if "held" in found.content:
            self.take(found.content, acted)
            if found.content["cards"] and len(self.deck) < self.ahead:
                await self.refresh()
        return found

    def take(self, content: dict[str, Any], acted: int) -> None:
        """Puts the cards at hand into the site's order, with those that it brought."""
        known = self.deck | {card["pair"]: _put_off(card["html"]) for card in content["cards"]}
        self.deck = {pair: known[pair] for pair, *_ in content["held"] if pair in known and pair != acted}

    def check(self, kind: str, found: Response) -> None:
        self.tally.acts[kind] += 1
        self.tally.seconds[kind].append(found.seconds)
        if found.status != 200:
            self.tally.errors.append(f"{kind}: {found.status} {found.body[:200].decode(errors='replace')}")
            raise Failed


def _put_off(html: str) -> str:
    found = PUT_OFF.search(html)
    return found[1] if found else ""
