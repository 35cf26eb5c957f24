"""The rating screen shows and takes only what this rater was handed or has judged."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.agreement.actions.adjudication import exclude_rater
from judgments.content.actions.query_sets import archive_query_set
from judgments.judging.actions import judging, queue, undo
from judgments.lists.actions.lists import set_paused
from judgments.models import ConsensusGrade, Handout, Judgment, JudgmentList, Rater, Skip
from judgments.raters.actions import assignments as actions
from judgments.raters.actions.gold import mark_gold
from tests import factories as make
from tests.judgments.judging.views.judge_pages import SCRIPT, address, make_pairs

pytestmark = pytest.mark.django_db
HOLES = ("paused", "named", "long judged", "another list", "archived", "never handed")
"""Why a rater who asks for a pair by its key was never handed it."""


@pytest.fixture
def rater(query_set, client):
    user = make.make_member(query_set, "rater")
    client.force_login(user)
    return user


def give(user, judgment_list, pair_id, value=2.0, at=None):
    return judging.record_judgment(
        user=user,
        judgment_list=judgment_list,
        pair_id=pair_id,
        request_id=uuid4(),
        value=value,
        at=at or timezone.now(),
    )


def claim(user, judgment_list, at=None, **more):
    pairs = queue.claim(user=user, judgment_list=judgment_list, at=at or timezone.now(), **more)
    return [one.pair_id for one in pairs]


def foreign_pair(hole, query_set):
    """A list, and a pair that a rater who opens the list has never been handed."""
    judgment_list = make_pairs(query_set, queries=1, documents=3, name="First")
    pair = judgment_list.pairs.last()
    if hole == "paused":
        set_paused(judgment_list=judgment_list, paused=True)
    elif hole == "named":
        JudgmentList.objects.filter(pk=judgment_list.pk).update(assignment="named")
    elif hole == "long judged":
        other = make.make_member(query_set, "rater")
        for one in claim(other, judgment_list):
            give(other, judgment_list, one)
    elif hole == "another list":
        pair = make_pairs(query_set, queries=1, documents=1, name="Second").pairs.get()
    elif hole == "archived":
        archive_query_set(query_set=query_set, user=None, at=make.NOW)
    return judgment_list, pair


def sent(pair):
    return {"pair": str(pair.pk), "request_id": str(uuid4()), "grade": "0.0"}


def shows(response, pair):
    return re.search(rf"{pair.document.title}\b", response.content.decode()) is not None


@pytest.mark.parametrize("more", [{}, SCRIPT], ids=["form", "script"])
@pytest.mark.parametrize("hole", HOLES)
def test_no_answer_is_taken_for_a_pair_that_was_never_handed(hole, more, query_set, rater, client):
    judgment_list, pair = foreign_pair(hole, query_set)
    before = list(ConsensusGrade.objects.values_list("pair", "value"))

    response = client.post(address(judgment_list, "judge-answer"), sent(pair), **more)

    assert response.status_code == 422
    assert not shows(response, pair)
    assert not Judgment.objects.filter(rater__user=rater).exists()
    assert list(ConsensusGrade.objects.values_list("pair", "value")) == before


@pytest.mark.parametrize("more", [{}, SCRIPT], ids=["page", "script"])
@pytest.mark.parametrize("hole", HOLES)
def test_no_card_is_shown_of_a_pair_that_was_never_handed(hole, more, query_set, rater, client):
    judgment_list, pair = foreign_pair(hole, query_set)
    claim(rater, judgment_list, count=1)
    if pair.pk in claim(rater, judgment_list, count=1):
        pair = judgment_list.pairs.exclude(pk=pair.pk).first()

    response = client.get(f"{address(judgment_list)}?pair={pair.pk}", **more)

    assert not shows(response, pair)
    if more:
        assert response.status_code == 404


@pytest.mark.parametrize("hole", HOLES)
def test_no_text_is_shown_of_a_pair_that_was_never_handed(hole, query_set, rater, client):
    judgment_list, pair = foreign_pair(hole, query_set)

    assert client.get(f"{address(judgment_list, 'judge-text')}?pair={pair.pk}").status_code == 404
    assert client.get(reverse("judge-review", args=[judgment_list.pk, pair.query_id])).status_code == 404


@pytest.mark.parametrize("hole", HOLES)
def test_a_pair_that_was_never_handed_is_not_put_off(hole, query_set, rater, client):
    judgment_list, pair = foreign_pair(hole, query_set)

    response = client.post(address(judgment_list, "judge-skip"), sent(pair), **SCRIPT)

    assert response.status_code == 422
    assert not Skip.objects.exists()


def test_who_was_handed_nothing_is_told_the_same_of_a_pair_that_is_not_there(query_set, rater, client):
    judgment_list, pair = foreign_pair("never handed", query_set)
    page = address(judgment_list, "judge-answer")

    there = client.post(page, sent(pair), **SCRIPT).json()
    nothing = client.post(page, sent(pair) | {"pair": str(2**40)}, **SCRIPT).json()

    assert there["problem"] == nothing["problem"]


def test_an_answer_that_comes_after_somebody_took_the_pair_over_is_kept(query_set, rater, client):
    judgment_list = make_pairs(query_set, queries=1, documents=1)
    long_ago = timezone.now() - timedelta(hours=1)
    (pair_id,) = claim(rater, judgment_list, at=long_ago)
    other = make.make_member(query_set, "rater")
    assert claim(other, judgment_list) == [pair_id]
    give(other, judgment_list, pair_id)

    response = client.post(address(judgment_list, "judge-answer"), sent(judgment_list.pairs.get()), **SCRIPT)

    assert response.status_code == 200
    assert Judgment.objects.get(rater__user=rater).extra


def test_a_rater_who_is_left_out_is_not_told(query_set, rater, client):
    """All of their judgments are extra, because others judge in their stead. It isn't that somebody took the pair over."""
    judgment_list = make_pairs(query_set, queries=1, documents=2)
    mine = Rater.objects.create(query_set=query_set, user=rater, name=rater.username)
    exclude_rater(judgment_list=judgment_list, rater=mine, user=make.make_user(), note="", at=timezone.now())
    claim(rater, judgment_list)
    first, second = judgment_list.pairs.order_by("pk")

    reply = client.post(address(judgment_list, "judge-answer"), sent(first), **SCRIPT).json()
    page = client.post(address(judgment_list, "judge-answer"), sent(second), follow=True)

    assert list(Judgment.objects.values_list("extra", flat=True)) == [True, True]
    assert reply["notes"] == []
    assert "Yours is saved, too" not in page.content.decode()


