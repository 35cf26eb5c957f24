"""Addresses of runs, scores and comparisons."""

from django.urls import path

from evaluation.views import home

urlpatterns = [
    path("", home.home, name="home"),
]
