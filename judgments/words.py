"""Numbers with their nouns."""


def counted(count: int, one: str, many: str = "") -> str:
    """“1 query”, “1,204 queries”; `many` is `one` with an s where it is not given."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
