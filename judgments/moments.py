"""Moments and days as every page writes them: in the site's time zone, one way for each."""

from datetime import date, datetime

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
