"""Django's site administration, as our own site."""

from django.contrib.admin.apps import AdminConfig


class SiteAdministrationConfig(AdminConfig):
    default_site = "config.site_admin.SiteAdministration"
