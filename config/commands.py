"""Django's commands, which end with 2 for bad input: 1 is an answer of ours, such as a gate not passed."""

import sys

from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand, CommandError

from judgments.base.commands import BAD_INPUT


class Commands(ManagementUtility):
    """As Django's own, with our exit status for a command that doesn't exist, and for errors that name no status."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        CommandError.__init__.__kwdefaults__ = {"returncode": BAD_INPUT}
        try:
            return super().fetch_command(subcommand)
        except SystemExit:
            sys.exit(BAD_INPUT)
