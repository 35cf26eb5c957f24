"""Numbers in words for people."""


def written(value: float) -> str:
    """A number with every digit that it has: 3, 0.1234567890123."""
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
