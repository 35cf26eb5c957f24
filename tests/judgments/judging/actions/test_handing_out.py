"""Who is handed what: prefetching, heartbeats, named raters, priorities, and what comes back."""

from datetime import timedelta

import pytest

from judgments.judging.actions import queue
from judgments.judging.reports.own_share import nothing_left
from judgments.lists.actions import lists, pairs
from judgments.models import Assignment, JudgmentList, RaterQueue, Slot
from judgments.raters.actions import assignments as actions
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, NOW, Scene

pytestmark = pytest.mark.django_db
SOON = NOW + timedelta(minutes=10)


def reason(scene, user, at=NOW):
    return nothing_left(judgment_list=scene.list, user=user, at=at).reason


def queries_of(scene, pair_ids):
    positions = dict(scene.list.pairs.values_list("pk", "query__list_queries__position"))
    return [positions[pair_id] for pair_id in pair_ids]


def renew(scene, user, pair_ids, at):
    return queue.renew(user=user, judgment_list=scene.list, pair_ids=pair_ids, at=at)


def test_the_next_queries_are_prefetched_in_their_order():
    scene = Scene(queries=4, documents=2)
    user = scene.rater()

    claims = scene.claim(user, count=5)

    assert queries_of(scene, claims) == [1, 1, 2, 2, 3]
    assert scene.claim(user, count=5) == claims
    assert scene.claim(user, count=7)[:5] == claims


def test_what_is_handed_out_says_where_it_stands_in_its_query():
    scene = Scene(queries=2, documents=3)
    user = scene.rater()
    scene.judge(user, scene.claim(user)[0])

    claims = queue.claim(user=user, judgment_list=scene.list, at=NOW, count=4)

    assert [(one.position, one.number, one.documents) for one in claims] == [
        (1, 2, 3),
        (1, 3, 3),
        (2, 1, 3),
        (2, 2, 3),
    ]


def test_the_order_stays_while_a_rater_judges_and_fills_up():
    scene = Scene(queries=3, documents=4)
    user = scene.rater()
    order, before = [], []

    while claims := scene.claim(user, count=5):
        assert claims[: len(before)] == before
        scene.judge(user, claims[0])
        order.append(claims[0])
        before = claims[1:]

    assert queries_of(scene, order) == sorted(queries_of(scene, order))
    assert len(set(order)) == 12


def test_a_heartbeat_keeps_what_is_held_and_tells_what_was_lost():
    scene = Scene(queries=1, documents=2)
    away, quick = scene.rater(), scene.rater()
    first, second = scene.claim(away)

    assert renew(scene, away, [first, second], SOON) == {first, second}
    assert scene.claim(quick, at=LATER) == []
    much_later = NOW + timedelta(minutes=26)
    (pair_id,) = scene.claim(quick, at=much_later, count=1)
    assert renew(scene, away, [first, second], much_later) == {first, second} - {pair_id}


def test_a_heartbeat_forgets_what_was_judged_and_what_is_of_no_list():
    scene, other = Scene(queries=1, documents=2), Scene(queries=1, documents=1)
    user = scene.rater()
    first, second = scene.claim(user)
    scene.judge(user, first)

    assert renew(scene, user, [first, second, other.list.pairs.get().pk, 2**62], SOON) == {second}


def test_only_named_raters_are_handed_pairs_and_no_more_than_their_quota():
    scene = Scene(queries=1, documents=4)
    assigned_rater, other_rater, free = scene.rater(), scene.rater(), scene.rater()
    JudgmentList.objects.update(assignment="named")
    scene.list.refresh_from_db()
    actions.assign(judgment_list=scene.list, user=assigned_rater, quota=2)
    actions.assign(judgment_list=scene.list, user=free)

    assert scene.claim(other_rater) == []
    assert reason(scene, other_rater) == "unassigned"
    first, second = scene.claim(assigned_rater)
    scene.judge(assigned_rater, first)
    assert scene.claim(assigned_rater) == [second]
    scene.judge(assigned_rater, second)
    assert scene.claim(assigned_rater) == []
    assert reason(scene, assigned_rater) == "quota"
    assert len(scene.claim(free)) == 2


def test_a_further_quota_lets_the_rater_go_on_and_taking_the_name_away_frees_what_is_held():
    scene = Scene(queries=1, documents=4, assignment="named")
    user, other = scene.rater(), scene.rater()
    for who in (user, other):
        actions.assign(judgment_list=scene.list, user=who, quota=1)
    scene.judge(user, scene.claim(user)[0])
    actions.assign(judgment_list=scene.list, user=user, quota=4)
    assert len(scene.claim(user)) == 3

    actions.unassign(judgment_list=scene.list, user=user, at=NOW)

    assert not Assignment.objects.filter(user=user).exists()
    assert len(scene.claim(other)) == 1


def test_who_cannot_judge_the_list_is_not_named_and_a_quota_is_a_number():
    scene = Scene()

    with pytest.raises(actions.AssignmentError, match="isn’t a member"):
        actions.assign(judgment_list=scene.list, user=make.make_user())
    with pytest.raises(actions.AssignmentError, match="at least 1"):
        actions.assign(judgment_list=scene.list, user=scene.rater(), quota=0)


def add_pair(scene, position, *, priority):
    """The key of a pair more for the query at this position."""
    query, document = (
        scene.list.list_queries.get(position=position).query_id,
        make.make_document(scene.query_set),
    )
    pairs.add_pairs(judgment_list=scene.list, pairs=[(query, document.pk)], priority=priority)
    return scene.list.pairs.get(document=document).pk


