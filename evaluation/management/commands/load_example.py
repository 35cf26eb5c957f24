"""manage.py load_example: the example data that a new installation starts with."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from evaluation.start.actions.example import load_example
from judgments.base.sql import locks
from judgments.models import QuerySet


class Command(BaseCommand):
    help = "Loads the example data and the demo accounts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--if-empty", action="store_true", help="do nothing where there is a query set already"
        )

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        locks.lock_example()  # of two that start at once, the second finds what the first has loaded
        if options["if_empty"] and QuerySet.objects.exists():
            return
        if QuerySet.objects.filter(name__in=["Outdoor shop", "Zoolander"]).exists():
            raise CommandError("The example data is here already.", returncode=2)
        load_example(folder=settings.BASE_DIR / "examples", at=timezone.now())
        self.stdout.write("The example data is loaded: query sets “Outdoor shop” and “Zoolander”.")
