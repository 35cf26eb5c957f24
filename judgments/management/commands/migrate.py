"""Django's `migrate` as the role that owns the tables; then the application's role is given what it needs."""

from typing import Any

from django.core.management.commands import migrate

from judgments.base.sql import locks, roles


class Command(migrate.Command):
    """Of several that start at once on one database, each waits for the one before, and then finds its work done."""

    def handle(self, *args: Any, **options: Any) -> None:
        application = roles.current_role()
        with roles.as_owner(), locks.migrating():
            super().handle(*args, **options)
            if roles.current_role() != application and not (options["plan"] or options["check_unapplied"]):
                roles.grant(application)
