"""What management commands share."""

from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from judgments.base.errors import JudgmentsError
from touchstone_core.formats.preamble import LOWEST_LINE

BAD_INPUT: Final = 2


def add_header_line(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--header-line",
        type=int,
        default=0,
        choices=range(LOWEST_LINE + 1),
        metavar="LINE",
        help="the line that names the columns of a table; default: found by the content",
    )


class ActionCommand(BaseCommand):
    """A command that calls actions. If one of them refuses, the command says why, and its exit status is 2."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except JudgmentsError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from None
