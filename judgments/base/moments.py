"""Formats times and days for all pages, in the site's time zone."""

from datetime import date, datetime
from math import ceil

from django.utils import dateformat, timezone


def day(at: date | datetime | None) -> str:
    """“Nov 22, 2026”; "" for None, as with all of these."""
    return _format(at, "M j, Y")


def moment(at: datetime | None) -> str:
    """“Nov 22, 2026, 14:05”."""
    return _format(at, "M j, Y, H:i")


def zoned(at: datetime | None) -> str:
    """“Nov 22, 2026, 14:05 UTC”, for texts that are read elsewhere, such as printed reports."""
    return _format(at, "M j, Y, H:i T")


def clock(at: datetime | None) -> str:
    """“14:05”, for times less than a day away."""
    return _format(at, "H:i")


def second(at: datetime | None) -> str:
    """“14:05:09”, for events while somebody watches."""
    return _format(at, "H:i:s")


def weekday(at: date | datetime | None) -> str:
    """“Sun, Nov 22”, for the days of a chart."""
    return _format(at, "D, M j")


def long_day(at: date | datetime | None) -> str:
    """“Sunday, Nov 22, 2026”, for the heading of a day."""
    return _format(at, "l, M j, Y")


def _format(at: date | datetime | None, form: str) -> str:
    if at is None:
        return ""
    return dateformat.format(timezone.localtime(at) if isinstance(at, datetime) else at, form)


def range_of_time(low: float, high: float) -> str:
    """Hours as people say them: “20–45 min”, “1.5–4 h”, “12–30 h”; no more exact than an estimate can be."""
    if high < 1:
        ends = [max(1, ceil(60 * hours)) for hours in (low, high)]
        return f"{ends[0]} min" if ends[0] == ends[1] else f"{ends[0]}–{ends[1]} min"
    words = [f"{hours:,.0f}" if hours >= 10 else f"{hours:.1f}".removesuffix(".0") for hours in (low, high)]
    return f"{words[0]} h" if words[0] == words[1] else f"{words[0]}–{words[1]} h"
