"""Hosts of one site: one secret key, and a sentence for each difference."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from judgments.models import Host, SiteKey
from judgments.people.actions.hosts import note_host, shared_key
from tests import factories as make

pytestmark = pytest.mark.django_db
AS_OTHERS = {"secret_key": "k" * 50, "source_mark": "f00d", "uploads": "database"}


def note(name, days=0, **changes):
    return note_host(name=name, at=make.NOW + timedelta(days), **AS_OTHERS | changes)


def test_the_first_host_gives_its_key_and_the_others_take_it():
    assert shared_key(own="of the first") == "of the first"
    assert shared_key(own="of the second") == "of the first"


def test_there_is_one_key():
    with pytest.raises(IntegrityError, match="site_key_is_one"), transaction.atomic():
        SiteKey.objects.create(id=2, value="another")


def test_hosts_that_are_the_same_have_nothing_to_say():
    assert note("web-1:8000") == []
    assert note("web-2:8000") == []
    assert note("web-1:8000") == []


@pytest.mark.parametrize(
    ("what", "value", "words"),
    [
        ("secret_key", "x" * 50, "another secret key"),
        ("source_mark", "beef", "another version of Touchstone"),
        ("uploads", "/mnt/files", "another TOUCHSTONE_UPLOADS"),
    ],
)
def test_a_difference_is_said_with_the_name_of_the_other_host(what, value, words):
    note("web-1:8000")

    [sentence] = note("web-2:8000", **{what: value})

    assert sentence.startswith("web-1:8000, started 2")
    assert words in sentence
    assert note("web-2:8000") == [], "started again, as the others are"


def test_a_host_that_was_not_started_for_long_is_forgotten():
    note("old:8000", secret_key="x" * 50)

    assert note("web-1:8000", days=31) == []
    assert [host.name for host in Host.objects.all()] == ["web-1:8000"]


def test_no_row_gives_the_key_away():
    note("web-1:8000")

    [row] = Host.objects.values()
    assert AS_OTHERS["secret_key"] not in str(row)
    assert str(SiteKey(value="secret")) == "the site’s key"
