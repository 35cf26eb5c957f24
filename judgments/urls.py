"""Addresses of the judging side."""

from django.urls import path

from judgments.views import home

urlpatterns = [
    path("", home.home, name="home"),
]
