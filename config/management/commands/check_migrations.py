"""manage.py check_migrations, a part of `make check`."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from config.migration_safety import REASON, all_problems


class Command(BaseCommand):
    help = (
        "Finds migrations that the version before couldn't go on serving on. Exit status 1 if there are any."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        problems = all_problems()
        for problem in problems:
            self.stdout.write(problem)
        if problems:
            self.stdout.write(
                f"If the version before can go on serving on one of them, its Migration says why: {REASON} = “…”."
            )
            sys.exit(1)
