"""manage.py measures: every measure with its formula, edge cases and source."""

from evaluation.management.core_command import CoreCommand
from touchstone_core.offline import measures_command


class Command(CoreCommand):
    help = measures_command.HELP
    command = measures_command
