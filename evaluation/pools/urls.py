"""Addresses of this room."""

from django.urls import path

from evaluation.pools import views as pairs

urlpatterns = [
    path("lists/<int:pk>/pairs/", pairs.list_pairs, name="list-pairs"),
    path("lists/<int:pk>/candidates/", pairs.list_candidates, name="list-candidates"),
    path("contests/<int:pk>/stop/", pairs.contest_stop, name="contest-stop"),
]
