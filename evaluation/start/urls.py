"""Addresses of this room."""

from django.urls import path

from evaluation.start.views import drafts, home, jobs, query_sets

urlpatterns = [
    path("", home.home, name="home"),
    path("go/", home.go_to, name="go-to"),
    path("new/", drafts.new_evaluation, name="new-evaluation"),
    path("new/<uuid:pk>/", drafts.draft, name="draft"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<uuid:pk>/", jobs.job, name="job"),
    path("query-sets/<int:pk>/jobs/", jobs.query_set_jobs, name="query-set-jobs"),
    path("query-sets/<int:pk>/", query_sets.overview, name="query-set"),
    path("query-sets/<int:pk>/copy/", query_sets.copy, name="query-set-copy"),
    path("query-sets/<int:pk>/delete/", query_sets.delete, name="query-set-delete"),
    path("lists/<int:pk>/delete/", query_sets.delete_list, name="list-delete"),
]
