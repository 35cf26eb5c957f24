"""Addresses of runs, scores and comparisons."""

from django.urls import path

from evaluation.views import (
    compared_queries,
    comparison,
    drill_down,
    formulas,
    home,
    pairs,
    query_sets,
    rater_effect,
    reconcile,
    rules,
    run,
    run_table,
    runs,
    saved_formulas,
    version_difference,
)

urlpatterns = [
    path("", home.home, name="home"),
    path("query-sets/<int:pk>/copy/", query_sets.copy, name="query-set-copy"),
    path("query-sets/<int:pk>/delete/", query_sets.delete, name="query-set-delete"),
    path("lists/<int:pk>/delete/", query_sets.delete_list, name="list-delete"),
    path("query-sets/<int:pk>/runs/", runs.run_list, name="query-set-runs"),
    path("query-sets/<int:pk>/runs/upload/", runs.run_upload, name="run-upload"),
    path("runs/<int:pk>/delete/", runs.run_delete, name="run-delete"),
    path("lists/<int:pk>/pairs/", pairs.list_pairs, name="list-pairs"),
    path("lists/<int:pk>/rule/", rules.list_rule, name="list-rule"),
    path("lists/<int:pk>/agreement/runs/", rater_effect.rater_effect, name="rater-effect"),
    path("lists/<int:pk>/runs/", run_table.run_table, name="run-table"),
    path("lists/<int:pk>/compare/", comparison.comparison, name="comparison"),
    path("lists/<int:pk>/compare/queries/", compared_queries.compared_queries, name="compared-queries"),
    path(
        "lists/<int:pk>/compare/queries/<int:query_pk>/",
        compared_queries.compared_query,
        name="compared-query",
    ),
    path(
        "lists/<int:pk>/versions/<int:number>/difference/",
        version_difference.version_difference,
        name="version-difference",
    ),
    path("lists/<int:list_pk>/runs/<int:pk>/", run.run, name="run"),
    path("lists/<int:list_pk>/runs/<int:pk>/reconcile/", reconcile.reconcile, name="reconcile"),
    path("lists/<int:list_pk>/runs/<int:pk>/queries/<int:query_pk>/", drill_down.run_query, name="run-query"),
    path("query-sets/<int:pk>/formulas/", saved_formulas.saved_formulas, name="saved-formulas"),
    path("saved-formulas/<int:pk>/rename/", saved_formulas.rename, name="saved-formula-rename"),
    path("saved-formulas/<int:pk>/default/", saved_formulas.default, name="saved-formula-default"),
    path("saved-formulas/<int:pk>/delete/", saved_formulas.delete, name="saved-formula-delete"),
    path("formulas/", formulas.formulas, name="formulas"),
]
