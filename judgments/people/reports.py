"""Accounts: which of them belong to nobody, who has a second factor, open invitations, what is held about a person, and what an erasure would do."""

import re
import unicodedata
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from allauth.mfa import app_settings
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db import models
from django.db.models import CharField, F, Q, Value
from django.forms.models import model_to_dict
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.text import get_text_list

from judgments.base.streaming import Blocks, blocks
from judgments.log.reports.log_words import verb_in_words
from judgments.models import (
    Act,
    Adjudication,
    Exclusion,
    Invitation,
    Judgment,
    JudgmentHistory,
    Membership,
    QuerySet,
    RepeatAnswer,
    Role,
    SignIn,
    Upload,
    User,
    Version,
)
from judgments.people import sql
from judgments.people.demo import DEMO_ACCOUNTS
from touchstone_core.formats.writing import document
from touchstone_core.words import counted


def is_everybodys(user: User) -> bool:
    """In demo mode anybody signs in with these accounts by a button. No visitor must lock out others, or see where they are."""
    return settings.DEMO and user.username in {demo.username for demo in DEMO_ACCOUNTS}


OFF, OPTIONAL, ADMINS = "off", "optional", "admins"
CODE: Final = "code"
"""The session is good for nothing but giving a code."""
SET_UP: Final = "set-up"
"""Likewise, for setting up a second factor."""


def is_offered(user: User) -> bool:
    """Whether this person may set one up. Who has one is asked for it in any case."""
    return settings.SECOND_FACTOR != OFF and not is_everybodys(user)


def has_second_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists())


def is_required(user: User) -> bool:
    """By setting, of site administrators and of admins of a query set."""
    if settings.SECOND_FACTOR != ADMINS or is_everybodys(user):
        return False
    if user.is_superuser or user.is_staff:
        return True
    return Membership.objects.filter(user=user, role=Role.ADMIN).exists()


def what_is_due(user: User) -> str:
    """What has to follow the password: CODE, SET_UP, or nothing."""
    if has_second_factor(user):
        return CODE
    return SET_UP if is_required(user) else ""


def unused_recovery_codes(user: User) -> int:
    """Counted by what is noted as used, which needs no key."""
    row = Authenticator.objects.filter(user=user, type=Authenticator.Type.RECOVERY_CODES).first()
    return app_settings.RECOVERY_CODE_COUNT - row.data["used_mask"].bit_count() if row else 0


def usable_invitations(query_set: QuerySet, *, at: datetime) -> models.QuerySet[Invitation]:
    """Invitations that people can use now, newest first. One statement."""
    usable = Q(uses_most=None) | Q(uses__lt=F("uses_most"))
    invitations = query_set.invitations.vouched_for().filter(usable, revoked_at=None, expires_at__gt=at)
    return invitations.select_related("created_by")


MOST_SIGN_INS: Final = 50


def sign_ins(user: User) -> models.QuerySet[SignIn]:
    """Where this account is signed in, the last one seen first. One statement."""
    oldest = timezone.now() - timedelta(seconds=settings.SESSION_COOKIE_AGE)
    return SignIn.objects.filter(user=user, seen_at__gte=oldest)[:MOST_SIGN_INS]


ACCOUNT: Final = (
    "username",
    "first_name",
    "last_name",
    "email",
    "is_active",
    "is_staff",
    "is_superuser",
    "single_key_shortcuts",
    "keys",
    "daily_goal",
    "break_minutes",
)
ANSWER: Final = ("value", "reason", "comment", "evidence", "confidence", "view")
PLACE: Final = {
    "list": "pair__judgment_list__name",
    "query": "pair__query__external_id",
    "document": "pair__document__external_id",
}
AT_ONCE: Final = 2_000

Record = dict[str, Any]


def personal_data(user: User, at: datetime) -> Blocks:
    """The file: what is short, then one line for each answer and each line of the log."""
    head = {"touchstone": "personal data", "exported_at": at.isoformat()} | _about(user)
    return blocks(_records(user), partial(document, head, "records"))


def _about(user: User) -> Record:
    dates = {"date_joined": user.date_joined, "last_login": user.last_login}
    memberships = user.memberships.values(role_=F("role"), in_=F("query_set__name"))
    assignments = user.assignments.values("quota", list=F("judgment_list__name"))
    sessions = user.sign_ins.values("device", "address", "since", "seen_at")
    tokens = user.api_tokens.values(
        "name", "scope", "ending", "created_at", "expires_at", "last_used_at", "revoked_at"
    )
    invitations = Invitation.objects.filter(created_by=user)
    uploads = Upload.objects.filter(user=user)
    decisions = Adjudication.objects.filter(by=user)
    return {
        "account": _plain(model_to_dict(user, ACCOUNT) | dates),
        "names_in_the_log": list(sql.names_of(user.pk)),
        "memberships": [{"query_set": one["in_"], "role": one["role_"]} for one in memberships],
        "assignments": list(assignments),
        "sessions": _rows(sessions),
        "second_factor": has_second_factor(user),
        "single_sign_on": list(SocialAccount.objects.filter(user=user).values("provider", "uid")),
        "api_tokens": _rows(tokens),
        "invitations": _rows(
            invitations.values("role", "note", "uses", "created_at", "expires_at", "revoked_at")
        ),
        "uploaded_files": _rows(uploads.values("name", "purpose", "size", "created_at", "applied_at")),
        "decisions": _rows(decisions.values("pair_id", "value", "cause", "note", "at")),
    }


