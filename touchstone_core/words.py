"""Numbers with their nouns, and texts as they are stored."""


def counted(count: int, one: str, many: str = "") -> str:
    """“1 query”, “1,204 queries”; `many` is `one` with an s where it is not given."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def tidied(text: str) -> str:
    """Line ends as `\\n`, nothing but text at either end: browsers send `\\r\\n`, files end with a line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()
