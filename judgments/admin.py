"""Site administration: accounts, and what has no page of its own. It writes by the actions, as every page does."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.contrib.auth.models import Group
from django.db import models
from django.http import HttpRequest
from django.shortcuts import redirect

from judgments.base.errors import JudgmentsError
from judgments.models import JudgmentHistory, Membership, Upload, User
from judgments.people.actions import members, second_factor, site_administration
from touchstone_core.words import counted

admin.site.site_header = admin.site.site_title = "Touchstone: site administration"
admin.site.index_title = "Accounts and records"
admin.site.unregister(Group)


class MembershipInline(admin.TabularInline[Membership, User]):
    model = Membership
    extra = 0


class PasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]  # it takes none at run time
    """The password that a site administrator gives an account."""

    def save(self, commit: bool = True) -> User:
        user: User = self.set_password_and_save(self.user, commit=False)  # type: ignore[attr-defined]  # newer than the stubs
        site_administration.save_password(user=user)
        return user


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    """Accounts with their roles. Permissions of Django are not used: a role in a query set says what one may do."""

    inlines = [MembershipInline]
    actions = ["remove_second_factor"]
    change_password_form = PasswordForm
    list_display = ["username", "first_name", "last_name", "email", "is_active", "is_superuser", "last_login"]
    list_filter = ["is_active", "is_superuser"]
    filter_horizontal = []
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Person", {"fields": ["first_name", "last_name", "email", "single_key_shortcuts"]}),
        (
            "Access",
            {
                "fields": ["is_active", "is_staff", "is_superuser"],
                "description": "A site administrator has superuser and staff status.",
            },
        ),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]

    @admin.action(description="Remove the second factor", permissions=["change"])
    def remove_second_factor(self, request: HttpRequest, queryset: models.QuerySet[User]) -> None:
        """For somebody who has lost both the telephone and the recovery codes."""
        count = sum(second_factor.remove_second_factor(user=user) for user in queryset)
        messages.success(request, f"Removed the second factor of {counted(count, 'account')}.")

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Nothing is saved where an action refuses a part of it, as the last admin of a query set is not removed."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except JudgmentsError as error:
            messages.error(request, f"Nothing was saved. {error}")
            return redirect(request.get_full_path())

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        site_administration.save_account(user=obj)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        site_administration.delete_account(user=obj)

    def delete_queryset(self, request: HttpRequest, queryset: models.QuerySet[User]) -> None:
        for user in queryset:
            site_administration.delete_account(user=user)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """The roles, the only rows beside the account. One that moves to another query set is removed and added."""
        gone = [one.instance for one in formset.deleted_forms if one.instance.pk]
        kept = [one for one in formset if one not in formset.deleted_forms and one.has_changed()]
        new = [one.instance for one in kept if one.instance.pk is None]
        changed = [(one.instance, one.changed_data) for one in kept if one.instance.pk]
        moved = [membership for membership, fields in changed if "query_set" in fields]
        for membership, _ in changed:
            if membership not in moved:
                members.change_role(membership=_stored(membership), role=membership.role)
        for membership in [*gone, *moved]:
            members.remove_member(membership=_stored(membership))
        for membership in [*new, *moved]:
            members.add_member(query_set=membership.query_set, user=form.instance, role=membership.role)
        # What Django says in its own record of the form.
        formset.new_objects, formset.changed_objects, formset.deleted_objects = new, changed, gone


def _stored(membership: Membership) -> Membership:
    """As it was before the form."""
    return Membership.objects.select_related("user").get(pk=membership.pk)


class RecordAdmin(admin.ModelAdmin[Any]):
    """For looking only."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Upload)
class UploadAdmin(RecordAdmin):
    list_display = [
        "name",
        "purpose",
        "query_set",
        "user",
        "size",
        "created_at",
        "requested_at",
        "applied_at",
    ]
    list_filter = ["purpose"]
    list_select_related = ["query_set", "user"]
    search_fields = ["name", "sha256"]
    exclude = ["file"]  # where it waits has no address that a browser could open


@admin.register(JudgmentHistory)
class JudgmentHistoryAdmin(RecordAdmin):
    list_display = ["pair", "rater", "action", "value", "reason", "answered_at", "replaced_at"]
    list_filter = ["action"]
    list_select_related = ["pair", "rater"]
