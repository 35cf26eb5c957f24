"""What a single cell may hold: ids, texts, numbers, tags. Shared by every reader."""

import json
import math
import re

LONGEST_ID = 512
LONGEST_BODY = 1_000_000  # characters; raters read it in parts
LONGEST_TITLE = 10_000
LONGEST_QUERY = 10_000
LONGEST_NEED = 100_000
LONGEST_ADDRESS = 100_000
MOST_FIELDS = 1_000
# Control characters, line and paragraph separators, and lone surrogates (JSON can escape them, UTF-8 cannot hold them).
NOT_IN_IDS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
NOT_IN_TEXTS = re.compile(r"[\x00\ud800-\udfff]")

DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?", re.ASCII)
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
A_NUMBER = "a number with a decimal point"


def id_fault(value: str) -> str | None:
    """What an id should have been, or None for a good one.

    Rankings are stored as ids joined by line ends, which is why no id may hold one.
    """
    if value.isprintable() and 0 < len(value) <= LONGEST_ID:
        return None
    if not value:
        return "an id"
    if len(value) > LONGEST_ID:
        return f"an id of at most {LONGEST_ID} characters"
    return "an id without line breaks or control characters" if NOT_IN_IDS.search(value) else None


def text_fault(value: str) -> str | None:
    """What a text should have been, or None for one that PostgreSQL can store."""
    if value.isprintable():
        return None
    return "text without NUL or broken characters" if NOT_IN_TEXTS.search(value) else None


def length_fault(value: str, longest: int) -> str | None:
    """What a text should have been, or None for one that is short enough."""
    if len(value) <= longest:
        return None
    return f"at most {longest:,} characters (it has {len(value):,})"


def resembles_number(value: str) -> bool:
    """Whether somebody meant a number, though `number` may not read it: nan, for example."""
    try:
        float(value)
    except ValueError:
        return False
    return True


def number(value: str) -> float | None:
    """The number exactly as float64 reads it; None for anything else, also for nan, infinity and `1_000`."""
    if "_" in value or not value.isascii():
        return None
    try:
        result = float(value)
    except ValueError:
        return None
    return result if math.isfinite(result) else None


def with_point(value: str, *, sure: bool) -> str:
    """A number with a decimal comma as one with a point; anything else as it is.

    “1,234” may be 1234, so that it stays as it is unless the file is `sure` to have decimal commas.
    """
    if "," not in value or not DECIMAL_COMMA.fullmatch(value) or (THOUSANDS.fullmatch(value) and not sure):
        return value
    return value.replace(",", ".")


def tags(value: str) -> tuple[str, ...] | None:
    """Tags from `a; b`, `a, b` or a JSON list of strings, each once, in order; None for a list of something else."""
    parts: list[object] = list(re.split("[;,]", value))
    if value.lstrip().startswith("["):
        try:
            parts = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not all(isinstance(part, str) for part in parts):
        return None
    return tuple(dict.fromkeys(tag for part in parts if (tag := str(part).strip())))
