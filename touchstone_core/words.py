"""Numbers with their nouns, and clean texts."""


def counted(count: int, one: str, many: str = "") -> str:
    """Returns “1 query” or “1,204 queries”. By default, `many` is `one` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def tidied(text: str) -> str:
    """Strips a text and makes line ends `\\n`, because browsers send `\\r\\n` and files end with a line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()
