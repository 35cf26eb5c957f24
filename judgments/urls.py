"""Addresses of the judging side."""

from django.contrib.auth import views as auth_views
from django.urls import path

from judgments.views import accounts, content, imports, judge, lists, query_sets, scales, uploads

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
    path("query-sets/", query_sets.query_sets, name="query-sets"),
    path("query-sets/new/", query_sets.new, name="query-set-new"),
    path("query-sets/<int:pk>/", query_sets.overview, name="query-set"),
    path("query-sets/<int:pk>/edit/", query_sets.edit, name="query-set-edit"),
    path("query-sets/<int:pk>/queries/", content.queries, name="query-set-queries"),
    path("query-sets/<int:pk>/documents/", content.documents, name="query-set-documents"),
    path("query-sets/<int:pk>/lists/", lists.lists, name="query-set-lists"),
    path("query-sets/<int:pk>/lists/new/", lists.new, name="list-new"),
    path("query-sets/<int:pk>/members/", query_sets.members, name="query-set-members"),
    path("query-sets/<int:pk>/import/queries/", imports.queries, name="import-queries"),
    path("query-sets/<int:pk>/import/documents/", imports.documents, name="import-documents"),
    path("queries/<int:pk>/", content.query, name="query"),
    path("documents/<int:pk>/", content.document, name="document"),
    path("scales/", scales.scales, name="scales"),
    path("scales/new/", scales.new, name="scale-new"),
    path("scales/<int:pk>/", scales.scale, name="scale"),
    path("scales/<int:pk>/edit/", scales.edit, name="scale-edit"),
    path("lists/<int:pk>/", lists.overview, name="list"),
    path("lists/<int:pk>/edit/", lists.edit, name="list-edit"),
    path("lists/<int:pk>/pause/", lists.pause, name="list-pause"),
    path("lists/<int:pk>/import/", imports.judgments, name="import-judgments"),
    path("uploads/<uuid:pk>/", uploads.upload, name="upload"),
]
