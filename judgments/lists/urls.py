"""Addresses of this room."""

from django.urls import path

from judgments.lists.views import lists, removing, scales, versions

urlpatterns = [
    path("query-sets/<int:pk>/lists/", lists.lists, name="query-set-lists"),
    path("query-sets/<int:pk>/lists/new/", lists.new, name="list-new"),
    path("scales/", scales.scales, name="scales"),
    path("scales/new/", scales.new, name="scale-new"),
    path("scales/<int:pk>/", scales.scale_page, name="scale"),
    path("scales/<int:pk>/edit/", scales.edit, name="scale-edit"),
    path("lists/<int:pk>/edit/", lists.edit, name="list-edit"),
    path("lists/<int:pk>/pause/", lists.pause, name="list-pause"),
    path("lists/<int:pk>/pairs/remove/", removing.remove_from_list, name="list-pairs-remove"),
    path("lists/<int:pk>/versions/", versions.versions, name="list-versions"),
    path("lists/<int:pk>/versions/<int:number>/", versions.version_page, name="list-version"),
]
