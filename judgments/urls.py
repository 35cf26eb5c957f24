"""Addresses of the judging side."""

from django.urls import path

from judgments.agreement.views import agreement, disagreement, disagreements, exclusions
from judgments.content.views import content, content_changes, query_sets
from judgments.files.views import content_exports, exports, imports, uploads, version_files
from judgments.judging.views import judge, judge_offline, own
from judgments.lists.views import lists, scales, versions
from judgments.log.views import log
from judgments.overview import views as overview
from judgments.people.views import accounts, joining, members
from judgments.raters.views import gold, raters

urlpatterns = [
    path("accounts/sign-in/", accounts.SignIn.as_view(), name="sign-in"),
    path("accounts/sign-out/", accounts.SignOut.as_view(), name="sign-out"),
    path("accounts/demo/", accounts.demo_sign_in, name="demo-sign-in"),
    path("accounts/password/", accounts.ChangePassword.as_view(), name="password-change"),
    path("accounts/", accounts.account, name="account"),
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
    path("lists/<int:pk>/judge/done/", own.own_judgments, name="judge-done"),
    path("judgments/", own.overview, name="own-judgments"),
    path("query-sets/", query_sets.query_sets, name="query-sets"),
    path("query-sets/new/", query_sets.new, name="query-set-new"),
    path("query-sets/<int:pk>/", overview.query_set_overview, name="query-set"),
    path("query-sets/<int:pk>/edit/", query_sets.edit, name="query-set-edit"),
    path("query-sets/<int:pk>/queries/", content.queries, name="query-set-queries"),
    path("query-sets/<int:pk>/documents/", content.documents, name="query-set-documents"),
    path("query-sets/<int:pk>/lists/", lists.lists, name="query-set-lists"),
    path("query-sets/<int:pk>/lists/new/", lists.new, name="list-new"),
    path("query-sets/<int:pk>/archive/", query_sets.archive, name="query-set-archive"),
    path("query-sets/<int:pk>/members/", members.members, name="query-set-members"),
    path("query-sets/<int:pk>/invitations/", members.invite, name="query-set-invite"),
    path("invitations/<int:pk>/revoke/", members.revoke, name="invitation-revoke"),
    path("join/<str:token>/", joining.join, name="join"),
    path("query-sets/<int:pk>/import/queries/", imports.queries, name="import-queries"),
    path("query-sets/<int:pk>/import/documents/", imports.documents, name="import-documents"),
    path("query-sets/<int:pk>/export/", content_exports.export, name="query-set-export"),
    path("query-sets/<int:pk>/queries/new/", content_changes.new_query, name="query-new"),
    path("query-sets/<int:pk>/queries/tags/", content_changes.tag_queries, name="query-tags"),
    path("query-sets/<int:pk>/documents/new/", content_changes.new_document, name="document-new"),
    path("queries/<int:pk>/", content.query, name="query"),
    path("queries/<int:pk>/edit/", content_changes.edit_query, name="query-edit"),
    path("queries/<int:pk>/delete/", content_changes.delete_query, name="query-delete"),
    path("documents/<int:pk>/", content.document, name="document"),
    path("documents/<int:pk>/edit/", content_changes.edit_document, name="document-edit"),
    path("documents/<int:pk>/delete/", content_changes.delete_document, name="document-delete"),
    path("scales/", scales.scales, name="scales"),
    path("scales/new/", scales.new, name="scale-new"),
    path("scales/<int:pk>/", scales.scale, name="scale"),
    path("scales/<int:pk>/edit/", scales.edit, name="scale-edit"),
    path("lists/<int:pk>/", overview.list_overview, name="list"),
    path("lists/<int:pk>/edit/", lists.edit, name="list-edit"),
    path("lists/<int:pk>/pause/", lists.pause, name="list-pause"),
    path("lists/<int:pk>/raters/", raters.raters, name="list-raters"),
    path("lists/<int:pk>/gold/", gold.gold, name="list-gold"),
    path("lists/<int:pk>/gold/import/", gold.import_file, name="list-gold-import"),
    path("lists/<int:pk>/agreement/", agreement.agreement, name="list-agreement"),
    path("lists/<int:pk>/disagreements/", disagreements.disagreements, name="list-disagreements"),
    path("lists/<int:pk>/disagreements/decisions/", disagreements.decisions_file, name="decisions-file"),
    path("lists/<int:pk>/disagreements/<int:pair>/", disagreement.disagreement, name="disagreement"),
    path("lists/<int:pk>/raters/<int:rater>/exclusion/", exclusions.exclusion, name="rater-exclusion"),
    path("lists/<int:pk>/versions/", versions.versions, name="list-versions"),
    path("lists/<int:pk>/versions/<int:number>/", versions.version, name="list-version"),
    path(
        "lists/<int:pk>/versions/<int:number>/files/<slug:format>/",
        version_files.version_file,
        name="version-file",
    ),
    path("lists/<int:pk>/export/", exports.export, name="list-export"),
    path("lists/<int:pk>/import/", imports.judgments, name="import-judgments"),
    path("log/", log.site_log, name="site-log"),
    path("lists/<int:pk>/log/", log.list_log, name="list-log"),
    path("query-sets/<int:pk>/log/", log.query_set_log, name="query-set-log"),
    path("uploads/<uuid:pk>/", uploads.upload, name="upload"),
    path("uploads/<uuid:pk>/progress/", uploads.progress, name="upload-progress"),
]
