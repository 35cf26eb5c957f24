"""Addresses of this room."""

from django.urls import path

from judgments.log import views

urlpatterns = [
    path("log/", views.site_log, name="site-log"),
    path("lists/<int:pk>/log/", views.list_log, name="list-log"),
    path("query-sets/<int:pk>/log/", views.query_set_log, name="query-set-log"),
]
