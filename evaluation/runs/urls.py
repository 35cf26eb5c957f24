"""Addresses of this room."""

from django.urls import path

from evaluation.runs import views as runs

urlpatterns = [
    path("query-sets/<int:pk>/runs/", runs.run_list, name="query-set-runs"),
    path("query-sets/<int:pk>/runs/upload/", runs.run_upload, name="run-upload"),
    path("runs/<int:pk>/delete/", runs.run_delete, name="run-delete"),
]
