import pytest

from judgments.lists.actions.pairs import ForeignPairError, OverlapError, add_pairs, set_overlap, settle
from judgments.models import ConsensusGrade, ListQuery, Pair, Slot
from tests import factories as make
from tests.judgments.refreshed import refresh_consensus

pytestmark = pytest.mark.django_db


def keys(query_set, queries=2, documents=3):
    found = [make.make_document(query_set).pk for _ in range(documents)]
    asked = [make.make_query(query_set).pk for _ in range(queries)]
    return [(query, document) for query in asked for document in found]


def test_pairs_bring_their_queries_and_slots_along(query_set):
    judgment_list = make.make_list(query_set, overlap=2)
    first, second = make.make_query(query_set).pk, make.make_query(query_set).pk
    one, two = make.make_document(query_set).pk, make.make_document(query_set).pk

    new = add_pairs(judgment_list=judgment_list, pairs=iter([(second, one), (first, one), (second, two)]))

    assert new == 3
    found = judgment_list.list_queries.values_list(
        "query_id", "position", "pair_count", "revision", "pairs_revision"
    )
    assert list(found) == [(second, 1, 2, 1, 1), (first, 2, 1, 1, 1)]
    slots = Slot.objects.order_by("pair_id", "ordinal").values_list(
        "pair__query_id", "query_position", "ordinal"
    )
    assert sorted(slots) == sorted([(second, 1, 1), (second, 1, 2)] * 2 + [(first, 2, 1), (first, 2, 2)])


def test_known_pairs_are_left_alone_and_new_queries_are_appended(query_set):
    judgment_list = make.make_list(query_set)
    pairs = keys(query_set)
    add_pairs(judgment_list=judgment_list, pairs=pairs)
    more = keys(query_set, queries=1, documents=1)

    assert add_pairs(judgment_list=judgment_list, pairs=[*pairs, *more, *more]) == 1
    assert list(judgment_list.list_queries.values_list("position", "pairs_revision")) == [
        (1, 1),
        (2, 1),
        (3, 1),
    ]
    assert Slot.objects.count() == Pair.objects.count() == 7


def test_a_list_with_pairs_of_another_query_set_is_refused_as_a_whole(query_set):
    judgment_list = make.make_list(query_set)
    stranger = make.make_document(make.make_query_set()).pk
    query = make.make_query(query_set).pk

    with pytest.raises(ForeignPairError, match="1 pair names"):
        add_pairs(judgment_list=judgment_list, pairs=[(query, stranger)])

    assert not ListQuery.objects.exists()


def test_no_pairs_change_nothing(query_set):
    assert add_pairs(judgment_list=make.make_list(query_set), pairs=[]) == 0


def open_slots(pair):
    return pair.slots.filter(state="open").count()


def test_judgments_that_came_by_import_close_the_slots_that_they_make_superfluous(query_set):
    judgment_list = make.make_list(query_set, overlap=2)
    add_pairs(judgment_list=judgment_list, pairs=keys(query_set, 1, 3))
    none, one, three = judgment_list.pairs.order_by("id")
    raters = [make.make_rater(query_set) for _ in range(3)]
    for pair, count in ((one, 1), (three, 3)):
        for rater in raters[:count]:
            make.make_judgment(pair, rater, 1)

    settle(judgment_list)

    assert [open_slots(pair) for pair in (none, one, three)] == [2, 1, 0]
    assert judgment_list.list_queries.get().judgment_count == 4


def test_the_slot_that_a_rater_holds_stays(query_set):
    judgment_list = make.make_list(query_set, overlap=2)
    add_pairs(judgment_list=judgment_list, pairs=keys(query_set, 1, 1))
    pair = judgment_list.pairs.get()
    pair.slots.filter(ordinal=2).update(
        rater=make.make_rater(query_set), lease_until=make.NOW.replace(year=2999)
    )
    for _ in range(2):
        make.make_judgment(pair, make.make_rater(query_set), 1)

    settle(judgment_list, pair_ids=[pair.pk], at=make.NOW)

    assert list(pair.slots.values_list("ordinal", flat=True)) == [2]


