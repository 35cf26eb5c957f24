"""Whether the database has the tables that this version of Touchstone works on."""

import django
from django.conf import settings


class TablesError(Exception):
    """The database cannot be worked on; the message says in a sentence or two what to do."""


def bring_up_to_date(*, can_wait: bool = False) -> None:
    """Migrates the embedded database where that is due, as `make run` does; raises TablesError for another one.

    A database of one's own may belong to a role that this process isn't, so nothing changes its tables unasked. A command
    that `can_wait` for a database that cannot be reached looks after that itself.
    """
    django.setup()
    from django.core.management import call_command
    from django.db import OperationalError, ProgrammingError

    try:
        due = migrations_due()
    except OperationalError as error:
        if can_wait:
            return
        raise TablesError(unreachable(error)) from error
    except ProgrammingError:  # a first `migrate` broke off before the application's role got its rights
        due = True
    if not due:
        return
    if not settings.EMBEDDED_DATABASE:
        raise TablesError(
            "The tables of this database are not those of this version of Touchstone. "
            "Run `manage.py migrate` first, then this command again."
        )
    call_command("migrate", interactive=False, verbosity=0)


def migrations_due() -> bool:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def unreachable(error: Exception) -> str:
    """What the driver of the database said first, as a sentence."""
    said = str(error).strip().splitlines()[0].rstrip(".")
    return f"The database cannot be reached: {said}."
