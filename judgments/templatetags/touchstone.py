"""Filters that every template may use (registered as built-ins): one way of writing moments, numbers and sizes on all pages."""

from django import template
from django.template import defaultfilters

from judgments.base import moments
from judgments.base.cleaning import plain
from touchstone_core.comparison.values import MINUS

register = template.Library()

for writes in (
    moments.day,
    moments.moment,
    moments.zoned,
    moments.clock,
    moments.second,
    moments.weekday,
    moments.long_day,
):
    register.filter(writes.__name__, writes)


register.filter("words", plain)


@register.filter(is_safe=True)
def floatformat(number: float | str | None, arg: int | str = -1) -> str:
    """Django's filter of this name with a real minus sign instead of a hyphen."""
    return defaultfilters.floatformat(number, arg).replace("-", MINUS)


@register.filter
def size(count: int) -> str:
    """“512 MB”, “1.5 GB”: Django's words without a fraction of nothing. A megabyte is 1,024 kilobytes."""
    return defaultfilters.filesizeformat(count).replace(".0\xa0", "\xa0")
