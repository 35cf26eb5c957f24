import multiprocessing
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from judgments.judging.actions import judging, queue
from judgments.lists.actions.pairs import add_pairs, set_adaptive, set_overlap
from judgments.models import ConsensusGrade, Judgment, JudgmentHistory, RaterQueue, Slot
from judgments.raters.actions.gold import mark_gold
from tests import factories as make
from tests.judgments import hammer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sampled]
# Forked from a process that has set up Django and nothing else, which a start each time would take a second for.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.judgments.hammer"])


def make_pairs(queries, documents, **fields):
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, **fields)
    document_ids = [make.make_document(query_set).pk for _ in range(documents)]
    query_ids = [make.make_query(query_set).pk for _ in range(queries)]
    add_pairs(
        judgment_list=judgment_list, pairs=[(query, one) for query in query_ids for one in document_ids]
    )
    return judgment_list


class Rater:
    """A process that judges; `judged` gives each pair as it is saved."""

    def __init__(self, judgment_list, user, **more):
        settings = connection.settings_dict
        task = {"host": settings["HOST"], "name": settings["NAME"], "list": judgment_list.pk, "user": user.pk}
        self.judged, pipe = PROCESSES.Pipe(duplex=False)
        self.process = PROCESSES.Process(target=hammer.judge, args=(task | {"count": 5} | more, pipe))
        self.process.start()
        pipe.close()

    def rest(self):
        """The pairs that haven't been asked for, to the process's end."""
        pairs = []
        with suppress(EOFError):
            while True:
                pairs.append(self.judged.recv())
        self.process.join(120)
        return pairs


def finish(raters):
    pairs = [rater.rest() for rater in raters]
    assert [rater.process.exitcode for rater in raters] == [0] * len(raters)
    return pairs


def assert_exactly(judgment_list, overlap):
    """Every pair has `overlap` judgments, none of them extra, and all counts and consensus grades agree with them."""
    judgments = list(Judgment.objects.filter(judgment_list=judgment_list))
    by_pair = Counter(judgment.pair_id for judgment in judgments)
    pairs = set(judgment_list.pairs.values_list("pk", flat=True))
    assert by_pair == dict.fromkeys(pairs, overlap)
    assert not any(judgment.extra for judgment in judgments)
    assert not Slot.objects.filter(judgment_list=judgment_list, state="open").exists()
    assert not JudgmentHistory.objects.exists()
    assert sum(RaterQueue.objects.values_list("judgment_count", flat=True)) == len(judgments)
    for row in judgment_list.list_queries.all():
        assert row.judgment_count == overlap * row.pair_count
        assert row.graded_count == row.pair_count
    for grade in ConsensusGrade.objects.filter(judgment_list=judgment_list):
        assert (grade.judgments, grade.value) == (overlap, grade.pair_id % 4)


def test_two_raters_in_two_processes_give_exactly_the_overlap():
    judgment_list = make_pairs(4, 15, overlap=2)
    raters = [make.make_member(judgment_list.query_set, "rater") for _ in range(2)]

    counts = finish([Rater(judgment_list, user) for user in raters])

    assert [len(pairs) for pairs in counts] == [60, 60]
    assert all(len(set(pairs)) == 60 for pairs in counts)
    assert_exactly(judgment_list, 2)


def test_two_raters_share_a_list_that_needs_one_judgment_of_each_pair():
    judgment_list = make_pairs(3, 10, overlap=1)
    raters = [make.make_member(judgment_list.query_set, "rater") for _ in range(2)]

    first, second = finish([Rater(judgment_list, user, count=1) for user in raters])

    assert len(first) + len(second) == 30
    assert not set(first) & set(second)
    assert_exactly(judgment_list, 1)


def test_one_rater_in_two_tabs_judges_no_pair_twice():
    judgment_list = make_pairs(2, 15, overlap=2)
    user = make.make_member(judgment_list.query_set, "rater")

    finish([Rater(judgment_list, user) for _ in range(2)])

    by_pair = Counter(Judgment.objects.values_list("pair_id", flat=True))
    assert by_pair == dict.fromkeys(judgment_list.pairs.values_list("pk", flat=True), 1)
    assert RaterQueue.objects.get().judgment_count == 30
    assert Slot.objects.filter(state="done").count() == 30


