"""Adds, changes and deletes queries and documents, and tags many queries at once."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from django.contrib import messages
from django.db.models import QuerySet as Rows
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from judgments.base.errors import ChangedSinceError
from judgments.base.keys import keys_in
from judgments.base.names import NameTakenError
from judgments.content.actions import content as actions
from judgments.content.forms import NAME, VALUE, DocumentForm, QueryForm, TagForm, criteria_in
from judgments.content.reports import content as reports
from judgments.content.reports.search import matching_rows
from judgments.content.views.content import row_trail
from judgments.content.views.edit_conflicts import untouched, with_fields_of
from judgments.models import Document, Query, QuerySet
from judgments.pages.archive_guard import to_change
from judgments.pages.fetching import administered_query_set
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import query_set_trail
from touchstone_core.formats.content.content_writers import written_value
from touchstone_core.words import counted

Form = QueryForm | DocumentForm


class Kind(NamedTuple):
    """Differences between changing queries and changing documents, with the notices `on_add` and `on_save`."""

    model: type[Query] | type[Document]
    form: Callable[..., Form]
    add: Callable[..., Query | Document]
    change: Callable[..., Query | Document]
    plural: str
    on_add: str
    on_save: str


KINDS: Final = {
    "query": Kind(
        Query,
        QueryForm,
        actions.add_query,
        actions.change_query,
        plural="queries",
        on_add="Added the query. Raters judge it once a list has pairs with it.",
        on_save="Saved.",
    ),
    "document": Kind(
        Document,
        DocumentForm,
        actions.add_document,
        actions.change_document,
        plural="documents",
        on_add="Added the document.",
        on_save="Saved. Raters see it with the next card they fetch.",
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def new_row(request: MemberRequest, pk: int, kind: str) -> HttpResponse:
    query_set = administered_query_set(request, pk)
    form = KINDS[kind].form(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            row = KINDS[kind].add(query_set=query_set, **form.cleaned_data)
        except NameTakenError as error:
            form.add_error("external_id", str(error))
        else:
            messages.success(request, KINDS[kind].on_add)
            return redirect(kind, row.pk)
    return _form_page(request, form, kind, new_in=query_set)


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def edit_row(request: MemberRequest, pk: int, kind: str) -> HttpResponse:
    """Saves over somebody else's change only after the form has shown both versions (`seen`)."""
    row = _own_row(request, pk, kind)
    form = KINDS[kind].form(request.POST if request.method == "POST" else None, **{kind: row})
    conflict = None
    if request.method == "POST" and form.is_valid():
        try:
            KINDS[kind].change(**{kind: row}, seen_mark=request.POST.get("seen", ""), **form.cleaned_data)
        except ChangedSinceError as error:
            conflict = error
        else:
            messages.success(request, KINDS[kind].on_save)
            return redirect(kind, pk)
    return _form_page(request, form, kind, row=row, conflict=conflict)


@require_POST
def delete_row(request: MemberRequest, pk: int, kind: str) -> HttpResponse:
    row = _own_row(request, pk, kind)
    try:
        actions.delete_row(row=row)
    except actions.InUseError as error:
        messages.error(request, str(error))
        return redirect(kind, pk)
    messages.success(request, f"Deleted the {kind} {row.external_id}.")
    return redirect(f"query-set-{KINDS[kind].plural}", row.query_set_id)


def _own_row(request: MemberRequest, pk: int, kind: str) -> Query | Document:
    mine: Rows[Any] = KINDS[kind].model._default_manager.filter(
        query_set__in=QuerySet.objects.administered_by(request.user)
    )
    row: Query | Document = get_object_or_404(mine.select_related("query_set"), pk=pk)
    return row


@require_POST
def tag_queries(request: MemberRequest, pk: int) -> HttpResponse:
    """Adds or removes a tag: for checked queries, or with `all` for all queries that match the search in the address."""
    query_set = administered_query_set(request, pk)
    form = TagForm(request.POST)
    rows = matching_rows(Query, query_set, criteria_in(request.GET))
    if not request.POST.get("all"):
        rows = rows.filter(pk__in=keys_in(request.POST.getlist("query")))
    keys = list(rows.values_list("pk", flat=True)) if form.is_valid() else []
    if not form.is_valid():
        messages.error(request, f"Nothing was changed. {' '.join(map(str, form.errors['tag']))}")
    elif not keys:
        messages.error(request, "Nothing was changed, because no queries are checked. Check some first.")
    else:
        tag, on = form.cleaned_data["tag"], request.POST.get("act") != "remove"
        count = actions.set_tag(query_set=query_set, query_ids=keys, tag=tag, on=on)
        verb = "was added to" if on else "was removed from"
        messages.success(request, f"The tag “{tag}” {verb} {counted(count, 'query', 'queries')}.")
    search = request.GET.urlencode()
    return redirect(reverse("query-set-queries", args=[pk]) + (f"?{search}" if search else ""))


def _form_page(
    request: MemberRequest,
    form: Form,
    kind: str,
    *,
    new_in: QuerySet | None = None,
    row: Query | Document | None = None,
    conflict: ChangedSinceError | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "row": row, "kind": kind}
    if new_in is not None:
        plural = KINDS[kind].plural
        back = reverse(f"query-set-{plural}", args=[new_in.pk])
        context |= {"query_set": new_in, "back": back}
        context["trail"] = query_set_trail(new_in, (plural.capitalize(), back), f"New {kind}")
    if row is not None:
        # The input of an invalid form was made from what its reader saw, not from what is stored by now.
        mark = request.POST.get("seen", "")
        if conflict or not form.is_bound:
            mark = reports.mark_of(conflict.current if conflict else row)
        context |= {"query_set": row.query_set, "back": reverse(kind, args=[row.pk]), "seen": mark}
        context |= {"trail": row_trail(row, "Edit"), "uses": reports.uses_of(row)}
        context["delete_url"] = reverse(f"{kind}-delete", args=[row.pk])
    if conflict is not None:
        kept = _keep_untouched(form, conflict.current, KINDS[kind].form(**{kind: conflict.current}), request)
        context |= {"conflict": conflict, "both": _both_versions(conflict.current, form, kept)}
    return form_page(request, "judgments/content/content_form.html", context, form.errors, conflict)


def _keep_untouched(form: Form, current: Query | Document, fresh: Form, request: MemberRequest) -> set[str]:
    """Gives the form what is stored now wherever its person left it alone; returns the names in `flat`.

    All further fields of a document are one field here.
    """
    kept = untouched(request, reports.facts_of(current), form.cleaned_data)
    form.data = with_fields_of(fresh, request.POST, kept)
    if isinstance(form, DocumentForm) and isinstance(current, Document) and "fields" in kept:
        form.data.setlist(NAME, list(current.fields))
        form.data.setlist(VALUE, [written_value(value) for value in current.fields.values()])
        own = {**current.fields, **form.cleaned_data["fields"]}
        kept |= {f"{reports.FURTHER}{name}" for name in own}
    return kept


def _both_versions(current: Query | Document, form: Form, kept: set[str]) -> list[reports.Difference]:
    """Differences between the stored row and the row that the form would save."""
    now, then = reports.flat(current), reports.flat(type(current)(**form.cleaned_data))
    names = [name for name in {**now, **then} if now.get(name) != then.get(name)]
    return reports.differences(
        {name: now.get(name) for name in names}, {name: then.get(name) for name in names}, kept=kept
    )
