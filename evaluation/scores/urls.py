"""Addresses of this room."""

from django.urls import path

from evaluation.scores.views import run, run_table, trend
from evaluation.scores.views.run_table import delete, save

urlpatterns = [
    path("lists/<int:pk>/runs/", run_table.run_table, name="run-table"),
    path("lists/<int:pk>/runs/trend/", trend.trend, name="run-trend"),
    path("lists/<int:list_pk>/runs/<int:pk>/", run.run, name="run"),
    path("query-sets/<int:pk>/run-views/", save, name="run-views"),
    path("run-views/<int:pk>/delete/", delete, name="run-view-delete"),
]
