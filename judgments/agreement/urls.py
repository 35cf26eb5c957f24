"""Addresses of this room."""

from django.urls import path

from judgments.agreement.views import agreement, disagreement, disagreements, exclusions

urlpatterns = [
    path("lists/<int:pk>/agreement/", agreement.agreement, name="list-agreement"),
    path("lists/<int:pk>/disagreements/", disagreements.disagreements, name="list-disagreements"),
    path("lists/<int:pk>/disagreements/decisions/", disagreements.decisions_file, name="decisions-file"),
    path("lists/<int:pk>/disagreements/<int:pair>/", disagreement.disagreement, name="disagreement"),
    path("lists/<int:pk>/raters/<int:rater>/exclusion/", exclusions.exclusion, name="rater-exclusion"),
]
