"""Which accounts belong to nobody."""

from django.conf import settings

from judgments.models import User
from judgments.people.demo import DEMO_ACCOUNTS


def is_everybodys(user: User) -> bool:
    """In demo mode anybody signs in with these accounts by a button. No visitor must lock out others, or see where they are."""
    return settings.DEMO and user.username in {demo.username for demo in DEMO_ACCOUNTS}