def _records(user: User) -> Generator[Record]:
    """Every answer that the person gave, then the lines of the log: what they did, and what was done about them."""
    for answers in _answers(user):
        yield from map(_plain, answers.iterator(AT_ONCE))
    acts = Act.objects.filter(by=user).order_by("pk")
    for act in acts.iterator(AT_ONCE):
        yield _line("you", act.at, act.verb, act.subject)
    for at, verb, subject in sql.lines_about(user.pk):
        yield _line("somebody", at, verb, subject)


def _line(who: str, at: datetime, verb: str, subject: str) -> Record:
    return _plain(
        {"kind": "line of the log", "at": at, "who": who, "did": verb_in_words(verb), "subject": subject}
    )


def _answers(user: User) -> Iterator[models.QuerySet[Any, Record]]:
    place = {name: F(path) for name, path in PLACE.items()}
    repeats = {name: F(f"draw__{path}") for name, path in PLACE.items()}
    facts = ("active_ms", "wall_ms", "method", "device")
    kind = partial(Value, output_field=CharField())
    yield (
        Judgment.objects.filter(rater__user=user)
        .order_by("pk")
        .values(*ANSWER, *facts, kind=kind("judgment"), at=F("updated_at"), **place)
    )
    yield (
        RepeatAnswer.objects.filter(draw__rater__user=user)
        .order_by("pk")
        .values(*ANSWER, kind=kind("answer to a repeat"), at=F("given_at"), **repeats)
    )
    yield (
        JudgmentHistory.objects.filter(rater__user=user)
        .order_by("pk")
        .values(*ANSWER, "action", "replaced_at", kind=kind("earlier answer"), at=F("answered_at"), **place)
    )


def _rows(rows: Iterable[Mapping[str, Any]]) -> list[Record]:
    return [_plain(row) for row in rows]


def _plain(row: Mapping[str, Any]) -> Record:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()}


FORMER_NAME_SALT: Final = "judgments.former_name"
PSEUDONYM: Final = re.compile(r"erased-\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Preview:
    """What stays under the pseudonym, and what is replaced or goes."""

    pseudonym: str
    judgments: int
    earlier_answers: int
    decisions: int
    versions: int
    comments: int
    lines: int
    memberships: list[Membership]
    tokens: int
    invitations: int
    sessions: int
    shared_names: list[str]
    left_without_admin: list[str]

    @property
    def has_work(self) -> bool:
        return bool(self.judgments or self.earlier_answers or self.decisions or self.versions)

    @property
    def ways_in(self) -> str:
        """What opens the site to them or others, and ends; empty if nothing does."""
        counts = (self.sessions, "session"), (self.tokens, "API token"), (self.invitations, "invitation")
        return get_text_list([counted(count, one) for count, one in counts if count], "and")


def pseudonym_of(user: User) -> str:
    """The name that an erased account has. The database makes it, too (migration 0031)."""
    return f"erased-{user.pk}"


def preview(user: User) -> Preview:
    """Counts of what is there now."""
    memberships = list(user.memberships.select_related("query_set"))
    administered = [one.query_set_id for one in memberships if one.role == Role.ADMIN]
    others = Membership.objects.filter(query_set__in=administered, role=Role.ADMIN).exclude(user=user)
    with_others = set(others.values_list("query_set", flat=True))
    by_user = Q(by=user)
    return Preview(
        pseudonym=pseudonym_of(user),
        judgments=Judgment.objects.filter(rater__user=user).count(),
        earlier_answers=JudgmentHistory.objects.filter(rater__user=user).count(),
        decisions=Adjudication.objects.filter(by_user).count() + Exclusion.objects.filter(by_user).count(),
        versions=Version.objects.filter(frozen_by=user).count(),
        comments=sum(_comments(user)),
        lines=sql.lines_naming(user.pk),
        memberships=memberships,
        tokens=user.api_tokens.count(),
        invitations=Invitation.objects.filter(created_by=user).count(),
        sessions=user.sign_ins.count(),
        shared_names=[name for name, is_shared in sql.names_of(user.pk).items() if is_shared],
        left_without_admin=[
            str(one.query_set)
            for one in memberships
            if one.role == Role.ADMIN and one.query_set_id not in with_others
        ],
    )


def _comments(user: User) -> tuple[int, int, int]:
    mine = Q(rater__user=user) & ~Q(comment="")
    repeats = RepeatAnswer.objects.filter(draw__rater__user=user).exclude(comment="")
    return (
        Judgment.objects.filter(mine).count(),
        JudgmentHistory.objects.filter(mine).count(),
        repeats.count(),
    )


def former_name_digest(name: str) -> str:
    """What an erased account keeps of a name: enough to recognize it, and names that look the same."""
    folded = unicodedata.normalize("NFKC", name).strip().casefold()
    return salted_hmac(FORMER_NAME_SALT, folded, algorithm="sha256").hexdigest()


def name_is_reserved(username: str) -> bool:
    """Whether an erased account had this name, or it looks like a pseudonym. Nobody gets it: files and backups still mean the person."""
    if PSEUDONYM.fullmatch(username.strip()):
        return True
    return User.objects.filter(former_names__contains=[former_name_digest(username)]).exists()
