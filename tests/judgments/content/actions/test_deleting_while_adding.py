"""A single query or document isn't deleted while somebody adds pairs with it: these would fail at the end."""

from threading import Thread

import pytest
from django.db import connection

from judgments.content.actions.content import InUseError, delete_row
from judgments.files.actions.imports import import_judgments
from judgments.files.reports.imports import OpenedFile
from judgments.files.reports.judgment_imports import Terms
from judgments.lists.actions.pairs import ForeignPairError, add_pairs
from judgments.models import Document, Pair, Query
from tests import factories as make
from tests.judgments.working import somebody_waits, until
from tests.meanwhile import Before
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def judgment_list():
    query_set = make.make_query_set()
    make.make_query(query_set, "q1")
    make.make_document(query_set, "d1")
    return make.make_list(query_set)


def add(judgment_list):
    pair = judgment_list.query_set.queries.get().pk, judgment_list.query_set.documents.get().pk
    add_pairs(judgment_list=judgment_list, pairs=[pair])


def import_one(judgment_list):
    record = JudgmentRecord(2, "q1", "d1", "1", 1.0)
    import_judgments(
        judgment_list=judgment_list, file=OpenedFile([record]), at=make.NOW, terms=Terms(rater_name="ann")
    )


@pytest.mark.parametrize("act", [add, import_one])
@pytest.mark.parametrize("kind", [Query, Document])
def test_who_deletes_waits_and_then_finds_it_in_use(judgment_list, kind, act):
    outcomes = []

    def delete():
        try:
            delete_row(row=kind.objects.get())
        except InUseError as error:
            outcomes.append(str(error))
        connection.close()

    thread = Thread(target=delete)

    def meanwhile():
        thread.start()
        until(somebody_waits, seconds=20)

    with connection.execute_wrapper(Before(meanwhile, "INSERT", "judgments_act")):
        act(judgment_list)
    thread.join()

    assert Pair.objects.count() == 1
    assert len(outcomes) == 1
    assert "can’t be deleted, because it’s in 1" in outcomes[0]


@pytest.mark.parametrize("kind", [Query, Document])
def test_who_adds_what_was_deleted_is_told(judgment_list, kind):
    pair = Query.objects.get().pk, Document.objects.get().pk
    delete_row(row=kind.objects.get())

    with pytest.raises(ForeignPairError):
        add_pairs(judgment_list=judgment_list, pairs=[pair])
