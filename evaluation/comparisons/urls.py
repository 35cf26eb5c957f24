"""Addresses of this room."""

from django.urls import path

from evaluation.comparisons.views import (
    compared_queries,
    comparison,
    comparison_report,
    held_out,
    intents,
    machine_help,
    saved_comparisons,
)

urlpatterns = [
    path("query-sets/<int:pk>/intents/", intents.intents, name="intents"),
    path("intents/<int:pk>/", intents.intent, name="intent"),
    path("intents/<int:pk>/delete/", intents.delete, name="intent-delete"),
    path("lists/<int:pk>/compare/", comparison.comparison, name="comparison"),
    path("lists/<int:pk>/compare/save/", saved_comparisons.save, name="comparison-save"),
    path("lists/<int:pk>/compare/report/", comparison_report.report, name="comparison-report"),
    path("lists/<int:pk>/compare/machines/", machine_help.page, name="comparison-machines"),
    path("lists/<int:pk>/compare/settings/", held_out.settings, name="comparison-settings"),
    path("lists/<int:pk>/compare/open/", held_out.open_queries, name="comparison-open"),
    path("query-sets/<int:pk>/comparisons/", saved_comparisons.comparisons, name="comparisons"),
    path("comparisons/<int:pk>/", saved_comparisons.comparison, name="saved-comparison"),
    path("comparisons/<int:pk>/edit/", saved_comparisons.edit, name="saved-comparison-edit"),
    path("comparisons/<int:pk>/renew/", saved_comparisons.renew, name="saved-comparison-renew"),
    path("comparisons/<int:pk>/delete/", saved_comparisons.delete, name="saved-comparison-delete"),
    path("lists/<int:pk>/compare/queries/", compared_queries.compared_queries, name="compared-queries"),
    path(
        "lists/<int:pk>/compare/queries/<int:query_pk>/",
        compared_queries.compared_query,
        name="compared-query",
    ),
]
