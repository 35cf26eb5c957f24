"""Addresses of runs, scores and comparisons."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
