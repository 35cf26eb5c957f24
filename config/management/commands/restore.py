"""manage.py restore FILE."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.backup import BackupError, restore_backup
from judgments.base.sql.roles import as_owner
from judgments.log.actions import record_act
from judgments.models import Verb


class Command(BaseCommand):
    help = (
        "Restores what `backup` wrote to FILE, all or nothing. Stop the site first. A backup of an older version is brought up "
        "to date. Everybody has to sign in again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--replace", action="store_true", help="delete the data that are there now")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        try:
            with as_owner():
                restore_backup(file, replace=options["replace"])
        except BackupError as error:
            raise CommandError(str(error), returncode=2) from error
        call_command("migrate", interactive=False, verbosity=0)
        record_act(Verb.IMPORTED, f"the backup {file.name}")
        self.stdout.write(
            f"Restored {file}. `manage.py check_versions` checks that frozen versions are what the log says."
        )
