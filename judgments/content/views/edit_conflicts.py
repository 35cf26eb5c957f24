"""Shows both versions where somebody else saved after a form was opened, before one replaces the other."""

from collections.abc import Mapping, Set
from copy import copy
from typing import Any

from django.forms import BaseForm
from django.http import QueryDict

from judgments.base.errors import ChangedSinceError
from judgments.content.reports.content import differences, mark_of_facts, unchanged_since
from judgments.pages.http import MemberRequest
from touchstone_core.words import tidied


def both_versions(
    request: MemberRequest,
    form: BaseForm | None,
    now: Mapping[str, Any],
    conflict: ChangedSinceError | None,
    input_: Mapping[str, Any] | None,
    fresh: BaseForm | None,
) -> dict[str, Any]:
    """Context for parts/content_stale.html and the field `seen`: the values `now` and the input that would replace them.

    Fields have the names and the order of the form. Texts that differ in line ends only are the same. What this person left
    alone gets the value that is stored now, as the `fresh` form has it, so that saving again reverts nothing.
    """
    mark = mark_of_facts(now)
    if conflict is None:
        # The input of an invalid form was made from what its reader saw, not from what is stored by now.
        return {"seen": request.POST.get("seen", mark)}
    then = input_ or {}
    kept = untouched(request, now, then) if fresh else set()
    if form and fresh:
        form.data = with_fields_of(fresh, request.POST, kept)
    names = [name for name in then if _plain(now.get(name)) != _plain(then[name])]
    labels = {field.name: str(field.label) for field in form or ()}
    both = differences(
        {name: now.get(name) for name in names}, {name: then[name] for name in names}, labels, kept
    )
    return {"seen": mark, "conflict": conflict, "both": both}


def untouched(request: MemberRequest, now: Mapping[str, Any], input_: Mapping[str, Any]) -> set[str]:
    """The names of the input that is as the form showed it."""
    return unchanged_since(request.POST.get("seen", ""), input_, now)


def with_fields_of(fresh: BaseForm, data: QueryDict, names: Set[str]) -> QueryDict:
    """The data with these fields as a browser would send them from the fresh form."""
    merged = copy(data)
    for name in names & fresh.fields.keys():
        field = fresh[name]
        value = field.value()
        values = value if isinstance(value, list | tuple) else [value]
        merged.setlist(
            field.html_name, ["" if one is None else str(one) for one in values if one is not False]
        )
    return merged


def _plain(value: Any) -> Any:
    return tidied(value) if isinstance(value, str) else value
