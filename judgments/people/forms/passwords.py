"""The form that changes one's own password."""

from typing import Any

from django.contrib.auth.forms import PasswordChangeForm
from django.forms import Field
from django.utils.timezone import now

from judgments.people.actions.password_tries import Source, count_try, forgive_try


def name_second_password(field: Field, label: str) -> None:
    """Gives the field that repeats a password a label that says all. Django adds help that says it twice."""
    field.label, field.help_text = label, ""


class OwnPasswordForm(PasswordChangeForm):
    """Django's form with a throttle, because somebody at an open screen could guess the old password here."""

    def __init__(self, *args: Any, source: Source, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.source = source
        self.fields["old_password"].label = "Current password"
        name_second_password(self.fields["new_password2"], "New password again")

    def clean_old_password(self) -> str:
        """Raises TooManyTriesError before the password is hashed."""
        count_try(source=self.source, at=now())
        old_password: str = super().clean_old_password()
        forgive_try(source=self.source)
        return old_password
