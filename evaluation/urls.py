"""Addresses of runs, scores and comparisons."""

from django.urls import path

from evaluation.comparisons.views import (
    compared_queries,
    comparison,
    comparison_report,
    held_out,
    intents,
    saved_comparisons,
)
from evaluation.effects.views import rater_effect, rules, version_difference
from evaluation.explain import views as drill_down
from evaluation.formulas import views as saved_formulas
from evaluation.guide.views import formulas, reconcile
from evaluation.impact import views as impact
from evaluation.pools import views as pairs
from evaluation.runs import views as runs
from evaluation.scores.views import run, run_table
from evaluation.start.views import home, query_sets

urlpatterns = [
    path("", home.home, name="home"),
    path("query-sets/<int:pk>/copy/", query_sets.copy, name="query-set-copy"),
    path("query-sets/<int:pk>/delete/", query_sets.delete, name="query-set-delete"),
    path("lists/<int:pk>/delete/", query_sets.delete_list, name="list-delete"),
    path("query-sets/<int:pk>/runs/", runs.run_list, name="query-set-runs"),
    path("query-sets/<int:pk>/impact/", impact.impact, name="impact"),
    path("query-sets/<int:pk>/intents/", intents.intents, name="intents"),
    path("intents/<int:pk>/", intents.intent, name="intent"),
    path("intents/<int:pk>/delete/", intents.delete, name="intent-delete"),
    path("query-sets/<int:pk>/runs/upload/", runs.run_upload, name="run-upload"),
    path("runs/<int:pk>/delete/", runs.run_delete, name="run-delete"),
    path("lists/<int:pk>/pairs/", pairs.list_pairs, name="list-pairs"),
    path("lists/<int:pk>/rule/", rules.list_rule, name="list-rule"),
    path("lists/<int:pk>/agreement/runs/", rater_effect.rater_effect, name="rater-effect"),
    path("lists/<int:pk>/runs/", run_table.run_table, name="run-table"),
    path("lists/<int:pk>/compare/", comparison.comparison, name="comparison"),
    path("lists/<int:pk>/compare/save/", saved_comparisons.save, name="comparison-save"),
    path("lists/<int:pk>/compare/report/", comparison_report.report, name="comparison-report"),
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
