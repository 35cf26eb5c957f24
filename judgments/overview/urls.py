"""Addresses of this room."""

from django.urls import path

from judgments.overview import views as overview

urlpatterns = [
    path("lists/<int:pk>/", overview.list_overview, name="list"),
    path("lists/<int:pk>/plan/", overview.list_plan, name="list-plan"),
]
