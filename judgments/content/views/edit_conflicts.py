"""Forms of which somebody has saved another version since they were opened: both are shown before one replaces the other."""

from collections.abc import Mapping
from typing import Any

from judgments.base.errors import ChangedSinceError
from judgments.content.reports.content import differences, mark_of_facts
from judgments.pages.http import MemberRequest


def seen_in(request: MemberRequest) -> str | None:
    """The mark of what the form was opened with; None where it doesn't say."""
    return request.POST.get("seen")


def both_versions(
    request: MemberRequest,
    now: Mapping[str, Any],
    refused: ChangedSinceError | None = None,
    wanted: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """For parts/content_stale.html and the field `seen`: what is stored `now`, and what would replace it."""
    mark = mark_of_facts(now)
    if refused is None:
        # A form that is not valid was made from what its reader has seen, not from what is stored by now.
        return {"seen": request.POST.get("seen", mark)}
    then = wanted or {}
    names = [name for name in then if now.get(name) != then[name]]
    both = differences({name: now.get(name) for name in names}, {name: then[name] for name in names})
    return {"seen": mark, "refused": refused, "both": both}
