"""Context variables that hold within a block."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Held = TypeVar("Held")


@contextmanager
def holding(variable: ContextVar[Held], value: Held) -> Iterator[None]:
    """Within the block the variable has this value, and afterwards the one before."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
