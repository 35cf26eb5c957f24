"""Tokens of the HTTP API. A token is shown once; the database has only its SHA-256 and its last characters."""

import secrets
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.base.tokens import derived_token, digest
from judgments.log.actions import record_act
from judgments.models import ApiToken, QuerySet, User, Verb

PREFIX: Final = "tst_"
"""So that people and programs that search for leaked secrets recognize a token."""
TOKEN_BYTES: Final = 32
MOST_DAYS: Final = 365
MOST_TOKENS: Final = 20


class TooManyTokensError(JudgmentsError):
    """The account has as many tokens as people can keep apart."""

    sentence = f"You already have {MOST_TOKENS} tokens, the most an account can have. Revoke one that nothing uses, then create this one."


@transaction.atomic
def create_token(
    *, user: User, name: str, scope: str, query_set: QuerySet | None, days: int, at: datetime, once: str = ""
) -> tuple[ApiToken, str]:
    """Creates a token; returns it with its text, which nobody can look up later. Raises TooManyTokensError.

    The same form sent twice (`once`) creates one token and returns it again while it can be used.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # so that two at once keep to the limit, too
    usable = ApiToken.objects.filter(user=user).usable(at)
    form = (user.pk, name, scope, query_set and query_set.pk, days, once)
    text = PREFIX + (derived_token("judgments.api", *form) if once else secrets.token_urlsafe(TOKEN_BYTES))
    if same := usable.filter(token_sha256=digest(text)).first():
        return same, text
    if usable.count() >= MOST_TOKENS:
        raise TooManyTokensError
    if ApiToken.objects.filter(token_sha256=digest(text)).exists():  # revoked since, or expired
        text = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        scope=scope,
        query_set=query_set,
        token_sha256=digest(text),
        ending=text[-4:],
        created_at=at,
        expires_at=at + timedelta(days=days),
    )
    record_act(
        Verb.CREATED,
        token.in_words,
        query_set=query_set,
        after={"may": token.get_scope_display(), "query set": str(query_set or "all"), "days": days},
    )
    return token, text


@transaction.atomic
def revoke_token(*, token: ApiToken, at: datetime) -> None:
    """Revokes a token, also in the archive. A second time nothing happens."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=at):
        record_act(Verb.TOKEN_REVOKED, token.in_words, query_set=token.query_set_id)


def revoke_tokens_of(*, user: User, at: datetime, query_set_id: int | None = None) -> int:
    """Revokes all tokens of an account, or those for one query set; returns how many. The caller logs it.

    Nobody can use them anyway. Once revoked, they stay so if the account gets its rights back.
    """
    tokens = ApiToken.objects.filter(user=user, revoked_at=None)
    if query_set_id is not None:
        tokens = tokens.filter(query_set=query_set_id)
    return tokens.update(revoked_at=at)
