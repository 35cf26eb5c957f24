"""Unique names: a name that a form has checked may be taken a moment later, for instance by a double click."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from django.db import IntegrityError, transaction

from judgments.base.errors import JudgmentsError

MOST_NAMED: Final = 10


def names_there_are(names: Iterable[object], *, start: str = "It has") -> str:
    """Returns “It has: First pass, Audit.” for an error about a name that doesn't exist."""
    texts = [str(name) for name in names]
    if not texts:
        return "It has none yet." if start == "It has" else "There is none yet."
    more = len(texts) - MOST_NAMED
    return f"{start}: {', '.join(texts[:MOST_NAMED])}{f' and {more:,} more' if more > 0 else ''}."


class NameTakenError(JudgmentsError):
    """The name is taken."""

    def __init__(self, name: str) -> None:
        super().__init__(f"“{name}” is taken already. Choose another name.")


@contextmanager
def given_once(name: str, *, constraint: str) -> Iterator[None]:
    """Raises NameTakenError if the block violates `constraint`."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if constraint in str(error):
            raise NameTakenError(name) from error
        raise
