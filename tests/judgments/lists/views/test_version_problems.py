"""The pages of a version that is not what was frozen."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests import tampering

pytestmark = pytest.mark.django_db
FAILS = "fails the check"


@pytest.fixture
def version(client):
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="Main")
    client.force_login(make.make_member(judgment_list.query_set, "engineer"))
    for value in (1, 3):
        query, document = (
            make.make_query(judgment_list.query_set),
            make.make_document(judgment_list.query_set),
        )
        make.make_consensus(make.make_pair(judgment_list, query, document), value)
    return freeze_version(judgment_list=judgment_list)


@pytest.fixture
def pages(client, version):
    """The texts of the list of versions, of the version, and of the version with its grades checked."""

    def read():
        address = reverse("list-version", args=[version.judgment_list_id, version.number])
        addresses = [reverse("list-versions", args=[version.judgment_list_id]), address, f"{address}?check=1"]
        return [client.get(one).content.decode() for one in addresses]

    return read


def test_a_version_as_it_was_frozen(pages):
    overview, page, checked = pages()

    assert all(FAILS not in text for text in (overview, page, checked))
    assert "Checked just now" not in page
    assert "Checked: the stored grades have this SHA-256" in checked


def test_another_hash_than_in_the_log_is_said_without_being_asked(version, pages):
    tampering.change_hash(version)

    for text in pages():
        assert f"Version 1 fails the check:</strong> its recorded hash is {'0' * 64}, but the log" in text
        assert version.sha256 in text
        assert "Checked just now" not in text


def test_other_grades_are_said_when_they_are_checked(version, pages):
    tampering.change_grades(version)

    overview, page, checked = pages()

    assert FAILS not in overview + page
    assert "Version 1 fails the check:</strong> its stored grades give the hash" in checked
    assert "Checked just now" not in checked


def test_a_missing_version_is_said_where_the_versions_are(version, pages):
    second = freeze_version(judgment_list=version.judgment_list)
    tampering.remove(second)

    overview, page, _ = pages()

    assert (
        f"Version 2 fails the check:</strong> the log says it was frozen with hash {second.sha256}"
        in overview
    )
    assert FAILS not in page


def test_a_check_costs_four_statements_more_whatever_there_is(client, version):
    address = reverse("list-version", args=[version.judgment_list_id, version.number])
    with CaptureQueriesContext(
        connection,
    ) as plain:
        client.get(address)
    with CaptureQueriesContext(connection) as checked:
        client.get(f"{address}?check=1")

    assert len(checked) - len(plain) <= 5
