"""Checks and conversions of single cells, shared by every reader: IDs, texts, numbers and tags."""

import json
import math
import re

from touchstone_core.words import is_visible

LONGEST_ID = 512
LONGEST_BODY = 1_000_000  # characters; raters read it in parts
LONGEST_TITLE = 10_000
LONGEST_QUERY = 10_000
LONGEST_NEED = 100_000
LONGEST_ADDRESS = 100_000
MOST_FIELDS = 1_000
LONGEST_TAG = 60
MOST_TAGS = 100  # of a query: pages show figures for each tag
# Control characters, line and paragraph separators, and lone surrogates (JSON can escape them, UTF-8 cannot hold them).
NOT_IN_IDS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
NOT_IN_TEXTS = re.compile(r"[\x00\ud800-\udfff]")

DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?", re.ASCII)
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
POINT_OR_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+", re.ASCII)
A_NUMBER = "a number with a decimal point"
LEAST_SIZE, GREATEST_SIZE = 1e-9, 1e12
MODERATE = f"0, or a number from {LEAST_SIZE:.9f} to {GREATEST_SIZE:,.0f}"


def id_fault(value: str) -> str | None:
    """What the reader expected instead of this ID, or None if the ID is good.

    Rankings are stored as IDs joined by line ends, so an ID can't contain a line end.
    """
    seen = value.strip() if value.isascii() else is_visible(value)
    if seen and value.isprintable() and len(value) <= LONGEST_ID:
        return None
    if not value:
        return "an ID"
    if not seen and not NOT_IN_IDS.search(value):
        return "an ID that can be seen"
    if len(value) > LONGEST_ID:
        return f"an ID of at most {LONGEST_ID} characters"
    return "an ID without line breaks or control characters" if NOT_IN_IDS.search(value) else None


def text_fault(value: str) -> str | None:
    """What the reader expected instead of this text, or None if PostgreSQL can store it."""
    if value.isprintable():
        return None
    return "text without NUL or broken characters" if NOT_IN_TEXTS.search(value) else None


def query_fault(value: str) -> str | None:
    """What the reader expected instead of this text of a query, or None if it's good."""
    if not value:
        return "a text"
    return text_fault(value) if is_visible(value) else "a text that can be seen"


def length_fault(value: str, longest: int) -> str | None:
    """What the reader expected instead of this text, or None if it's short enough."""
    if len(value) <= longest:
        return None
    return f"at most {longest:,} characters (it has {len(value):,})"


def is_moderate(number: float) -> bool:
    """Whether sums and squares of a million such weights or gains are still numbers."""
    return number == 0 or LEAST_SIZE <= abs(number) <= GREATEST_SIZE


def resembles_number(value: str) -> bool:
    """Whether somebody meant a number, even one that `number` refuses, such as nan."""
    try:
        float(value)
    except ValueError:
        return False
    return True


def number(value: str) -> float | None:
    """The number exactly as float64 reads it. None for anything else, including nan, infinity and `1_000`."""
    if "_" in value or not value.isascii():
        return None
    try:
        result = float(value)
    except ValueError:
        return None
    return result if math.isfinite(result) else None


def with_point(value: str, *, sure: bool) -> str:
    """Replaces a decimal comma by a point. Returns anything else unchanged.

    “1,234” may mean 1234, so it only changes if the file is `sure` to have decimal commas.
    """
    if "," not in value or not DECIMAL_COMMA.fullmatch(value) or (THOUSANDS.fullmatch(value) and not sure):
        return value
    return value.replace(",", ".")


def tags(value: str) -> tuple[str, ...] | None:
    """Tags from `a; b`, `a, b` or a JSON list of strings, each once, in order. None for a list of anything else."""
    parts: list[object] = list(re.split("[;,]", value))
    if value.lstrip().startswith("["):
        try:
            parts = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not all(isinstance(part, str) for part in parts):
        return None
    return tuple(dict.fromkeys(tag for part in parts if (tag := str(part).strip())))
