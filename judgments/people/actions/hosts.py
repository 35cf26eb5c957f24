"""What hosts share and tell each other when they start: the secret key, and what they were started with (ADR 67)."""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils.crypto import salted_hmac

from judgments.models import Host, SiteKey

FORGOTTEN_DAYS: Final = 30
"""A host that wasn't started for so long, or has another name by now, is of no interest any more."""
DIFFERENCES: Final = {
    "key_mark": "another secret key, so people are signed out when they reach the other host. Give all hosts the same SECRET_KEY",
    "source_mark": "another version of Touchstone. That’s fine while you update hosts one after the other",
    "uploads_mark": "another TOUCHSTONE_UPLOADS, so one can’t open the files that the other keeps",
}


@transaction.atomic
def shared_key(*, own: str) -> str:
    """The secret key of hosts that were given none: that of the first one, whose `own` it was."""
    SiteKey.objects.bulk_create([SiteKey(value=own)], ignore_conflicts=True)
    return SiteKey.objects.get().value


@transaction.atomic
def note_host(*, name: str, at: datetime, secret_key: str, source_mark: str, uploads: str) -> list[str]:
    """Keeps what a host was started with, and returns a sentence for each other host that differs."""
    Host.objects.filter(started_at__lt=at - timedelta(days=FORGOTTEN_DAYS)).delete()
    marks = {
        "key_mark": _mark("key", secret_key),
        "source_mark": source_mark,
        "uploads_mark": _mark("uploads", uploads),
    }
    Host.objects.update_or_create(name=name, defaults=marks | {"started_at": at})
    return [
        f"{other.name}, started {other.started_at:%Y-%m-%d %H:%M %Z}, has {reason}."
        for other in Host.objects.exclude(name=name).order_by("name")
        for field, reason in DIFFERENCES.items()
        if getattr(other, field) != marks[field]
    ]


def _mark(what: str, text: str) -> str:
    """Tells two texts apart without giving either away."""
    return salted_hmac(f"touchstone host {what}", text, secret=text, algorithm="sha256").hexdigest()[:16]
