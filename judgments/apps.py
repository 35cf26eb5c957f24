from django.apps import AppConfig
from django.core.checks import register
from django.db.models.signals import post_migrate


class JudgmentsConfig(AppConfig):
    name = "judgments"
    verbose_name = "Judgments"

    def ready(self) -> None:
        from judgments.checks import check_roles, check_secret_key
        from judgments.lists.actions.scales import write_presets
        from judgments.pages.field_errors import use_own_sentences

        use_own_sentences()
        # These have receivers, which are connected when a module is imported. Their forms take the sentences that there are by then.
        from judgments.people.views import passwords, second_factor, security_log, sessions  # noqa: F401

        register(check_roles, "security", deploy=True)
        register(check_secret_key, "security", deploy=True)
        post_migrate.connect(write_presets, sender=self, dispatch_uid="judgments.lists.presets")
