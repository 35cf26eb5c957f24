"""Addresses of this room."""

from django.urls import path

from evaluation.effects.views import rater_effect, rules, version_difference

urlpatterns = [
    path("lists/<int:pk>/rule/", rules.list_rule, name="list-rule"),
    path("lists/<int:pk>/agreement/runs/", rater_effect.rater_effect, name="rater-effect"),
    path(
        "lists/<int:pk>/versions/<int:number>/difference/",
        version_difference.version_difference,
        name="version-difference",
    ),
]
