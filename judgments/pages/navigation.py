"""What the top bar offers, by role."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from judgments.models import STAFF_ROLES, Membership

IN_QUERY_SETS = (
    "/lists/",
    "/runs/",
    "/queries/",
    "/documents/",
    "/uploads/",
    "/saved-formulas/",
    "/intents/",
)
"""Pages of what a query set contains; their breadcrumbs begin with the query sets too."""


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Context for base.html: `nav` (name, url, current) and `is_staff_member` (engineer or admin anywhere).

    Costs one query for an account that is no site administrator, none where a view has noted `is_staff_member`; lazily, so that pages without the bar pay nothing.
    """
    user = getattr(request, "user", None)
    if user is None or user.is_anonymous:
        return {"nav": [], "demo": False}
    entries = [("Home", reverse("home"))]
    known = user.is_superuser or getattr(request, "is_staff_member", False)
    if known or Membership.objects.filter(user=user, role__in=STAFF_ROLES).exists():
        staff = (("Query sets", "query-sets"), ("Scales", "scales"), ("Formulas", "formulas"))
        entries += [(name, reverse(address)) for name, address in staff]
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
