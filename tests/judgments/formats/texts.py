"""Short ways to hand a text to a reader."""

from judgments.formats.text import Text, decode


def text_of(content: str, name: str = "file") -> Text:
    return decode(content.encode(), name=name, limit=100_000_000)
