"""What is read from a replica, and when the primary is read instead. Here the replica is a connection that refuses to write."""

import time

import pytest
from django.db import InternalError, OperationalError, connection, connections, transaction
from django.http import HttpResponse

from judgments.base import replica
from judgments.base.streaming import blocks, zip_files
from judgments.models import QuerySet
from tests import factories as make

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def second(monkeypatch):
    """A second connection to the same database; `state` says whether it follows, and how far."""
    state = {"replayed": True}
    own = connection.settings_dict
    options = own["OPTIONS"] | {"options": "-c default_transaction_read_only=on"}
    connections.settings["replica"] = own | {"OPTIONS": options}
    wrapper = connections["replica"]

    def connect():
        """As the wrapper's own, which Django replaces in tests of a single database."""
        if wrapper.connection is None:
            with wrapper.wrap_database_errors:
                wrapper.connect()

    monkeypatch.setattr(wrapper, "ensure_connection", connect)

    def has_replayed(position):
        connection.ensure_connection()
        return state["replayed"]

    monkeypatch.setattr(replica.sql, "has_replayed", has_replayed)
    monkeypatch.setattr(replica._Rest, "until", 0.0)
    yield state
    connections["replica"].close()
    del connections["replica"], connections.settings["replica"]


def read_alias(request):
    QuerySet.objects.exists()
    return HttpResponse(connection.alias)


def asked(view, rf, method="get"):
    return replica.reads_replica(view)(getattr(rf, method)("/")).content.decode()


@pytest.mark.parametrize(("method", "alias"), [("get", "replica"), ("post", "default")])
def test_a_marked_view_reads_the_replica_unless_it_is_to_change_something(second, rf, method, alias):
    assert asked(read_alias, rf, method) == alias
    assert connection.alias == "default"


def test_without_a_replica_nothing_is_asked(rf, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert asked(read_alias, rf) == "default"


def test_a_view_that_writes_is_done_again_on_the_primary(second, rf):
    aliases = []

    def view(request):
        aliases.append(connection.alias)
        with transaction.atomic():
            make.make_query_set()
        return HttpResponse("done")

    assert asked(view, rf) == "done"

    assert aliases == ["replica", "default"]
    assert QuerySet.objects.count() == 1


def test_a_view_that_locks_is_done_again_on_the_primary(second, rf):
    def view(request):
        with transaction.atomic():
            list(QuerySet.objects.select_for_update())
        return HttpResponse(connection.alias)

    assert asked(view, rf) == "default"


def test_a_statement_that_the_replica_ends_is_done_again_on_the_primary(second, rf):
    def view(request):
        if connection.alias == "replica":
            raise OperationalError("canceling statement due to conflict with recovery")
        return HttpResponse("done")

    assert asked(view, rf) == "done"


def test_other_errors_stay_errors(second, rf):
    def view(request):
        raise InternalError("something else")

    with pytest.raises(InternalError, match="something else"):
        asked(view, rf)


@pytest.mark.parametrize("replayed", [False, None])
def test_a_replica_that_is_behind_or_none_is_left_alone_for_a_while(second, rf, monkeypatch, replayed):
    monkeypatch.setattr(replica, "WAIT", 0.05)
    second["replayed"] = replayed

    assert asked(read_alias, rf) == "default"
    second["replayed"] = True
    assert asked(read_alias, rf) == "default"

    monkeypatch.setattr(replica._Rest, "until", time.monotonic())
    assert asked(read_alias, rf) == "replica"


def test_a_replica_that_does_not_answer_is_left_alone(second, rf):
    connections.settings["replica"]["HOST"] = "/nowhere"

    assert asked(read_alias, rf) == "default"
    assert connection.alias == "default"


def test_a_transaction_stays_where_it_began(second, rf):
    with transaction.atomic():
        assert asked(read_alias, rf) == "default"


def aliases_read():
    for _ in range(3):
        QuerySet.objects.exists()
        yield f"{connection.alias} " * 20_000


def test_a_streamed_file_is_made_on_the_replica_and_the_thread_stays_on_the_primary_in_between(second):
    content = blocks(aliases_read(), lambda records: records)

    pieces = []
    for piece in content:
        pieces.append(piece)
        assert connection.alias == "default"

    assert set(b"".join(pieces).split()) == {b"replica"}
    assert not connections["replica"].in_atomic_block


def test_a_client_that_leaves_ends_the_transaction_on_the_replica(second):
    content = blocks(aliases_read(), lambda records: records)
    next(content)
    assert connections["replica"].in_atomic_block

    content.close()

    assert not connections["replica"].in_atomic_block


def test_all_files_of_an_archive_are_of_one_transaction(second):
    files = [(name, blocks(aliases_read(), lambda records: records)) for name in ("a", "b")]

    assert b"".join(zip_files(iter(files)))[:2] == b"PK"

    assert connections["replica"].connection is not None
    assert not connections["replica"].in_atomic_block


def test_a_replica_that_fails_before_the_first_block_is_no_failure(second):
    connections.settings["replica"]["HOST"] = "/nowhere"

    content = b"".join(blocks(aliases_read(), lambda records: records))

    assert set(content.split()) == {b"default"}
