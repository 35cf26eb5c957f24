"""New evaluations that a worker makes: a real worker, in this process."""

import threading
from unittest.mock import patch

import pytest
from django.core.files.base import ContentFile
from django.db import IntegrityError, connection
from django.urls import reverse

from evaluation.models import Evaluation, Run
from evaluation.start.actions import drafts, making, making_jobs
from evaluation.start.actions.drafts import begin_draft
from evaluation.start.actions.making_jobs import (
    FAILURE_NOTE,
    cancel_evaluation,
    request_evaluation,
)
from evaluation.start.reports.drafts import mark_of_files, uploads_of
from judgments.files.actions.uploads import discard_undecided
from judgments.files.reports.uploads import CANCEL_NOTE, progress_of
from judgments.lists.actions.scales import write_presets
from judgments.models import Act, Draft, Judgment, Query, QuerySet, User
from tests import factories as make
from tests.evaluation.scored import text_of
from tests.evaluation.start.views.drafting import GOOD_RUN, POOR_RUN, SHOP, address_of, drop, press, zipped
from tests.judgments.working import forget_jobs, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def user():
    forget_jobs()
    write_presets()
    return make.make_user("ada", is_superuser=True)


@pytest.fixture
def draft(user):
    files = [ContentFile(text.encode(), name=name) for name, text in SHOP.items()]
    return begin_draft(user=user, name="Shop", files=files)


def request(draft):
    return request_evaluation(draft=draft, seen=mark_of_files(uploads_of(draft)), at=make.NOW)


def state(draft):
    draft.refresh_from_db()
    return bool(draft.requested_at), draft.query_set_id is not None, draft.failure


def elsewhere(function):
    """Over a connection of its own, as another page would."""
    found = []

    def run():
        found.append(function())
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def test_a_worker_makes_what_was_asked_for_once_and_the_log_names_who_asked(draft, user):
    assert (request(draft), request(draft)) == (True, False)
    assert state(draft) == (True, False, "")

    work()

    assert state(draft) == (False, True, "")
    assert [model.objects.count() for model in (QuerySet, Query, Judgment, Run)] == [1, 2, 3, 2]
    assert set(Act.objects.values_list("by", flat=True)) == {user.pk}
    assert set(draft.uploads.values_list("requested_at", flat=True)) == {None}


def test_the_worker_scores_the_runs_so_that_no_page_has_to(draft):
    request(draft)

    work()

    assert Evaluation.objects.filter(revision__gte=0).count() == Run.objects.count() == 2


def test_files_that_wait_for_a_worker_stay(draft, user):
    request(draft)

    assert discard_undecided(user=user) == 0
    work()
    assert state(draft) == (False, True, "")


def test_what_is_cancelled_before_its_turn_is_not_made_and_can_be_asked_for_again(draft):
    request(draft)
    draft.refresh_from_db()

    assert cancel_evaluation(draft=draft)
    work()

    assert state(draft) == (False, False, CANCEL_NOTE)
    assert not QuerySet.objects.exists()
    assert request(draft)
    work()
    assert state(draft) == (False, True, "")


def test_what_is_cancelled_too_late_to_be_ended_finds_out_at_its_end(draft):
    request(draft)
    draft.refresh_from_db()
    store = making.store_runs

    def cancelled_meanwhile(**arguments):
        elsewhere(lambda: making_jobs._give_up(draft, draft.requested_at, CANCEL_NOTE))
        return store(**arguments)

    with patch.object(making, "store_runs", cancelled_meanwhile):
        work()

    assert state(draft) == (False, False, CANCEL_NOTE)
    assert not QuerySet.objects.exists()
    assert not cancel_evaluation(draft=draft)


def test_others_see_how_far_it_is(draft):
    request(draft)
    store, seen = making.store_runs, []

    def watched(**arguments):
        seen.append(elsewhere(lambda: progress_of(draft)))
        return store(**arguments)

    with patch.object(making, "store_runs", watched):
        work()

    assert [(one.words, one.done, one.total) for one in seen] == [
        ("Storing runs", 0, 2),
        ("Storing runs", 1, 2),
    ]
    assert progress_of(draft) is None


