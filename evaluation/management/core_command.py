"""Commands of the core as those of manage.py: they need no database."""

from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from touchstone_core.offline.command_line import BAD_INPUT, Command, InputError


class CoreCommand(BaseCommand):
    requires_system_checks = ()
    command: Command

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.command.run(Namespace(**options), self.stdout, self.stderr)  # type: ignore[arg-type]
        except InputError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
