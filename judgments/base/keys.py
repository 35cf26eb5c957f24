"""Keys of rows in addresses."""

from collections.abc import Iterable


def key_in(text: str | None) -> int | None:
    """A key of a row in an address; None for anything else."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else None


def keys_in(texts: Iterable[str]) -> list[int]:
    """Those of the texts that are keys."""
    return [key for text in texts if (key := key_in(text)) is not None]
