"""manage.py compare: files in, a comparison out."""

from evaluation.management.core_command import CoreCommand
from touchstone_core.offline import compare_command


class Command(CoreCommand):
    help = compare_command.HELP
    command = compare_command
