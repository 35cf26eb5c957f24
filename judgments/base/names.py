"""Names that are given once: what a form has looked up may be taken a moment later, by a double click."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction

from judgments.base.errors import JudgmentsError


class NameTakenError(JudgmentsError):
    """Something else has this name already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"“{name}” is taken already. Choose another name.")


@contextmanager
def given_once(name: str, *, constraint: str) -> Iterator[None]:
    """Runs a write that `constraint` refuses where the name is taken, and says so by NameTakenError."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if constraint in str(error):
            raise NameTakenError(name) from error
        raise
