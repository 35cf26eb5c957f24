"""The links of the top bar, by role, and pages of the whole site that “Go to” finds."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from judgments.models import STAFF_ROLES, Membership

IN_QUERY_SETS = (
    "/lists/",
    "/runs/",
    "/run-views/",
    "/queries/",
    "/documents/",
    "/uploads/",
    "/saved-formulas/",
    "/intents/",
)
"""Addresses inside query sets, where “Query sets” is the current link."""

FOR_STAFF = (("Query sets", "query-sets"), ("Scales", "scales"), ("Formulas", "formulas"), ("Learn", "learn"))
FURTHER = (
    ("New evaluation", "new-evaluation"),
    ("New query set", "query-set-new"),
    ("Glossary", "glossary"),
    ("Account", "account"),
)
"""What staff find by “Go to” beside the links of the bar."""


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Context for base.html: `nav` (name, url, current) and `is_staff_member` (engineer or admin anywhere).

    Costs one query, or none for site administrators and where a view has set `is_staff_member`. Pages without the bar cost nothing.
    """
    user = getattr(request, "user", None)
    if user is None or user.is_anonymous:
        return {"nav": [], "demo": False}
    entries = [("Home", reverse("home"))]
    is_staff = user.is_superuser or getattr(request, "is_staff_member", False)
    if is_staff or Membership.objects.filter(user=user, role__in=STAFF_ROLES).exists():
        entries += [(name, reverse(address)) for name, address in FOR_STAFF]
    if user.is_superuser:
        entries.append(("Log", reverse("site-log")))
    return {
        "nav": [
            {"name": name, "url": url, "current": _is_current(request.path, url)} for name, url in entries
        ]
    }


def _is_current(path: str, url: str) -> bool:
    if url == "/":
        return path == url
    return path.startswith((url, *IN_QUERY_SETS)) if url == reverse("query-sets") else path.startswith(url)
