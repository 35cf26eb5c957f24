"""The commands of the site itself, and Django's site administration as our own site."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class OperationsConfig(AppConfig):
    """Has no tables, only commands."""

    name = "config"


class SiteAdministrationConfig(AdminConfig):
    default_site = "config.site_admin.SiteAdministration"