def test_raising_the_overlap_adds_slots_and_lowering_removes_free_ones(query_set):
    judgment_list = make.make_list(query_set, overlap=2)
    add_pairs(judgment_list=judgment_list, pairs=keys(query_set, 1, 1))
    pair = judgment_list.pairs.get()
    make.make_judgment(pair, make.make_rater(query_set), 1)
    pair.slots.filter(ordinal=1).update(state="done")

    set_overlap(judgment_list=judgment_list, overlap=4)
    raised = open_slots(pair)
    set_overlap(judgment_list=judgment_list, overlap=2)
    lowered = open_slots(pair)
    set_overlap(judgment_list=judgment_list, overlap=1)

    assert (raised, lowered, open_slots(pair)) == (3, 1, 0)
    judgment_list.refresh_from_db()
    assert judgment_list.overlap == 1


@pytest.mark.parametrize("overlap", [0, 31])
def test_an_overlap_out_of_range_is_refused(query_set, overlap):
    with pytest.raises(OverlapError, match="between 1 and 30"):
        set_overlap(judgment_list=make.make_list(query_set), overlap=overlap)


@pytest.fixture
def judged(query_set):
    """A list with two queries of two pairs; the first pair has grades 1 and 2, the second only “cannot judge”."""
    judgment_list = make.make_list(query_set)
    add_pairs(judgment_list=judgment_list, pairs=keys(query_set, 2, 2))
    first, second, *_ = judgment_list.pairs.order_by("id")
    raters = [make.make_rater(query_set), make.make_rater(query_set)]
    for rater, grade in zip(raters, (2, 1), strict=True):
        make.make_judgment(first, rater, grade)
        make.make_judgment(second, rater, reason="offensive")
    return judgment_list


def counts(judgment_list):
    return list(judgment_list.list_queries.values_list("revision", "graded_count"))


def test_consensus_of_a_whole_list_tells_the_queries_that_changed(judged):
    assert refresh_consensus(judgment_list=judged) == 1

    found = ConsensusGrade.objects.order_by("pair").values_list("value", "judgments", "undecided")
    assert list(found) == [(1.0, 2, False), (None, 0, False)]
    assert counts(judged) == [(2, 1), (1, 0)]


def test_a_second_refresh_writes_nothing(judged):
    refresh_consensus(judgment_list=judged)

    assert refresh_consensus(judgment_list=judged) == 0
    assert counts(judged) == [(2, 1), (1, 0)]


def test_another_tie_rule_changes_the_grade_and_can_leave_it_undecided(judged):
    refresh_consensus(judgment_list=judged)
    judged.tie = "adjudicate"
    judged.save()

    refresh_consensus(judgment_list=judged)

    grade = ConsensusGrade.objects.earliest("pair")
    assert (grade.value, grade.undecided) == (None, True)
    assert counts(judged) == [(3, 0), (1, 0)]


def test_a_pair_without_judgments_loses_its_grade(judged):
    refresh_consensus(judgment_list=judged)
    pair = judged.pairs.earliest("id")
    pair.judgments.all().delete()

    assert refresh_consensus(judgment_list=judged, pair_ids=[pair.pk]) == 1
    assert not ConsensusGrade.objects.filter(pair=pair).exists()
    assert counts(judged) == [(3, 0), (1, 0)]


def test_a_long_list_is_refreshed_in_chunks(judged, monkeypatch):
    monkeypatch.setattr("judgments.grades.sql.consensus.CHUNK", 1)

    assert refresh_consensus(judgment_list=judged) == 1
    assert refresh_consensus(judgment_list=judged, pair_ids=[pair.pk for pair in judged.pairs.all()]) == 0
