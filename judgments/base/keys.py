"""Keys of rows in addresses."""


def key_in(text: str | None) -> int | None:
    """A key of a row in an address; None for anything else."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else None
