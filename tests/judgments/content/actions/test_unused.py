"""Deleting many queries and documents: what nothing uses goes, and what somebody uses by now stays."""

from threading import Thread

import pytest
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext

from evaluation.models import IntendedQuery
from judgments.base.errors import ArchivedError
from judgments.base.sql import locks
from judgments.content.actions.content import delete_row
from judgments.content.actions.query_sets import archive_query_set
from judgments.content.actions.unused import delete_unused
from judgments.content.reports.unused import DeletionEffect, deletion_effect, unused_keys
from judgments.lists.actions.pairs import add_pairs
from judgments.log.actions import acting
from judgments.models import Act, Document, Query
from tests import factories as make
from tests.judgments.working import somebody_waits, until
from tests.meanwhile import Before

pytestmark = pytest.mark.django_db


def keys_of(rows):
    return [row.pk for row in rows]


def told(**about):
    return list(Act.objects.filter(**about).values_list("verb", "subject", "before", "after", "note"))


def used_in_every_way(query_set):
    """A free query, one in a list, one in a run and a list, and one in a version."""
    free, listed, both, frozen = make.make_queries(query_set, 4)
    judgment_list = make.make_list(query_set)
    document = make.make_document(query_set)
    add_pairs(judgment_list=judgment_list, pairs=[(one.pk, document.pk) for one in (listed, both, frozen)])
    run = make.make_run(query_set)
    run.rankings.create(query_set=query_set, query=both, size=0, documents=b"")
    return free, listed, both, frozen


def test_what_nothing_uses_goes_and_the_rest_stays_with_its_reasons(query_set):
    free, listed, both, frozen = used_in_every_way(query_set)

    effect = deletion_effect(query_set.queries.all(), Query)
    count = delete_unused(query_set=query_set, kind=Query, keys=keys_of([free, listed, both, frozen]))

    assert effect == DeletionEffect(
        deleted=1, left=0, kept=3, reasons=[("in a judgment list", 3), ("in a pair", 3), ("in a run", 1)]
    )
    assert count == 1
    assert set(query_set.queries.values_list("pk", flat=True)) == {listed.pk, both.pk, frozen.pk}


def test_the_log_has_the_same_line_as_of_a_single_deletion(query_set):
    values = {"text": "tent " * 100, "information_need": "", "weight": 0, "tags": ["x"]}
    alone, among = (
        make.make_query(query_set, "alone", **values),
        make.make_query(query_set, "among", **values),
    )
    content = {"title": "T", "body": "b" * 301, "fields": {"size": 0, "kept": [1, 2], "none": None, "n": "m"}}
    first, second = (make.make_document(query_set, name, **content) for name in ("first", "second"))
    keys = alone.pk, among.pk, first.pk, second.pk
    user = make.make_user("ada", first_name="Ada")

    with acting(user):
        delete_row(row=alone)
        delete_row(row=first)
        delete_unused(query_set=query_set, kind=Query, keys=[keys[1]])
        delete_unused(query_set=query_set, kind=Document, keys=[keys[3]])

    for single, one, names in ((keys[0], keys[1], "alone among"), (keys[2], keys[3], "first second")):
        kind = "query" if single == keys[0] else "document"
        earlier, later = (Act.objects.get(**{kind: key}) for key in (single, one))
        old, new = names.split()
        assert later.before == earlier.before
        assert later.subject == earlier.subject.replace(old, new)
        same = ("verb", "after", "note", "by_id", "by_name", "query_set_id", "token_id", "judgment_list_id")
        assert [getattr(later, name) for name in same] == [getattr(earlier, name) for name in same]


def test_of_two_deletions_the_second_finds_nothing(query_set):
    keys = keys_of(make.make_queries(query_set, 3))

    counts = [delete_unused(query_set=query_set, kind=Query, keys=keys) for _ in range(2)]

    assert counts == [3, 0]
    assert Act.objects.filter(verb="deleted").count() == 3
    assert {note for *_, note in told(query_set=query_set, verb="deleted")} == {"3 queries chosen at once"}


def test_rows_of_another_query_set_stay(query_set):
    foreign = make.make_query(make.make_query_set())

    assert delete_unused(query_set=query_set, kind=Query, keys=[foreign.pk]) == 0
    assert Query.objects.filter(pk=foreign.pk).exists()


