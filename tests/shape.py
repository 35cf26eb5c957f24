"""The fields of stored figures: another shape needs another `_LAYOUT`, or pages go on showing figures that lack them."""

import hashlib
from collections.abc import Iterator
from typing import Any

GROW = "figures that are stored have other fields: increase _LAYOUT, and write here what this test finds"


def shape_of(figures: Any) -> str:
    """A digest of the names of all fields at every depth, whatever their values."""
    return hashlib.sha256("\n".join(sorted(set(_paths(figures)))).encode()).hexdigest()[:8]


def _paths(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _paths(inner, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _paths(inner, f"{path}[]")
    else:
        yield path
