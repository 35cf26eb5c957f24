"""Unique names: a name that a form has checked may be taken a moment later, for instance by a double click."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction

from judgments.base.errors import JudgmentsError


class NameTakenError(JudgmentsError):
    """The name is taken."""

    def __init__(self, name: str, kind: str = "name") -> None:
        super().__init__(f"“{name}” is taken already. Choose another {kind}.")


@contextmanager
def given_once(name: str, *, constraint: str, kind: str = "name") -> Iterator[None]:
    """Raises NameTakenError if the block violates `constraint`."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if constraint in str(error):
            raise NameTakenError(name, kind) from error
        raise
