"""Slows down guessing of passwords. The counts are rows, so they hold for all web processes and hosts (ADR 26)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from typing import Final

from django.db import transaction
from django.utils.crypto import salted_hmac

from judgments.base.errors import JudgmentsError
from judgments.models import PasswordTries

PRUNED_AT_ONCE: Final = 100


@dataclass(frozen=True)
class Limit:
    """How many wrong passwords are free within `window`, and how long to wait after each further one."""

    free: int
    first_wait: timedelta
    longest_wait: timedelta
    window: timedelta

    def wait(self, count: int) -> timedelta:
        """The time from the last of `count` tries to the next one; it doubles with every try that isn't free."""
        if count < self.free:
            return timedelta(0)
        factor: int = 2 ** min(count - self.free, 20)
        return min(self.first_wait * factor, self.longest_wait)


PERSON: Final = Limit(5, timedelta(seconds=10), timedelta(minutes=15), timedelta(days=1))
"""One username from one address, or on one device that this account has signed in on before."""
ACCOUNT: Final = Limit(50, timedelta(seconds=5), timedelta(minutes=1), timedelta(hours=1))
"""One username from all unknown devices: guesses from many addresses."""
ADDRESS: Final = Limit(100, timedelta(seconds=5), timedelta(minutes=1), timedelta(hours=1))
"""All usernames from one address: high, as a whole office may share it."""


class TooManyTriesError(JudgmentsError):
    """Too many wrong passwords. Wait, then try again."""

    def __init__(self, seconds: int, username: str) -> None:
        self.seconds, self.username = seconds, username
        super().__init__(f"Too many wrong passwords. Wait {seconds} seconds, then try again.")


@dataclass(frozen=True)
class Source:
    """Who tries a password. `device` names a browser that the account has signed in with before; empty: unknown.

    Codes of a second factor count apart from passwords: who tries a code knows the password, and strangers mustn't hold it up.
    """

    username: str
    address: str
    device: str = ""
    is_code: bool = False

    def limits(self) -> list[tuple[str, Limit]]:
        """The keys of the rows that count this try, in one order for all, so that no two tries lock each other out."""
        if self.device:
            return [(_key("device", self.username, self.device), PERSON)]
        network = _network(self.address)
        kind = "code " if self.is_code else ""
        return sorted(
            [
                (_key(f"{kind}person", self.username, network), PERSON),
                (_key(f"{kind}account", self.username), ACCOUNT),
                (_key("address", network), ADDRESS),
            ],
            key=lambda limit: limit[0],
        )


@transaction.atomic
def count_try(*, source: Source, at: datetime) -> None:
    """Counts a try as wrong before the password is checked, so that many at once can't slip through.

    A try that has to wait doesn't count, so nobody prolongs the wait by trying. Raises TooManyTriesError.
    """
    limits = source.limits()
    tries: dict[str, PasswordTries] = {}
    while len(tries) < len(limits):  # a row may be pruned just before it is locked
        PasswordTries.objects.bulk_create(
            [PasswordTries(key=key, last_at=at, forget_at=at + limit.window) for key, limit in limits],
            ignore_conflicts=True,
        )
        tries = _lock_rows([key for key, _ in limits])
    waits = []
    for key, limit in limits:
        row = tries[key]
        if row.forget_at <= at:
            row.count, row.forget_at = 0, at + limit.window
        wait = limit.wait(row.count)
        # Of two tries at once, the one that waited for the row finds a time in it that is after its own.
        waits.append((row.last_at + wait - at).total_seconds() if wait else 0)
        row.count, row.last_at = row.count + 1, max(row.last_at, at)
    if max(waits) > 0:
        raise TooManyTriesError(ceil(max(waits)), source.username)
    PasswordTries.objects.bulk_update(tries.values(), ["count", "last_at", "forget_at"])
    _prune(at)


@transaction.atomic
def forgive_try(*, source: Source) -> None:
    """Undoes `count_try` after a right password, and forgets this person's wrong ones.

    Counts of the account and the address stay: somebody with an account could else clear them between guesses at others.
    """
    limits = dict(source.limits())
    for key, row in _lock_rows(list(limits)).items():
        row.count = 0 if limits[key] is PERSON else max(0, row.count - 1)
        row.save(update_fields=["count"])


def _lock_rows(keys: Sequence[str]) -> dict[str, PasswordTries]:
    rows = PasswordTries.objects.select_for_update().filter(key__in=keys).order_by("key")
    return {row.key: row for row in rows}


def _prune(at: datetime) -> None:
    """Deletes rows that no longer count, except locked ones."""
    over = PasswordTries.objects.select_for_update(skip_locked=True).filter(forget_at__lte=at)
    keys = list(over.values_list("key", flat=True)[:PRUNED_AT_ONCE])
    PasswordTries.objects.filter(key__in=keys).delete()


def _network(address: str) -> str:
    """The address, or for IPv6 its network, because providers give each person a whole network of addresses."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((ip, 64), strict=False)) if isinstance(ip, IPv6Address) else address


def _key(*parts: str) -> str:
    return salted_hmac("judgments.password_tries", repr(parts), algorithm="sha256").hexdigest()
