"""manage.py score: files in, scores out. manage.py itself takes a shorter way to the same."""

from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from touchstone_core.offline import score_command
from touchstone_core.offline.command_line import BAD_INPUT, InputError


class Command(BaseCommand):
    help = score_command.HELP
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        score_command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            score_command.run(Namespace(**options), self.stdout, self.stderr)  # type: ignore[arg-type]
        except InputError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
