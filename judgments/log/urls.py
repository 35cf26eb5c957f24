"""Addresses of this room."""

from django.urls import path

from judgments.log.views import log

urlpatterns = [
    path("log/", log.site_log, name="site-log"),
    path("lists/<int:pk>/log/", log.list_log, name="list-log"),
    path("query-sets/<int:pk>/log/", log.query_set_log, name="query-set-log"),
]
