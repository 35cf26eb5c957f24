"""The errors of this package. The message is a sentence for the person who will read it."""


class SignificanceError(Exception):
    """These numbers cannot be compared."""
