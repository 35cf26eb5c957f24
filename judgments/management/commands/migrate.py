"""Django's `migrate` as the role that owns the tables; then the application's role is given what it needs."""

from typing import Any

from django.core.management.commands import migrate

from judgments.ingest import roles


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        application = roles.current_role()
        with roles.as_owner():
            super().handle(*args, **options)
            if roles.current_role() != application and not (options["plan"] or options["check_unapplied"]):
                roles.grant(application)
