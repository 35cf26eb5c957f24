"""Addresses of this room."""

from django.urls import path

from evaluation.guide.views import formulas, learn, reconcile

urlpatterns = [
    path("lists/<int:list_pk>/runs/<int:pk>/reconcile/", reconcile.reconcile, name="reconcile"),
    path("learn/", learn.learn, name="learn"),
    path("learn/puzzles/", learn.puzzle, name="puzzle"),
    path("glossary/", learn.glossary, name="glossary"),
    path("formulas/", formulas.formulas, name="formulas"),
]
