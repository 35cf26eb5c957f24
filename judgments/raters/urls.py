"""Addresses of this room."""

from django.urls import path

from judgments.raters.views import gold, raters

urlpatterns = [
    path("lists/<int:pk>/raters/", raters.raters, name="list-raters"),
    path("lists/<int:pk>/gold/", gold.gold, name="list-gold"),
    path("lists/<int:pk>/gold/file/", gold.gold_file, name="gold-file"),
    path("lists/<int:pk>/gold/import/", gold.import_file, name="list-gold-import"),
]
