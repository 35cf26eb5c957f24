"""Addresses of this room."""

from django.urls import path

from evaluation.explain import views as drill_down

urlpatterns = [
    path("lists/<int:list_pk>/runs/<int:pk>/queries/<int:query_pk>/", drill_down.run_query, name="run-query"),
]
