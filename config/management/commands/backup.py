"""manage.py backup FILE."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import filesizeformat

from config.backup import BackupError, make_backup
from judgments.base.sql.roles import as_owner


class Command(BaseCommand):
    help = (
        "Writes the whole database to FILE, which `restore` reads. The site may run meanwhile: the file has one moment of it. "
        "Sessions are left out. So are the secret key, and files that wait for a decision in a folder or bucket of TOUCHSTONE_UPLOADS."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="a file that doesn't exist yet")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        try:
            with as_owner():
                size = make_backup(file)
        except BackupError as error:
            raise CommandError(str(error), returncode=2) from error
        self.stdout.write(f"{file}: {filesizeformat(size)}")
