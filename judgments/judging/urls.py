"""Addresses of this room."""

from django.urls import path

from judgments.judging.views import judge, judge_offline, own_judgments

urlpatterns = [
    path("accounts/keys/", judge.keys, name="judge-keys"),
    path("lists/<int:pk>/judge/", judge.judge, name="judge"),
    path("lists/<int:pk>/judge/answer/", judge.answer, name="judge-answer"),
    path("lists/<int:pk>/judge/undo/", judge.undo, name="judge-undo"),
    path("lists/<int:pk>/judge/skip/", judge.skip, name="judge-skip"),
    path("lists/<int:pk>/judge/cards/", judge.cards, name="judge-cards"),
    path("lists/<int:pk>/judge/shell/", judge_offline.shell, name="judge-shell"),
    path("lists/judge-worker.js", judge_offline.worker, name="judge-worker"),
    path("lists/<int:pk>/judge/text/", judge.text, name="judge-text"),
    path("lists/<int:pk>/judge/queries/<int:query>/", judge.review, name="judge-review"),
    path("lists/<int:pk>/judge/done/", own_judgments.own_judgments, name="judge-done"),
    path("judgments/", own_judgments.overview, name="own-judgments"),
]
