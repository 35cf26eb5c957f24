"""Moments and days as every page writes them: in the site's time zone, one way for each."""

from datetime import date, datetime
from math import ceil

from django.utils import dateformat, timezone


def day(at: date | datetime | None) -> str:
    """“Nov 22, 2026”; nothing for nothing, as with all of these."""
    return _written(at, "M j, Y")


def moment(at: datetime | None) -> str:
    """“Nov 22, 2026, 14:05”."""
    return _written(at, "M j, Y, H:i")


def zoned(at: datetime | None) -> str:
    """“Nov 22, 2026, 14:05 UTC”, for what is read elsewhere: printed, or copied into a report."""
    return _written(at, "M j, Y, H:i T")


def clock(at: datetime | None) -> str:
    """“14:05”, for what is less than a day away."""
    return _written(at, "H:i")


def second(at: datetime | None) -> str:
    """“14:05:09”, for what happens while somebody looks."""
    return _written(at, "H:i:s")


def weekday(at: date | datetime | None) -> str:
    """“Sun, Nov 22”, for the days of a chart."""
    return _written(at, "D, M j")


def long_day(at: date | datetime | None) -> str:
    """“Sunday, Nov 22, 2026”, for the head of a day."""
    return _written(at, "l, M j, Y")


def _written(at: date | datetime | None, form: str) -> str:
    if at is None:
        return ""
    return dateformat.format(timezone.localtime(at) if isinstance(at, datetime) else at, form)


def range_of_time(low: float, high: float) -> str:
    """Hours as people say them: “20–45 min”, “1.5–4 h”, “12–30 h”; never more exact than it can be."""
    if high < 1:
        ends = [max(1, ceil(60 * hours)) for hours in (low, high)]
        return f"{ends[0]} min" if ends[0] == ends[1] else f"{ends[0]}–{ends[1]} min"
    words = [f"{hours:,.0f}" if hours >= 10 else f"{hours:.1f}".removesuffix(".0") for hours in (low, high)]
    return f"{words[0]} h" if words[0] == words[1] else f"{words[0]}–{words[1]} h"
