"""What erasing a person's data would do, and which names may not be taken again."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from django.db.models import Q
from django.utils.crypto import salted_hmac
from django.utils.text import get_text_list

from judgments.models import (
    Adjudication,
    Exclusion,
    Invitation,
    Judgment,
    JudgmentHistory,
    Membership,
    RepeatAnswer,
    Role,
    User,
    Version,
)
from judgments.people import sql
from touchstone_core.words import counted

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
