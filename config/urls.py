"""Every address of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from config import api

urlpatterns = [
    # One form to change one's own password is enough, and ours is throttled.
    path(
        "site-admin/password_change/",
        RedirectView.as_view(pattern_name="password-change", http_method_names=["get", "head"]),
        name="site-password-change",
    ),
    path("site-admin/", admin.site.urls),
    path("api/v1/openapi.json", api.openapi, name="openapi"),
    path("api/v1/docs/", api.docs, name="api-docs"),
    path("api/v1/", api.api.urls),
    path("", include("judgments.urls")),
    path("", include("evaluation.urls")),
]
if settings.TOOLBAR:
    urlpatterns.append(path("__debug__/", include("debug_toolbar.urls")))

handler400 = "judgments.pages.errors.bad_request"
handler403 = "judgments.pages.errors.permission_denied"
handler404 = "judgments.pages.errors.page_not_found"
handler500 = "judgments.pages.errors.server_error"
