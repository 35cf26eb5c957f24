"""Addresses of this room."""

from django.urls import path

from evaluation.scores.views import run, run_table

urlpatterns = [
    path("lists/<int:pk>/runs/", run_table.run_table, name="run-table"),
    path("lists/<int:list_pk>/runs/<int:pk>/", run.run, name="run"),
]