@pytest.mark.parametrize("what", ["paused", "unnamed", "released", "overlap", "put off"])
def test_what_was_handed_is_shown_and_taken_whatever_was_changed_since(what, query_set, rater, client):
    judgment_list = make_pairs(query_set, queries=1, documents=1, assignment="named", overlap=1)
    actions.assign(judgment_list=judgment_list, user=rater)
    (pair_id,) = claim(rater, judgment_list)
    if what == "paused":
        set_paused(judgment_list=judgment_list, paused=True)
    elif what == "unnamed":
        actions.unassign(judgment_list=judgment_list, user=rater, at=timezone.now())
    elif what == "released":
        slot = judgment_list.slots.get()
        actions.release_slot(judgment_list=judgment_list, slot_id=slot.pk, at=timezone.now())
    elif what == "overlap":
        judgment_list.slots.all().delete()
    else:
        queue.skip(user=rater, judgment_list=judgment_list, pair_id=pair_id, at=timezone.now())
    pair = judgment_list.pairs.get()

    assert shows(client.get(f"{address(judgment_list)}?pair={pair_id}"), pair)
    assert client.get(f"{address(judgment_list, 'judge-text')}?pair={pair_id}").status_code == 200
    assert client.post(address(judgment_list, "judge-answer"), sent(pair), **SCRIPT).status_code == 200


def test_what_was_judged_and_taken_back_is_shown_and_taken(query_set, rater, client):
    judgment_list = make_pairs(query_set, queries=1, documents=1)
    pair = judgment_list.pairs.get()
    claim(rater, judgment_list)
    give(rater, judgment_list, pair.pk)
    Handout.objects.all().delete()  # as of a judgment that was imported, or given before there were any
    page = f"{address(judgment_list)}?pair={pair.pk}"

    assert shows(client.get(page), pair)
    undo.undo(user=rater, judgment_list=judgment_list, at=timezone.now())
    assert shows(client.get(page), pair)
    assert client.post(address(judgment_list, "judge-answer"), sent(pair), **SCRIPT).status_code == 200


def test_a_gold_pair_that_was_drawn_and_released_is_still_taken(query_set, rater, client):
    judgment_list = make_pairs(query_set, queries=1, documents=2, onboarding=1)
    pair = judgment_list.pairs.first()
    mark_gold(
        judgment_list=judgment_list, pair_id=pair.pk, value=1.0, user=make.make_user(), at=timezone.now()
    )
    assert claim(rater, judgment_list) == [pair.pk]
    actions.release_rater(
        judgment_list=judgment_list, rater=judgment_list.query_set.raters.get(), at=timezone.now()
    )

    assert client.post(address(judgment_list, "judge-answer"), sent(pair), **SCRIPT).status_code == 200


def test_admins_read_the_whole_text_of_pairs_that_they_decide(query_set, client):
    judgment_list, pair = foreign_pair("long judged", query_set)
    client.force_login(make.make_member(query_set, "admin"))

    assert client.get(f"{address(judgment_list, 'judge-text')}?pair={pair.pk}").status_code == 200
    assert not shows(client.get(f"{address(judgment_list)}?pair={pair.pk}"), pair)
