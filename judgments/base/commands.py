"""What management commands share."""

from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from judgments.base.errors import JudgmentsError

BAD_INPUT: Final = 2


class ActionCommand(BaseCommand):
    """A command that calls actions. If one of them refuses, the command says why, and its exit status is 2."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except JudgmentsError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from None
