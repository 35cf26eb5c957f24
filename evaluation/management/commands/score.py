"""manage.py score: files in, scores out. manage.py itself takes a shorter way to the same."""

from evaluation.management.core_command import CoreCommand
from touchstone_core.offline import score_command


class Command(CoreCommand):
    help = score_command.HELP
    command = score_command
