"""Site administration: accounts, and what has no page of its own."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from judgments.models import JudgmentHistory, Membership, Upload, User

admin.site.site_header = admin.site.site_title = "Touchstone: site administration"
admin.site.index_title = "Accounts and records"
admin.site.unregister(Group)


class MembershipInline(admin.TabularInline[Membership, User]):
    model = Membership
    extra = 0


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    """Accounts with their roles. Permissions of Django are not used: a role in a query set says what one may do."""

    inlines = [MembershipInline]
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
    list_display = ["name", "purpose", "query_set", "user", "size", "created_at", "applied_at"]
    list_filter = ["purpose"]
    list_select_related = ["query_set", "user"]
    search_fields = ["name", "sha256"]


@admin.register(JudgmentHistory)
class JudgmentHistoryAdmin(RecordAdmin):
    list_display = ["pair", "rater", "action", "value", "reason", "answered_at", "replaced_at"]
    list_filter = ["action"]
    list_select_related = ["pair", "rater"]
