"""Query sets and their members."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from judgments.actions import query_sets as actions
from judgments.actions.names import NameTakenError
from judgments.errors import JudgmentsError
from judgments.forms.query_sets import MemberForm, QuerySetForm, RoleForm
from judgments.models import Membership, QuerySet, Role
from judgments.reports import query_sets as reports
from judgments.views.http import MemberRequest
from judgments.views.trails import query_set_trail, trail


def query_sets(request: MemberRequest) -> HttpResponse:
    _staff_only(request)
    context = {"query_sets": reports.with_counts(QuerySet.objects.staffed_by(request.user))}
    return render(request, "judgments/query_sets.html", context)


def new(request: MemberRequest) -> HttpResponse:
    _staff_only(request)
    form = QuerySetForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            query_set = actions.create_query_set(**form.cleaned_data, user=request.user)
        except NameTakenError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"{query_set} has been made. Import its queries and documents next.")
            return redirect("query-set", query_set.pk)
    context = {"form": form, "trail": trail(("Query sets", reverse("query-sets")), "New query set")}
    return render(request, "judgments/query_set_form.html", context, status=422 if form.errors else 200)


def edit(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)
    form = QuerySetForm(request.POST or None, instance=query_set)
    if request.method == "POST" and form.is_valid():
        try:
            actions.change_query_set(query_set=query_set, **form.cleaned_data)
        except NameTakenError as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, "Saved.")
            return redirect("query-set", pk)
    context = {"form": form, "query_set": query_set, "trail": query_set_trail(query_set, "Settings")}
    return render(request, "judgments/query_set_form.html", context, status=422 if form.errors else 200)


def overview(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = get_object_or_404(reports.with_counts(QuerySet.objects.staffed_by(request.user)), pk=pk)
    context = {
        "query_set": query_set,
        "lists": reports.lists_of(query_set),
        "role": reports.role_in(query_set, request.user),
        "tab": "overview",
        "trail": query_set_trail(query_set),
    }
    return render(request, "judgments/query_set.html", context)


def members(request: MemberRequest, pk: int) -> HttpResponse:
    """The members; admins add, change and remove them by the forms of this page (`action` says which)."""
    query_set = get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    role = reports.role_in(query_set, request.user)
    form = MemberForm()
    if request.method == "POST":
        get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)
        form = MemberForm(request.POST) if request.POST.get("action") == "add" else form
        if _change_members(request, query_set, form):
            still = QuerySet.objects.staffed_by(request.user).filter(pk=pk).exists()
            return redirect("query-set-members", pk) if still else redirect("home")
    context = {
        "query_set": query_set,
        "memberships": query_set.memberships.select_related("user").order_by("user__username"),
        "roles": Role.choices,
        "form": form,
        "role": role,
        "tab": "members",
        "trail": query_set_trail(query_set, "Members"),
    }
    return render(
        request, "judgments/query_set_members.html", context, status=422 if request.method == "POST" else 200
    )


def _staff_only(request: MemberRequest) -> None:
    """Who is engineer or admin anywhere may also make a query set; raters find nothing here."""
    if not reports.may_create_query_set(request.user):
        raise Http404


def _change_members(request: MemberRequest, query_set: QuerySet, form: MemberForm) -> bool:
    """Whether the change was made; if not, the reason stands in the form or in a message."""
    try:
        if request.POST.get("action") == "add":
            return _add_member(request, query_set, form)
        membership = get_object_or_404(
            Membership.objects.select_related("user"),
            query_set=query_set,
            pk=_number(request.POST.get("membership")),
        )
        return _change_member(request, membership)
    except JudgmentsError as error:
        messages.error(request, str(error))
        return False


def _add_member(request: MemberRequest, query_set: QuerySet, form: MemberForm) -> bool:
    if not form.is_valid():
        return False
    member, role = form.cleaned_data["user"], form.cleaned_data["role"]
    actions.add_member(query_set=query_set, user=member, role=role)
    messages.success(request, f"{member.username} is now {Role(role).label.lower()} of this query set.")
    return True


def _change_member(request: MemberRequest, membership: Membership) -> bool:
    username = membership.user.username
    if request.POST.get("action") == "remove":
        actions.remove_member(membership=membership)
        messages.success(request, f"{username} has no role in this query set any more.")
        return True
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose a role from the list.")
        return False
    actions.change_role(membership=membership, role=form.cleaned_data["role"])
    messages.success(request, f"{username} is now {Role(membership.role).label.lower()}.")
    return True


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 0
