"""Addresses of this room."""

from django.urls import path

from evaluation.impact import views as impact

urlpatterns = [path("query-sets/<int:pk>/impact/", impact.impact, name="impact")]
