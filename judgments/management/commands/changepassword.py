"""Django's `changepassword`, with a line in the log."""

import getpass
from typing import Any

from django.contrib.auth.management.commands import changepassword

from judgments.people.actions.site_administration import record_new_password


class Command(changepassword.Command):
    def handle(self, *args: Any, **options: Any) -> str | None:
        message: str | None = super().handle(*args, **options)
        record_new_password(username=options["username"] or getpass.getuser())
        return message