def test_pairs_of_higher_priority_come_first_and_their_queries_before_others():
    scene = Scene(queries=3, documents=3)
    urgent, late = add_pair(scene, 3, priority=5), add_pair(scene, 1, priority=-3)

    order = scene.finish(scene.rater())

    assert order[0] == urgent
    assert queries_of(scene, order) == [3, 3, 3, 3, 1, 1, 1, 1, 2, 2, 2]
    assert order[7] == late
    assert set(Slot.objects.values_list("priority", flat=True)) == {5, 0, -3}


def test_a_rater_finishes_the_query_on_the_screen_before_the_urgent_one():
    scene = Scene(queries=3, documents=3)
    user = scene.rater()
    scene.judge(user, scene.claim(user, count=2)[0])
    add_pair(scene, 3, priority=1)

    assert queries_of(scene, scene.finish(user)) == [1, 1, 3, 3, 3, 3, 2, 2, 2]


def test_a_priority_has_limits():
    scene = Scene(queries=2, documents=1)
    assert queries_of(scene, scene.finish(scene.rater())) == [1, 2]

    add_pair(scene, 2, priority=100)

    assert queries_of(scene, scene.claim(scene.rater(), count=1)) == [2]
    with pytest.raises(pairs.PriorityError, match="between -100 and 100"):
        add_pair(scene, 1, priority=101)


def test_what_others_let_go_behind_a_rater_is_found_after_the_end():
    scene = Scene(queries=4, documents=1)
    first, second = scene.rater(), scene.rater()
    (claims,) = scene.claim(first, count=1)
    assert len(scene.finish(second)) == 3
    assert reason(scene, second) == "held"

    scene.skip(first, claims)

    assert RaterQueue.objects.get(rater__user=second).round_over
    assert scene.claim(second) == [claims]


def test_pairs_added_behind_a_rater_are_found_at_the_next_change_of_query():
    scene = Scene(queries=3, documents=1)
    user = scene.rater()
    scene.finish(user)
    assert reason(scene, user) == "done"
    row = scene.list.list_queries.get(position=1)

    pairs.add_pairs(judgment_list=scene.list, pairs=[(row.query_id, make.make_document(scene.query_set).pk)])

    assert queries_of(scene, scene.claim(user)) == [1]


def test_a_round_is_repeated_after_a_while_whatever_was_missed():
    scene = Scene(queries=2, documents=1)
    first, second = scene.rater(), scene.rater()
    scene.claim(first, count=1)
    scene.finish(second)
    Slot.objects.filter(state="open").update(rater=None, lease_until=make.NOW - timedelta(days=1))

    assert scene.claim(second) == []
    assert len(scene.claim(second, at=NOW + timedelta(minutes=3))) == 1


def test_what_was_left_of_a_query_put_off_as_a_whole_is_found_after_the_end():
    scene = Scene(queries=2, documents=6)
    user = scene.rater()
    first = scene.claim(user, count=2)[0]
    scene.skip(user, first)
    scene.skip(user, first)

    order = scene.finish(user)

    assert queries_of(scene, order) == [2] * 6 + [1] * 6
    assert order[-1] == first  # the query is open again, what was put off comes last


def test_what_is_put_off_of_a_query_whose_rest_is_done_comes_on_request_only():
    scene = Scene(queries=2, documents=1)
    user = scene.rater()
    first = scene.claim(user, count=1)[0]
    scene.skip(user, first)
    scene.skip(user, first)
    scene.finish(user)

    assert scene.claim(user) == []
    nothing = nothing_left(judgment_list=scene.list, user=user, at=NOW)
    assert (nothing.reason, nothing.skip_count) == ("skipped", 1)
    assert scene.claim(user, with_skipped=True) == [first]


def test_an_admin_sees_who_holds_what_and_frees_one_or_all():
    scene = Scene(queries=1, documents=3)
    away, here = scene.rater(), scene.rater()
    claims = scene.claim(away)
    leases = scene.list.slots.filter(rater__user=away).order_by("lease_until", "pk")
    one, *_ = leases
    assert [slot.pair_id for slot in leases] == sorted(claims)

    assert actions.release_slot(judgment_list=scene.list, slot_id=one.pk, at=NOW)
    assert not actions.release_slot(judgment_list=scene.list, slot_id=one.pk, at=NOW)
    assert scene.claim(here) == [one.pair_id]
    assert actions.release_rater(judgment_list=scene.list, rater=one.rater, at=NOW) == 2
    assert len(scene.claim(here)) == 3
    assert scene.judge(away, one.pair_id).judgment.extra


def test_a_paused_list_says_who_paused_it_when_and_why():
    scene = Scene()
    user, admin = scene.rater(), make.make_user(first_name="Ada", last_name="L")

    lists.set_paused(judgment_list=scene.list, paused=True, user=admin, note=" Lunch ", at=NOW)

    assert scene.claim(user) == []
    nothing = nothing_left(judgment_list=scene.list, user=user, at=NOW)
    assert (nothing.reason, nothing.paused_by, nothing.paused_at, nothing.note) == (
        "paused",
        "Ada L",
        NOW,
        "Lunch",
    )
    lists.set_paused(judgment_list=scene.list, paused=False)
    scene.list.refresh_from_db()
    assert (scene.list.paused_by, scene.list.paused_at, scene.list.pause_note) == (None, None, "")
    assert scene.claim(user)


def test_a_list_without_pairs_is_empty_and_one_never_visited_has_nothing_left_to_tell():
    scene, blank = Scene(), Scene(queries=0, documents=0)
    user = blank.rater()

    assert blank.claim(user) == []
    assert reason(blank, user) == "empty"
    assert reason(scene, scene.rater()) == "empty"
