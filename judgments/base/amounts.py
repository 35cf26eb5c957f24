"""Weights and gains that sums can be computed of, in forms."""

from django.core.exceptions import ValidationError

from touchstone_core.formats.cells import MODERATE, is_moderate


class ModerateValidator:
    """Refuses numbers whose sums and squares can't be computed."""

    message = f"Enter {MODERATE}."

    def __call__(self, number: float) -> None:
        if not is_moderate(number):
            raise ValidationError(self.message)


check_moderate = ModerateValidator()
