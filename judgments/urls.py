"""Addresses of the judging side."""

from django.contrib.auth import views as auth_views
from django.urls import path

from judgments.views import accounts, judge

urlpatterns = [
    path("accounts/sign-in/", accounts.SignIn.as_view(), name="sign-in"),
    path("accounts/sign-out/", auth_views.LogoutView.as_view(), name="sign-out"),
    path("accounts/demo/", accounts.demo_sign_in, name="demo-sign-in"),
    path("accounts/password/", accounts.ChangePassword.as_view(), name="password-change"),
    path("accounts/", accounts.account, name="account"),
    path("lists/<int:pk>/judge/", judge.judge, name="judge"),
    path("lists/<int:pk>/judge/answer/", judge.answer, name="judge-answer"),
    path("lists/<int:pk>/judge/undo/", judge.undo, name="judge-undo"),
    path("lists/<int:pk>/judge/skip/", judge.skip, name="judge-skip"),
    path("lists/<int:pk>/judge/done/", judge.done, name="judge-done"),
]
