"""Frees the pairs that raters hold."""

from datetime import datetime

from django.db.models import QuerySet as Rows

from judgments.models import GoldDraw, QuerySet, Rater, RaterQueue, Slot, SlotState, User


def let_go(held_slots: Rows[Slot], at: datetime) -> int:
    """Frees open slots, or deletes those that are no longer required. Returns how many. For actions."""
    surplus, _ = held_slots.filter(surplus=True).delete()
    return surplus + held_slots.update(rater=None, lease_until=at)


def release_all(*, user: User, at: datetime, query_set: QuerySet | None = None) -> dict[str, int]:
    """Frees all pairs that somebody holds who can't judge any more. Returns their number for the log if there are any.

    In all query sets, or in one. It waits for an answer that is being saved, but for no import: like a claim, it takes the
    person's places in the lists, and then slots. Call it before other rows are locked.
    """
    raters = Rater.objects.filter(user=user)
    if query_set is not None:
        raters = raters.filter(query_set=query_set)
    places = RaterQueue.objects.filter(rater__in=raters).order_by("judgment_list", "pk")
    ours = [place.rater_id for place in places.select_for_update(no_key=True)]
    gold_pairs, _ = GoldDraw.objects.filter(rater__in=ours, answered=False).delete()
    held = Slot.objects.filter(rater__in=ours, state=SlotState.OPEN, lease_until__gt=at)
    count = gold_pairs + let_go(held, at)
    return {"released_pairs": count} if count else {}
