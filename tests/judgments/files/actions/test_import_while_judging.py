"""A file that is imported into a list while raters judge it: they go on, and what both did is there afterwards."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import OperationalError, connection
from django.db.models import Count, Q

from judgments.base.sql.locks import waiting_at_most
from judgments.files.actions.imports import import_judgments
from judgments.files.reports.imports import OpenedFile
from judgments.files.sql import judgment_merges
from judgments.judging.actions.judging import record_judgment
from judgments.judging.actions.queue import claim
from judgments.lists.actions.pairs import add_pairs
from judgments.models import ConsensusGrade, Judgment, ListQuery, Pair, Slot, User
from judgments.pages.errors import temporary_problem
from judgments.pages.waiting import LONGEST_MS
from tests import factories as make
from tests.judgments.files.actions.test_imports_at_once import beside
from tests.judgments.working import somebody_is_held_up, until
from tests.meanwhile import Before
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db(transaction=True)
LONG_AGO = make.NOW - timedelta(hours=1)
PATIENT = 20_000
"""Milliseconds after which a rater who has to wait for an import would be refused; the test fails then."""


@pytest.fixture
def judgment_list():
    """Two queries with two documents each, each pair for two raters."""
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, overlap=2)
    documents = [make.make_document(query_set, name).pk for name in ("d1", "d2")]
    queries = [make.make_query(query_set, name).pk for name in ("q1", "q2")]
    add_pairs(judgment_list=judgment_list, pairs=[(query, one) for query in queries for one in documents])
    make.make_document(query_set, "d3")
    return judgment_list


@pytest.fixture
def rater(judgment_list):
    return make.make_member(judgment_list.query_set, "rater")


def bring(judgment_list, *names):
    """A file in which a machine gives each of these pairs, “q1 d1”, grade 3."""
    records = [
        JudgmentRecord(line, *name.split(), "3", 3.0, rater="machine") for line, name in enumerate(names, 1)
    ]
    return import_judgments(judgment_list=judgment_list, file=OpenedFile(records), at=make.NOW)


def give(judgment_list, rater_id, pair_id, patience=PATIENT):
    """Grade 1 for the pair, as from the rating screen."""
    with waiting_at_most(patience):
        record_judgment(
            user=User.objects.get(pk=rater_id),
            judgment_list=judgment_list,
            pair_id=pair_id,
            request_id=uuid4(),
            at=make.NOW,
            value=1.0,
        )


def before_the_list_is_locked(deed):
    """Does it when the import has written nearly everything."""
    return connection.execute_wrapper(Before(deed, "SET CONSTRAINTS ALL IMMEDIATE"))


def pair_of(judgment_list, name):
    query, document = name.split()
    pairs = Pair.objects.filter(judgment_list=judgment_list)
    return pairs.get(query__external_id=query, document__external_id=document)


def grades(judgment_list):
    given = Judgment.objects.filter(judgment_list=judgment_list)
    return sorted(given.values_list("pair__query__external_id", "pair__document__external_id", "value"))


def assert_counts_are_right(judgment_list):
    for query in ListQuery.objects.filter(judgment_list=judgment_list):
        pairs = Pair.objects.filter(judgment_list=judgment_list, query_id=query.query_id)
        judged = Judgment.objects.filter(pair__in=pairs)
        graded = ConsensusGrade.objects.filter(pair__in=pairs, value__isnull=False)
        slots = Slot.objects.filter(pair__in=pairs, state="open", surplus=False)
        counted = (query.pair_count, query.judgment_count, query.graded_count, query.open_count)
        assert counted == (pairs.count(), judged.count(), graded.count(), slots.count())
    wanted = Pair.objects.filter(judgment_list=judgment_list).annotate(
        given=Count("judgments", distinct=True),
        waiting=Count("slots", filter=Q(slots__state="open", slots__surplus=False), distinct=True),
    )
    assert {min(pair.given, 2) + pair.waiting for pair in wanted} == {2}


def test_a_rater_answers_what_they_hold_and_gets_more_in_the_middle_of_an_import(judgment_list, rater):
    (held,) = claim(user=rater, judgment_list=judgment_list, at=make.NOW, count=1)
    handed = []

    def judge():
        give(judgment_list, rater.pk, held.pair_id)
        handed.extend(claim(user=rater, judgment_list=judgment_list, at=make.NOW, count=3))

    with before_the_list_is_locked(lambda: beside(judge).result(60)):
        result = bring(judgment_list, "q1 d1", "q1 d2", "q1 d3", "q2 d1", "q2 d2")

    held_name = (held.pair_id, 1.0)
    assert (result.new, result.changed, result.unchanged) == (5, 0, 0)
    assert [value for *_, value in grades(judgment_list)].count(3.0) == 5
    assert Judgment.objects.filter(rater__user=rater).values_list("pair_id", "value").get() == held_name
    assert ConsensusGrade.objects.get(pair_id=held.pair_id).judgments == 2
    assert_counts_are_right(judgment_list)


def test_pairs_that_the_file_does_not_name_are_answered_meanwhile(judgment_list, rater):
    other = pair_of(judgment_list, "q2 d2")
    make.make_handout(other.pk, rater)

    with before_the_list_is_locked(lambda: beside(give, judgment_list, rater.pk, other.pk).result(60)):
        bring(judgment_list, "q2 d1", "q1 d1")

    assert grades(judgment_list) == [("q1", "d1", 3.0), ("q2", "d1", 3.0), ("q2", "d2", 1.0)]
    assert_counts_are_right(judgment_list)


def test_an_answer_to_a_pair_that_the_import_writes_is_refused_for_now_and_holds_up_nothing(
    judgment_list, rater
):
    (lapsed,) = claim(user=rater, judgment_list=judgment_list, at=LONG_AGO, count=1)
    answering = []

    def answer_late():
        answering.append(beside(give, judgment_list, rater.pk, lapsed.pair_id, LONGEST_MS))
        until(somebody_is_held_up)

    with before_the_list_is_locked(answer_late):
        bring(judgment_list, "q1 d1", "q1 d2", "q2 d1", "q2 d2")

    with pytest.raises(OperationalError) as refused:
        answering[0].result(60)
    assert temporary_problem(refused.value) == "busy"
    assert len(grades(judgment_list)) == 4
    give(judgment_list, rater.pk, lapsed.pair_id)
    assert len(grades(judgment_list)) == 5
    assert_counts_are_right(judgment_list)


def test_an_import_that_fails_at_its_very_end_leaves_nothing_but_what_raters_did(
    judgment_list, rater, monkeypatch
):
    (held,) = claim(user=rater, judgment_list=judgment_list, at=make.NOW, count=1)

    def fail(*_):
        raise ConnectionResetError

    monkeypatch.setattr(judgment_merges, "finish", fail)
    with (
        before_the_list_is_locked(lambda: beside(give, judgment_list, rater.pk, held.pair_id).result(60)),
        pytest.raises(ConnectionResetError),
    ):
        bring(judgment_list, "q1 d1", "q1 d2", "q1 d3", "q2 d1", "q2 d2")

    assert [value for *_, value in grades(judgment_list)] == [1.0]
    assert Pair.objects.filter(judgment_list=judgment_list).count() == 4
    assert_counts_are_right(judgment_list)
