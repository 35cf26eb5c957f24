"""The form that changes one's own password."""

from typing import Any

from django.contrib.auth.forms import PasswordChangeForm
from django.utils.timezone import now

from judgments.people.actions.password_tries import Source, count_try, forgive_try


class OwnPasswordForm(PasswordChangeForm):
    """Django's form with a throttle, because somebody at an open screen could guess the old password here."""

    def __init__(self, *args: Any, source: Source, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.source = source

    def clean_old_password(self) -> str:
        """Raises TooManyTriesError before the password is hashed."""
        count_try(source=self.source, at=now())
        old_password: str = super().clean_old_password()
        forgive_try(source=self.source)
        return old_password
