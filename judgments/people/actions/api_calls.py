"""What every call of the HTTP API writes: its count, when its token was last used, and its answer under an idempotency key."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from django.db import transaction
from django.db.models import Q

from judgments.base.errors import JudgmentsError
from judgments.base.tokens import digest
from judgments.models import ApiAnswer, ApiToken, User
from judgments.people import sql

MINUTE: Final = timedelta(minutes=1)
KEPT: Final = timedelta(days=1)
PRUNED_AT_ONCE: Final = 100


class TooManyCallsError(JudgmentsError):
    """The account has used up the calls of this minute."""

    def __init__(self, most: int, seconds: int) -> None:
        super().__init__(
            f"An account may make {most:,} calls a minute. Wait {seconds} seconds, then try again."
        )
        self.seconds = seconds


class KeyUsedError(JudgmentsError):
    """Two different calls name one idempotency key."""

    sentence = "This Idempotency-Key was already used for another call. Nothing was done. Send a new key with each new call."


class BeingAnsweredError(JudgmentsError):
    """Another call under the same key hasn't ended yet."""

    sentence = "The first call with this Idempotency-Key isn’t answered yet. Send this one again in a moment."


@dataclass(frozen=True, slots=True)
class Answer:
    """A secret one is for the caller only and isn't stored. Its action has to recognize the second call itself."""

    status: int
    headers: dict[str, str]
    body: bytes
    is_secret: bool = False


def count_call(*, user: User, at: datetime, most: int) -> None:
    """Counts a call for all web processes and hosts. Raises TooManyCallsError."""
    since, count = sql.count_call(user.pk, at)
    if count > most:
        raise TooManyCallsError(most, max(1, ceil((since + MINUTE - at).total_seconds())))


def note_use(*, token: ApiToken, at: datetime) -> None:
    """Notes when the token was last used, at most once a minute."""
    if token.last_used_at is None or token.last_used_at <= at - MINUTE:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=at)


@transaction.atomic
def answer_once(
    *, user: User, key: str, call: str, at: datetime, answer: Callable[[], Answer]
) -> tuple[Answer, bool]:
    """The answer to a call, and whether it was given before. Raises KeyUsedError and BeingAnsweredError.

    The call's own changes and its answer are stored in one transaction. So a call is done once even if the server is killed,
    and of two at once one is done. Only successes are kept: what was refused may be tried
    again with the same key.
    """
    if not sql.try_lock_call(user.pk, digest(key)):
        raise BeingAnsweredError
    _forget(user, key, at)
    facts = {"call": call, "created_at": at}
    row, is_new = ApiAnswer.objects.get_or_create(user=user, key_sha256=digest(key), defaults=facts)
    if not is_new:
        if row.call != call:
            raise KeyUsedError
        return Answer(row.status, row.headers, bytes(row.body)), True
    given = answer()
    if given.is_secret and given.status < 300:
        row.delete()
    elif 200 <= given.status < 300:
        row.status, row.headers, row.body = given.status, given.headers, given.body
        row.save(update_fields=["status", "headers", "body"])
    else:
        transaction.set_rollback(True)
    return given, False


def _forget(user: User, key: str, at: datetime) -> None:
    """Deletes this answer if it is too old, and some old ones of others."""
    old = ApiAnswer.objects.filter(created_at__lte=at - KEPT)
    some = old.select_for_update(skip_locked=True).values_list("pk", flat=True)[:PRUNED_AT_ONCE]
    old.filter(Q(pk__in=list(some)) | Q(user=user, key_sha256=digest(key))).delete()
