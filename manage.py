#!/usr/bin/env python
"""Runs a management command, on the embedded PostgreSQL where no DATABASE_URL is set."""

import os
import signal
import sys
from contextlib import AbstractContextManager, nullcontext

WITHOUT_DATABASE = {
    "check",
    "check_migrations",
    "collectstatic",
    "compare",
    "create_max_migration_files",
    "diffsettings",
    "findstatic",
    "help",
    "measures",
    "score",
    "startapp",
    "version",
}
# Their business is the tables themselves, or a look at whatever is there.
ANY_TABLES = {
    "backup",
    "dbshell",
    "flush",
    "inspectdb",
    "makemigrations",
    "migrate",
    "optimizemigration",
    "restore",
    "shell",
    "showmigrations",
    "sqlflush",
    "sqlmigrate",
    "sqlsequencereset",
    "squashmigrations",
}
WITH_UPLOADS = {"check", "work"}
ASKS_FOR_HELP = {"-h", "--help", "--version"}


def needs_database(arguments: list[str]) -> bool:
    return bool(arguments) and arguments[0] not in WITHOUT_DATABASE and not ASKS_FOR_HELP & set(arguments)


def needs_tables(arguments: list[str]) -> bool:
    return needs_database(arguments) and arguments[0] not in ANY_TABLES


def database(arguments: list[str]) -> AbstractContextManager[object]:
    from django.conf import settings

    from config import postgres

    if settings.EMBEDDED_DATABASE and needs_database(arguments):
        return postgres.shared(settings.VAR_DIR)
    return nullcontext()


def main() -> None:
    if sys.argv[1:2] == ["score"]:  # needs no Django, whose start takes longer
        from config import score_start

        sys.exit(score_start.main(sys.argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.db import OperationalError

    from config import tables, upload_places
    from config.commands import Commands
    from config.postgres_data import PostgresError
    from touchstone_core.offline.pipe import OutputError, readers_may_leave

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exit that stops the server on its way out
    try:
        if sys.argv[1:] and sys.argv[1] in WITH_UPLOADS:
            upload_places.check_folder(settings.STORAGES["default"])
        with readers_may_leave(), database(sys.argv[1:]):
            if needs_tables(sys.argv[1:]):
                tables.bring_up_to_date(can_wait=sys.argv[1] == "work")
            Commands(sys.argv).execute()
    except OperationalError as error:
        answer = getattr(error.__cause__, "sqlstate", None) and str(error).strip()
        print(answer or tables.unreachable(error), file=sys.stderr)  # noqa: T201
        sys.exit(2)
    except (PostgresError, ImproperlyConfigured, tables.TablesError, OutputError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - commands say 1 for an answer of theirs, such as a gate not passed
        sys.exit(2)


if __name__ == "__main__":
    from touchstone_core.process import stopped_quietly

    with stopped_quietly():
        main()
