"""Erasing personal data in the background: the log and all comments of a person may be long (ADR 69)."""

from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone
from procrastinate import JobContext
from procrastinate.contrib.django import app

from judgments.base.background import RETRY, kept_failures
from judgments.content.actions.deletion_jobs import QUEUE
from judgments.lists.actions.held_slots import release_all
from judgments.log.actions import acting, record_act
from judgments.models import User, Verb
from judgments.people.actions.erasure import check_erasable, erase_person, remove_access

FAILURE_NOTE: Final = (
    "Something went wrong, and nothing was erased yet. Nobody can sign in with this account. Erase it again. If that fails too, "
    "find the failed job under site administration."
)


@transaction.atomic
def request_erasure(*, user: User, blank_comments: bool, by: User, at: datetime) -> bool:
    """Shuts the account out and asks a worker to erase it; False if that was done before, as by the first of two clicks.

    Raises what `erase_person` raises.
    """
    release_all(user=user, at=at)
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.erasure_requested_at:
        return False
    check_erasable(user)
    remove_access(user)
    User.objects.filter(pk=user.pk).update(
        is_active=False, session_epoch=user.session_epoch + 1, erasure_requested_at=at, erasure_failure=""
    )
    record_act(
        Verb.CHANGED,
        f"account {user.username}",
        before={"is_active": user.is_active},
        after={"is_active": False},
        note="A worker erases the personal data.",
    )
    job = erase_in_background.configure(lock=f"erase {user.pk}")
    job.defer(user_id=user.pk, blank_comments=blank_comments, by_id=by.pk)
    return True


@app.task(name="erase_person", queue=QUEUE, retry=RETRY, pass_context=True)
def erase_in_background(context: JobContext, /, user_id: int, blank_comments: bool, by_id: int) -> None:
    """The job. It may be done twice and be killed at any moment: an erasure is one transaction, and happens once.

    What it fails with is kept for the page; what may pass by itself is tried again.
    """
    same_request = User.objects.filter(pk=user_id).exclude(erasure_requested_at=None)
    user = same_request.first()
    if user is None:  # done by a worker that died a moment later
        return

    def give_up(failure: str) -> None:
        same_request.update(erasure_requested_at=None, erasure_failure=failure)

    with (
        kept_failures(context, same_request, give_up, FAILURE_NOTE),
        acting(User.objects.filter(pk=by_id).first()),
    ):
        erase_person(user=user, blank_comments=blank_comments, at=timezone.now())
