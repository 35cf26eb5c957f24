"""One way of writing moments, days and sizes on all pages."""

import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.utils import timezone

from judgments.base import moments

AT = datetime(2026, 11, 22, 0, 43, 9, tzinfo=UTC)
FOR_MACHINES = {"c", "Y-m-d", "H:i:s.u"}


@pytest.mark.parametrize(
    ("writes", "words"),
    [
        (moments.day, "Nov 22, 2026"),
        (moments.moment, "Nov 22, 2026, 00:43"),
        (moments.zoned, "Nov 22, 2026, 00:43 UTC"),
        (moments.clock, "00:43"),
        (moments.second, "00:43:09"),
        (moments.weekday, "Sun, Nov 22"),
        (moments.long_day, "Sunday, Nov 22, 2026"),
    ],
)
def test_each_has_one_form(writes, words):
    with timezone.override(UTC):
        assert writes(AT) == words
    assert writes(None) == ""


def test_they_follow_the_zone_of_the_site():
    with timezone.override("America/New_York"):
        assert moments.zoned(AT) == "Nov 21, 2026, 19:43 EST"
        assert Template("{{ at|moment }}").render(Context({"at": AT})) == "Nov 21, 2026, 19:43"


def test_a_day_is_of_no_zone():
    with timezone.override("America/New_York"):
        assert moments.weekday(date(2026, 11, 22)) == "Sun, Nov 22"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "1 byte"),
        (2048, "2 KB"),
        (512 * 1024 * 1024, "512 MB"),
        (1_610_612_736, "1.5 GB"),
        (10_240, "10 KB"),
    ],
)
def test_sizes_have_no_fraction_of_nothing(count, words):
    assert Template("{{ count|size }}").render(Context({"count": count})).replace("\xa0", " ") == words


def test_templates_write_them_in_no_other_way():
    templates = Path(settings.BASE_DIR, "templates").rglob("*.html")
    found = {
        (path.name, *use)
        for path in templates
        for use in re.findall(r"\|(date|time|filesizeformat)\b(?::['\"]([^'\"]*))?", path.read_text())
    }

    assert {use for use in found if use[2] not in FOR_MACHINES} == set()
