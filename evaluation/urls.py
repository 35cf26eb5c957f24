"""Addresses of runs, scores and comparisons."""

from django.urls import path

from evaluation.views import home, runs

urlpatterns = [
    path("", home.home, name="home"),
    path("query-sets/<int:pk>/runs/", runs.run_list, name="query-set-runs"),
    path("query-sets/<int:pk>/runs/upload/", runs.run_upload, name="run-upload"),
    path("runs/<int:pk>/delete/", runs.run_delete, name="run-delete"),
]
