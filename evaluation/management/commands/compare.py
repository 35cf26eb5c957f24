"""manage.py compare: files in, a comparison out."""

from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from touchstone_core.offline import compare_command
from touchstone_core.offline.command_line import BAD_INPUT, InputError


class Command(BaseCommand):
    help = compare_command.HELP
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        compare_command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            compare_command.run(Namespace(**options), self.stdout, self.stderr)  # type: ignore[arg-type]
        except InputError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
