"""Addresses of the judging side."""

from django.urls import path

from judgments.views import home, judge

urlpatterns = [
    path("", home.home, name="home"),
    path("lists/<int:pk>/judge/", judge.judge, name="judge"),
    path("lists/<int:pk>/judge/answer/", judge.answer, name="judge-answer"),
    path("lists/<int:pk>/judge/undo/", judge.undo, name="judge-undo"),
    path("lists/<int:pk>/judge/skip/", judge.skip, name="judge-skip"),
    path("lists/<int:pk>/judge/done/", judge.done, name="judge-done"),
]
