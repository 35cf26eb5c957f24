"""`manage.py` with our exit status for a command that doesn't exist: 1 is an answer, such as a gate not passed."""

import sys

from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand

from judgments.base.commands import BAD_INPUT


class Commands(ManagementUtility):
    def fetch_command(self, subcommand: str) -> BaseCommand:
        try:
            return super().fetch_command(subcommand)
        except SystemExit:
            sys.exit(BAD_INPUT)
