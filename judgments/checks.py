"""What `manage.py check --deploy` says about the database and hosts beside Django's own advice."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.db import OperationalError

from judgments.base.sql.roles import may_act_as_owner

ONE_ROLE = Warning(
    "The role of DATABASE_URL owns the tables, or may act as their owner.",
    hint=(
        "Versions and the log are then protected against everything but that role, which could take the triggers off. "
        "docs/security.md says how to make two roles; DATABASE_OWNER_URL names the owner, which only `migrate` uses."
    ),
    id="judgments.W001",
)

KEY_IN_DATABASE = Warning(
    "SECRET_KEY isn't set, so the hosts share one that is in the database.",
    hint="Whoever can read the database could then sign sessions. Give all hosts the same SECRET_KEY.",
    id="judgments.W002",
)


def check_secret_key(**_: Any) -> list[CheckMessage]:
    """The embedded server is on the same disk as the key."""
    return [] if settings.EMBEDDED_DATABASE or settings.SECRET_KEY_GIVEN else [KEY_IN_DATABASE]


def check_roles(**_: Any) -> list[CheckMessage]:
    """The embedded server has two roles always, and need not run for a check."""
    if settings.EMBEDDED_DATABASE:
        return []
    try:
        one_role = may_act_as_owner()
    except OperationalError:
        one_role = not settings.DATABASE_OWNER
    return [ONE_ROLE] if one_role else []
