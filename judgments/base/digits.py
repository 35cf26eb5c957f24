"""Numbers in words for people, and those that can be computed with."""

from django.core.exceptions import ValidationError

from touchstone_core.formats.cells import MODERATE, is_moderate


def written(value: float) -> str:
    """A number with every digit that it has: 3, 0.1234567890123."""
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def check_moderate(number: float) -> None:
    """Refuses weights and gains of which sums can't be computed. A validator of fields of forms."""
    if not is_moderate(number):
        raise ValidationError(f"Enter {MODERATE}.")