def test_what_goes_with_a_query_goes_too(query_set):
    query, other = make.make_queries(query_set, 2)
    make.make_intent(query_set, [query, other])

    assert delete_unused(query_set=query_set, kind=Query, keys=[query.pk]) == 1
    assert list(IntendedQuery.objects.values_list("query", flat=True)) == [other.pk]


def test_an_archived_query_set_keeps_its_rows(query_set):
    query = make.make_query(query_set)
    archive_query_set(query_set=query_set, user=make.make_user(), at=make.NOW)

    with pytest.raises(ArchivedError):
        delete_unused(query_set=query_set, kind=Query, keys=[query.pk])


@pytest.mark.parametrize("kind", [Query, Document])
def test_statements_do_not_grow_with_rows(query_set, kind):
    counts = []
    for size in (1, 1, 40):  # the first one has no temporary table to replace
        rows = [
            make.make_query(query_set) if kind is Query else make.make_document(query_set)
            for _ in range(size)
        ]
        with CaptureQueriesContext(connection) as statements:
            assert delete_unused(query_set=query_set, kind=kind, keys=keys_of(rows)) == size
        counts.append(len(statements))
    assert counts[1] == counts[2]


def test_only_so_many_go_at_once(query_set, monkeypatch):
    monkeypatch.setattr("judgments.content.reports.unused.MOST_AT_ONCE", 2)
    rows = make.make_queries(query_set, 5)

    assert deletion_effect(query_set.queries.all(), Query) == DeletionEffect(2, 3, 0, [])
    assert unused_keys(query_set.queries.all(), Query) == keys_of(rows[:2])


@pytest.mark.django_db(transaction=True)
def test_what_is_put_to_use_while_the_deletion_waits_stays():
    """Somebody adds a pair with the document, and has not committed yet when the deletion comes to it."""
    query_set = make.make_query_set()
    judgment_list, query = make.make_list(query_set), make.make_query(query_set)
    used, free = make.make_document(query_set), make.make_document(query_set)
    counts = []

    def delete():
        counts.append(delete_unused(query_set=query_set, kind=Document, keys=keys_of([used, free])))
        connection.close()

    deleting = Thread(target=delete)
    with transaction.atomic():
        add_pairs(judgment_list=judgment_list, pairs=[(query.pk, used.pk)])
        deleting.start()
        until(somebody_waits, seconds=20)
    deleting.join()

    assert counts == [1]
    assert list(query_set.documents.all()) == [used]


@pytest.mark.django_db(transaction=True)
def test_while_an_import_takes_long_nothing_is_deleted(monkeypatch):
    """The page says that a longer change is under way (see judgments.pages.errors)."""
    monkeypatch.setattr("judgments.base.sql.locks.BRIEFLY", "50ms")
    query_set = make.make_query_set()
    make.make_list(query_set)
    query = make.make_query(query_set)
    failures = []

    def delete():
        try:
            delete_unused(query_set=query_set, kind=Query, keys=[query.pk])
        except OperationalError as error:
            failures.append(error.__cause__.sqlstate)
        connection.close()

    with transaction.atomic():
        locks.announce_change(query_set.judgment_lists.get().pk)
        deleting = Thread(target=delete)
        deleting.start()
        deleting.join()

    assert failures == ["55P03"]
    assert query_set.queries.exists()


@pytest.mark.django_db(transaction=True)
def test_two_deletions_at_once_delete_and_log_each_row_once():
    query_set = make.make_query_set()
    keys = keys_of(make.make_queries(query_set, 4))
    counts, threads = [], []

    def delete(some):
        counts.append(delete_unused(query_set=query_set, kind=Query, keys=some))
        connection.close()

    def another():
        thread = Thread(target=delete, args=(keys[1:],))
        threads.append(thread)
        thread.start()
        until(somebody_waits, seconds=20)

    with connection.execute_wrapper(Before(another, "ANALYZE touchstone_going")):
        counts.append(delete_unused(query_set=query_set, kind=Query, keys=keys[:3]))
    for thread in threads:
        thread.join()

    assert counts == [3, 1]
    assert Act.objects.filter(verb="deleted").count() == 4
    assert not query_set.queries.exists()
