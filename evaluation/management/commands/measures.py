"""manage.py measures: every measure with its formula, edge cases and source."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from touchstone_core.metrics.reference import markdown, plain


class Command(BaseCommand):
    help = "Prints every measure, parameter and formula of others, with an explanation."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--markdown", action="store_true", help="as the page docs/measures.md, which is made of it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(markdown() if options["markdown"] else plain(), ending="")
