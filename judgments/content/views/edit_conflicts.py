"""Shows both versions where somebody else saved after a form was opened, before one replaces the other."""

from collections.abc import Mapping
from typing import Any

from django.forms import BaseForm

from judgments.base.errors import ChangedSinceError
from judgments.content.reports.content import differences, mark_of_facts
from judgments.pages.http import MemberRequest
from touchstone_core.words import tidied


def both_versions(
    request: MemberRequest,
    form: BaseForm | None,
    now: Mapping[str, Any],
    conflict: ChangedSinceError | None = None,
    input_: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Context for parts/content_stale.html and the field `seen`: the values `now` and the input that would replace them.

    Fields have the names and the order of the form. Texts that differ in line ends only are the same.
    """
    mark = mark_of_facts(now)
    if conflict is None:
        # The input of an invalid form was made from what its reader saw, not from what is stored by now.
        return {"seen": request.POST.get("seen", mark)}
    then = input_ or {}
    names = [name for name in then if _plain(now.get(name)) != _plain(then[name])]
    labels = {field.name: str(field.label) for field in form or ()}
    both = differences({name: now.get(name) for name in names}, {name: then[name] for name in names}, labels)
    return {"seen": mark, "conflict": conflict, "both": both}


def _plain(value: Any) -> Any:
    return tidied(value) if isinstance(value, str) else value
