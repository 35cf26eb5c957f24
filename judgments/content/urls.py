"""Addresses of this room."""

from django.urls import path

from judgments.content.views import content, content_changes, query_sets, unused

urlpatterns = [
    path("query-sets/", query_sets.query_sets, name="query-sets"),
    path("query-sets/new/", query_sets.new, name="query-set-new"),
    path("query-sets/<int:pk>/edit/", query_sets.edit, name="query-set-edit"),
    path("query-sets/<int:pk>/queries/", content.queries, name="query-set-queries"),
    path("query-sets/<int:pk>/documents/", content.documents, name="query-set-documents"),
    path("query-sets/<int:pk>/archive/", query_sets.archive, name="query-set-archive"),
    path("query-sets/<int:pk>/queries/new/", content_changes.new_row, {"kind": "query"}, name="query-new"),
    path("query-sets/<int:pk>/queries/tags/", content_changes.tag_queries, name="query-tags"),
    path("query-sets/<int:pk>/queries/delete/", unused.delete_rows, {"kind": "query"}, name="queries-delete"),
    path(
        "query-sets/<int:pk>/documents/delete/",
        unused.delete_rows,
        {"kind": "document"},
        name="documents-delete",
    ),
    path(
        "query-sets/<int:pk>/documents/new/",
        content_changes.new_row,
        {"kind": "document"},
        name="document-new",
    ),
    path("queries/<int:pk>/", content.query, name="query"),
    path("queries/<int:pk>/edit/", content_changes.edit_row, {"kind": "query"}, name="query-edit"),
    path("queries/<int:pk>/delete/", content_changes.delete_row, {"kind": "query"}, name="query-delete"),
    path("documents/<int:pk>/", content.document, name="document"),
    path("documents/<int:pk>/edit/", content_changes.edit_row, {"kind": "document"}, name="document-edit"),
    path(
        "documents/<int:pk>/delete/", content_changes.delete_row, {"kind": "document"}, name="document-delete"
    ),
]
