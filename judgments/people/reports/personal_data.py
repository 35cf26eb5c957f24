"""What the site holds about one person, as a file for that person.

It has neither secrets nor what raters must not know, such as which pairs are gold.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

from allauth.socialaccount.models import SocialAccount
from django.db import models
from django.db.models import CharField, F, Value
from django.forms.models import model_to_dict

from judgments.base.streaming import Blocks, blocks
from judgments.log.reports.log_words import verb_in_words
from judgments.models import (
    Act,
    Adjudication,
    Invitation,
    Judgment,
    JudgmentHistory,
    RepeatAnswer,
    Upload,
    User,
)
from judgments.people import sql
from judgments.people.reports.accounts import has_second_factor
from touchstone_core.formats.writing import document

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