def test_a_reason_that_is_the_files_is_kept_for_the_page(draft, user):
    make.make_query_set(name="shop")
    request(draft)

    work()

    requested, made, failure = state(draft)
    assert (requested, made) == (False, False)
    assert "is taken already" in failure


@pytest.mark.parametrize("right", ["is_superuser", "is_active"])
def test_without_the_right_to_create_query_sets_nothing_is_made(draft, user, right):
    request(draft)
    setattr(user, right, False)
    user.save()

    work()

    assert "You may no longer create query sets" in state(draft)[2]
    assert not QuerySet.objects.exists()


@pytest.mark.parametrize("right", ["is_superuser", "is_active"])
def test_nothing_is_made_when_the_right_is_lost_meanwhile(draft, user, right):
    request(draft)
    store, stored = making.store_runs, []

    def lost_meanwhile(**arguments):
        stored.append(store(**arguments))
        elsewhere(lambda: User.objects.update(**{right: False}))
        return stored[-1]

    with patch.object(making, "store_runs", lost_meanwhile):
        work()

    assert state(draft) == (False, False, making.NOT_ALLOWED)
    assert len(stored) == 2
    assert not QuerySet.objects.exists()


def test_a_fault_of_ours_says_so_and_leaves_nothing_behind(draft):
    request(draft)

    with patch.object(making, "store_runs", side_effect=IntegrityError("broken")):
        work()

    assert state(draft) == (False, False, FAILURE_NOTE)
    assert not QuerySet.objects.exists()


def test_a_fault_after_it_was_cancelled_leaves_it_cancelled(draft):
    request(draft)
    draft.refresh_from_db()

    def cancelled_meanwhile(**_):
        elsewhere(lambda: making_jobs._give_up(draft, draft.requested_at, CANCEL_NOTE))
        raise IntegrityError("broken")

    with patch.object(making, "store_runs", cancelled_meanwhile):
        work()

    assert state(draft) == (False, False, CANCEL_NOTE)
    assert not QuerySet.objects.exists()


def test_a_draft_that_is_gone_by_its_turn_is_forgotten(draft):
    request(draft)
    draft.delete()

    work()

    assert not QuerySet.objects.exists()


def test_the_page_of_a_large_draft_waits_and_leads_to_the_result(client, user):
    client.force_login(user)
    draft = drop(client, SHOP)
    with patch.object(drafts, "is_large", return_value=True):
        response = press(client, draft)

    assert response["Location"] == address_of(draft)
    waiting = client.get(address_of(draft))
    assert "Waiting for a worker" in text_of(waiting)
    polled = client.get(
        address_of(draft),
        headers={"HX-Request": "true", "HX-Target": "import-waiting", "HX-Trigger": "import-waiting"},
    )
    assert polled.status_code == 204
    assert client.post(address_of(draft), {"action": "discard"})["Location"] == address_of(draft)

    work()

    assert client.get(address_of(draft), headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    assert client.get(address_of(draft))["Location"].startswith(
        reverse("comparison", args=[draft_list(draft)])
    )


def draft_list(draft):
    return Draft.objects.get(pk=draft.pk).result["list"]


def test_a_cancelled_draft_shows_its_preview_again(client, user):
    client.force_login(user)
    draft = drop(client, SHOP)
    with patch.object(drafts, "is_large", return_value=True):
        press(client, draft)

    client.post(address_of(draft), {"action": "cancel"})

    page = text_of(client.get(address_of(draft)))
    assert CANCEL_NOTE in page
    assert "Show me the results" in page


def test_small_files_are_small(draft):
    assert not drafts.is_large(draft)
    with patch("judgments.files.limited_process.SMALL", 100):
        assert drafts.is_large(draft)


def test_files_that_are_gone_are_small(draft):
    (upload, *_) = uploads_of(draft)
    upload.file.storage.delete(upload.file.name)

    assert not drafts.is_large(draft)


def test_packed_files_count_as_what_they_hold(user):
    packed = zipped({"runs/good.trec": GOOD_RUN, "runs/poor.trec": POOR_RUN})
    draft = begin_draft(user=user, name="Packed", files=[ContentFile(packed, name="runs.zip")])

    assert not drafts.is_large(draft)
    with patch("judgments.files.limited_process.SMALL", 19 * len(packed)):
        assert drafts.is_large(draft)
