"""Addresses of this room."""

from django.urls import path

from evaluation.effects import views

urlpatterns = [
    path("lists/<int:pk>/rule/", views.list_rule, name="list-rule"),
    path("lists/<int:pk>/agreement/runs/", views.rater_effect, name="rater-effect"),
    path(
        "lists/<int:pk>/versions/<int:number>/difference/",
        views.version_difference,
        name="version-difference",
    ),
]
