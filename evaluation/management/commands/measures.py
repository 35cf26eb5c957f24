"""manage.py measures: every measure with its formula, edge cases and source."""

from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand

from touchstone_core.offline import measures_command


class Command(BaseCommand):
    help = measures_command.HELP
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        measures_command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        measures_command.run(Namespace(**options), self.stdout, self.stderr)  # type: ignore[arg-type]
