"""The errors of this package. Messages are sentences for users."""


class SignificanceError(Exception):
    """These numbers cannot be compared."""
