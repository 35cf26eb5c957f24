"""Shows both versions where somebody else saved after a form was opened, before one replaces the other."""

from collections.abc import Mapping
from typing import Any

from judgments.base.errors import ChangedSinceError
from judgments.content.reports.content import LABELS, differences, mark_of_facts
from judgments.pages.http import MemberRequest


def both_versions(
    request: MemberRequest,
    now: Mapping[str, Any],
    conflict: ChangedSinceError | None = None,
    input_: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] = LABELS,
) -> dict[str, Any]:
    """Context for parts/content_stale.html and the field `seen`: the values `now` and the input that would replace them."""
    mark = mark_of_facts(now)
    if conflict is None:
        # The input of an invalid form was made from what its reader saw, not from what is stored by now.
        return {"seen": request.POST.get("seen", mark)}
    then = input_ or {}
    names = [name for name in then if now.get(name) != then[name]]
    both = differences({name: now.get(name) for name in names}, {name: then[name] for name in names}, labels)
    return {"seen": mark, "conflict": conflict, "both": both}
