"""Addresses of this room."""

from django.urls import path

from evaluation.guide.views import formulas, reconcile

urlpatterns = [
    path("lists/<int:list_pk>/runs/<int:pk>/reconcile/", reconcile.reconcile, name="reconcile"),
    path("formulas/", formulas.formulas, name="formulas"),
]
