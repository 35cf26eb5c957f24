"""Addresses of this room."""

from django.urls import path

from evaluation.runs.views import exports, runs, upload
from evaluation.runs.views.runs import baseline, delete, tag

urlpatterns = [
    path("query-sets/<int:pk>/runs/", runs.run_list, name="query-set-runs"),
    path("query-sets/<int:pk>/runs/upload/", upload.run_upload, name="run-upload"),
    path("query-sets/<int:pk>/runs/fetch/", upload.run_fetch, name="run-fetch"),
    path("uploads/<uuid:pk>/runs/", upload.stored_runs, name="stored-runs"),
    path("query-sets/<int:pk>/runs/tags/", tag, name="runs-tag"),
    path("query-sets/<int:pk>/runs/delete/", delete, name="runs-delete"),
    path("query-sets/<int:pk>/runs/export/", exports.export, name="runs-export"),
    path("query-sets/<int:pk>/runs/baseline/", baseline, name="run-baseline"),
    path("runs/<int:pk>/edit/", runs.run_edit, name="run-edit"),
    path("runs/<int:pk>/delete/", runs.run_delete, name="run-delete"),
]