def test_a_process_killed_between_two_judgments_loses_nothing_and_its_leases_run_out():
    judgment_list = make_pairs(2, 10)
    away, here = (make.make_member(judgment_list.query_set, "rater") for _ in range(2))
    rater = Rater(judgment_list, away, pause=0.05)
    before = [rater.judged.recv() for _ in range(4)]

    rater.process.kill()

    before += rater.rest()
    saved_pairs = set(Judgment.objects.values_list("pair_id", flat=True))
    assert saved_pairs >= set(before)
    later = timezone.now() + timedelta(minutes=16)
    handed_pairs = set()
    while claims := queue.claim(user=here, judgment_list=judgment_list, at=later, count=20):
        fresh = {one.pair_id for one in claims} - handed_pairs
        if not fresh:
            break
        handed_pairs |= fresh
        for pair_id in fresh:
            judging.record_judgment(
                user=here,
                judgment_list=judgment_list,
                pair_id=pair_id,
                value=1.0,
                at=later,
                request_id=uuid4(),
            )
    assert handed_pairs == set(judgment_list.pairs.values_list("pk", flat=True)) - saved_pairs


def test_a_claim_waits_for_nobody():
    """While another transaction holds all slots of the first query, the second is handed out."""
    judgment_list = make_pairs(2, 2)
    user = make.make_member(judgment_list.query_set, "rater")
    second = judgment_list.list_queries.latest("position")
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT id FROM judgments_slot WHERE query_position = 1 FOR UPDATE")

            pairs = queue.claim(user=user, judgment_list=judgment_list, at=timezone.now())
    finally:
        other.close()

    assert {one.position for one in pairs} == {second.position}


def test_raters_who_differ_are_joined_by_exactly_one_more():
    judgment_list = make_pairs(3, 16, overlap=2)
    set_adaptive(judgment_list=judgment_list, step=1, most=3)
    raters = [make.make_member(judgment_list.query_set, "rater") for _ in range(4)]

    leans = zip(raters, (1, 1, 2, 3), strict=True)
    finish([Rater(judgment_list, user, lean=lean, patience=200) for user, lean in leans])

    judgments = Judgment.objects.filter(judgment_list=judgment_list)
    answers = {}
    for pair_id, value in judgments.order_by("pk").values_list("pair_id", "value"):
        answers.setdefault(pair_id, []).append(value)
    assert set(answers) == set(judgment_list.pairs.values_list("pk", flat=True))
    for values in answers.values():
        assert len(values) == (2 if values[0] == values[1] else 3)
    assert {2, 3} == {len(values) for values in answers.values()}
    assert not judgments.filter(extra=True).exists()
    assert not Slot.objects.filter(judgment_list=judgment_list, state="open").exists()
    rows = judgment_list.list_queries.all()
    assert [row.open_count for row in rows] == [0, 0, 0]
    assert sum(row.judgment_count for row in rows) == judgments.count()


def test_the_overlap_is_lowered_while_four_raters_judge():
    judgment_list = make_pairs(4, 15, overlap=3)
    raters = [make.make_member(judgment_list.query_set, "rater") for _ in range(4)]
    processes = [Rater(judgment_list, user, pause=0.02) for user in raters]
    for process in processes:
        process.judged.recv()

    set_overlap(judgment_list=judgment_list, overlap=1)

    waiting = Slot.objects.filter(judgment_list=judgment_list, state="open", surplus=False)
    assert max(Counter(waiting.values_list("pair_id", flat=True)).values()) == 1
    busy = set(Slot.objects.exclude(rater=None).values_list("pair_id", flat=True))
    finish(processes)
    by_pair = Counter(Judgment.objects.values_list("pair_id", flat=True))
    pairs = set(judgment_list.pairs.values_list("pk", flat=True))
    assert set(by_pair) == pairs
    assert {by_pair[pair_id] for pair_id in pairs - busy} == {1}
    assert max(by_pair.values()) <= 3
    assert not waiting.exists()
    assert [row.open_count for row in judgment_list.list_queries.all()] == [0] * 4


def test_each_rater_gets_a_gold_pair_once_though_all_judge_at_once():
    judgment_list = make_pairs(2, 15, overlap=2, gold_rate=50)
    admin = make.make_member(judgment_list.query_set, "admin")
    pair_ids = list(judgment_list.pairs.values_list("pk", flat=True)[:10])
    for pair_id in pair_ids:
        mark_gold(judgment_list=judgment_list, pair_id=pair_id, value=2, user=admin, at=timezone.now())
    raters = [make.make_member(judgment_list.query_set, "rater") for _ in range(3)]

    finish([Rater(judgment_list, user) for user in raters])

    judgments = Judgment.objects.filter(pair__in=pair_ids)
    assert set(judgments.values_list("gold", flat=True)) == {"gold"}
    ordinary = Judgment.objects.exclude(pair__in=pair_ids)
    by_pair = Counter(ordinary.values_list("pair_id", flat=True))
    assert set(by_pair.values()) == {2}
    assert len(by_pair) == 20
    assert sum(judgment_list.list_queries.values_list("judgment_count", flat=True)) == 40
