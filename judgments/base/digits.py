"""Numbers in words for people, and those that can be computed with."""

from django.core.exceptions import ValidationError

from touchstone_core.formats.cells import MODERATE, is_moderate


def written(value: float) -> str:
    """A number with every digit that it has: 3, 0.1234567890123."""
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


class ModerateValidator:
    """Refuses weights and gains of which sums can't be computed, in fields of forms."""

    message = f"Enter {MODERATE}."

    def __call__(self, number: float) -> None:
        if not is_moderate(number):
            raise ValidationError(self.message)


check_moderate = ModerateValidator()
