"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("site-admin/", admin.site.urls),
    path("", include("judgments.urls")),
    path("", include("evaluation.urls")),
]

handler400 = "judgments.views.errors.bad_request"
handler403 = "judgments.views.errors.permission_denied"
handler404 = "judgments.views.errors.page_not_found"
handler500 = "judgments.views.errors.server_error"
