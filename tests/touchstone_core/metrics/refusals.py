"""How a refusal is tested: by the whole sentence, since a person reads it."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from touchstone_core.metrics.errors import MetricsError


@contextmanager
def refused(sentence: str, error: type[MetricsError] = MetricsError) -> Iterator[None]:
    """Demands that the block raises this error with exactly this sentence."""
    with pytest.raises(error) as raised:
        yield
    assert str(raised.value) == sentence
