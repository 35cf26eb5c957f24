"""Addresses of this room."""

from django.urls import path

from judgments.files.views import batches, content_exports, exports, imports, uploads, version_files

urlpatterns = [
    path("query-sets/<int:pk>/import/queries/", imports.queries, name="import-queries"),
    path("query-sets/<int:pk>/import/documents/", imports.documents, name="import-documents"),
    path("query-sets/<int:pk>/export/", content_exports.export, name="query-set-export"),
    path(
        "lists/<int:pk>/versions/<int:number>/files/<slug:format>/",
        version_files.version_file,
        name="version-file",
    ),
    path("lists/<int:pk>/export/", exports.export, name="list-export"),
    path("lists/<int:pk>/import/", imports.judgments, name="import-judgments"),
    path("lists/<int:pk>/batches/<int:batch>/", batches.batch, name="batch"),
    path("uploads/<uuid:pk>/", uploads.upload, name="upload"),
]
