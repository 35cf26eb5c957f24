"""Deleting many queries or documents: what would go and what stays, and the button."""

from typing import Any, Final

from django.contrib import messages
from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from judgments.base.keys import key_in, keys_in
from judgments.content.actions.unused import delete_unused
from judgments.content.forms import criteria_in
from judgments.content.reports import unused as reports
from judgments.content.reports.search import Rows, matching_rows
from judgments.content.sql.unused import Kind
from judgments.models import Document, Query, QuerySet
from judgments.pages.archive_guard import to_change
from judgments.pages.fetching import administered_query_set
from judgments.pages.http import MemberRequest
from judgments.pages.trails import query_set_trail
from touchstone_core.words import counted

KINDS: Final[dict[str, Kind]] = {"query": Query, "document": Document}


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def delete_rows(request: MemberRequest, pk: int, kind: str) -> HttpResponse:
    """For checked rows, or with `all` for all that match the search in the address, up to the key `last`.

    Shows first what would go. A POST with `confirmed` deletes it.
    """
    query_set = administered_query_set(request, pk)
    many = str(KINDS[kind]._meta.verbose_name_plural)
    search = request.GET.urlencode() if request.method == "POST" else ""
    back = reverse(f"query-set-{many}", args=[pk]) + (f"?{search}" if search else "")
    model: Any = KINDS[kind]
    rows, sent = chosen_rows(request, matching_rows(model, query_set, criteria_in(request.GET)), kind)
    if not sent:
        messages.error(request, f"Nothing was deleted, because no {many} are checked. Check some first.")
        return redirect(back)
    if request.method == "POST" and "confirmed" in request.POST:
        _delete(request, query_set, KINDS[kind], rows)
        return redirect(back)
    effect = reports.deletion_effect(rows, KINDS[kind])
    context = {
        "query_set": query_set,
        "kind": kind,
        "plural": many,
        "effect": effect,
        "first": reports.first_unused(rows, KINDS[kind]) if effect.deleted else [],
        "sent": sent,
        "label": f"Delete {counted(effect.deleted, kind, many)}",
        "back": back,
        "trail": query_set_trail(query_set, (many.capitalize(), back), f"Delete {many}"),
    }
    return render(request, "judgments/content/delete_rows.html", context)


def chosen_rows(request: MemberRequest, rows: Rows, name: str) -> tuple[Rows, list[tuple[str, Any]]]:
    """Those that are checked under this name, or with `all` all of them up to the key `last`.

    And what a form sends to choose the same ones again: rows that came since aren't among all.
    """
    sent = request.POST if request.method == "POST" else request.GET
    if sent.get("all"):
        last = key_in(sent.get("last"))
        last = (rows.aggregate(last=Max("pk"))["last"] or 0) if last is None else last
        return rows.filter(pk__lte=last), [("all", 1), ("last", last)]
    keys = keys_in(sent.getlist(name))
    return rows.filter(pk__in=keys), [(name, key) for key in keys]


def _delete(request: MemberRequest, query_set: QuerySet, kind: Kind, rows: Rows) -> None:
    keys = reports.unused_keys(rows, kind)
    count = delete_unused(query_set=query_set, kind=kind, keys=keys)
    rest = reports.deletion_effect(rows, kind)
    words = counted(count, str(kind._meta.verbose_name), str(kind._meta.verbose_name_plural))
    done = f"{words} deleted.{rest_in_words(rest.deleted + rest.left, rest.kept)}"
    (messages.success if count else messages.info)(request, done)


def rest_in_words(left: int, kept: int) -> str:
    """What is said after an act that took as many rows as it may at once, and left those that have to stay."""
    again = f" {left:,} are left for the next time." if left else ""
    return again + (f" {kept:,} stayed." if kept else "")
