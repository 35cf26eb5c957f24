"""Addresses of this room."""

from django.urls import path

from evaluation.formulas import views as saved_formulas

urlpatterns = [
    path("query-sets/<int:pk>/formulas/", saved_formulas.saved_formulas, name="saved-formulas"),
    path("saved-formulas/<int:pk>/rename/", saved_formulas.rename, name="saved-formula-rename"),
    path("saved-formulas/<int:pk>/default/", saved_formulas.default, name="saved-formula-default"),
    path("saved-formulas/<int:pk>/delete/", saved_formulas.delete, name="saved-formula-delete"),
]
