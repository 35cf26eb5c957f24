"""A query of a run is deleted by somebody else while the run is being stored: one of the two is refused, whoever was first."""

from threading import Thread

import pytest
from django.db import connection

from evaluation.base.errors import QueryDeletedError
from evaluation.models import Ranking, Run
from evaluation.runs.actions.runs import store_run, store_runs
from evaluation.runs.reports.incoming import NamedRun
from judgments.content.actions.content import InUseError, delete_row
from judgments.content.actions.unused import delete_unused
from judgments.models import Act, Query
from tests import factories as make
from tests.judgments.working import somebody_is_held_up, until
from tests.meanwhile import Before
from tests.touchstone_core.formats.texts import read_run
from touchstone_core.formats.text import decode

pytestmark = pytest.mark.django_db(transaction=True)
TREC = b"q1 Q0 d1 1 2.5 bm25\nq2 Q0 d3 1 7 bm25\n"


@pytest.fixture
def query_set():
    query_set = make.make_query_set()
    make.make_query(query_set, "q1")
    make.make_query(query_set, "q2")
    return query_set


def parsed():
    return read_run(decode(TREC, name="run.trec", limit=10_000))


def store_one(query_set):
    store_run(query_set=query_set, parsed=parsed(), name="bm25")


def store_file(query_set):
    store_runs(query_set=query_set, runs=[NamedRun("bm25", parsed())])


def delete_q2(query_set):
    delete_row(row=query_set.queries.get(external_id="q2"))


def delete_q2_with_others(query_set):
    keys = list(query_set.queries.filter(external_id="q2").values_list("pk", flat=True))
    return delete_unused(query_set=query_set, kind=Query, keys=keys)


def elsewhere(deed, *arguments):
    """Starts it on a connection of its own. The list gets what it returned or raised."""
    outcomes = []

    def run():
        try:
            outcomes.append(deed(*arguments))
        except Exception as error:
            outcomes.append(error)
        connection.close()

    thread = Thread(target=run)
    thread.start()
    return thread, outcomes


@pytest.mark.parametrize("delete", [delete_q2, delete_q2_with_others])
@pytest.mark.parametrize("store", [store_one, store_file])
def test_a_run_whose_query_was_deleted_first_is_not_stored(query_set, delete, store):
    def deleted():
        thread, _ = elsewhere(delete, query_set)
        thread.join()

    with (
        connection.execute_wrapper(Before(deleted, 'INSERT INTO "evaluation_run"')),
        pytest.raises(QueryDeletedError) as refused,
    ):
        store(query_set)

    assert str(refused.value) == (
        "Nothing was stored, because query “q2” was deleted at the same time. Upload the file again."
    )
    assert [one.external_id for one in query_set.queries.all()] == ["q1"]
    assert not Run.objects.exists()
    assert not Ranking.objects.exists()
    assert not Act.objects.filter(verb="imported").exists()


@pytest.mark.parametrize("delete", [delete_q2, delete_q2_with_others])
def test_a_query_of_a_run_that_is_stored_first_stays(query_set, delete):
    started = []

    def deleting():
        started.append(elsewhere(delete, query_set))
        until(somebody_is_held_up, seconds=20)

    with connection.execute_wrapper(Before(deleting, 'INSERT INTO "judgments_act"')):
        store_run(query_set=query_set, parsed=parsed(), name="bm25")
    ((thread, outcomes),) = started
    thread.join()

    assert query_set.queries.count() == Ranking.objects.count() == 2
    assert outcomes == [0] or isinstance(outcomes[0], InUseError)
