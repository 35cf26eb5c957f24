"""How pairs of a list were selected, to decide between two runs or at random, as the log keeps it."""

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet as Rows

from judgments.lists.reports.removal import with_pairs_left
from judgments.models import PAIR_KEYS, SELECTION, Act, JudgmentList, Verb, Version
from touchstone_core.formats.judgments.judgments import RANDOM, TARGETED


def acts_that_decided(judgment_list: JudgmentList, version: Version | None = None) -> list[dict[str, Any]]:
    """What the log says of acts that added pairs for what they decide, before the version was frozen if there is one, and of which
    the list still has some; the oldest first. Those of files name no runs."""
    acts = _acts(judgment_list).filter(after__selection=TARGETED)
    if version:
        acts = acts.filter(at__lte=version.frozen_at)
    return _facts(acts, judgment_list)


def acts_that_drew(judgment_list: JudgmentList) -> list[dict[str, Any]]:
    """What the log says of acts that added pairs at random, and of which the list still has some; the oldest first."""
    return _facts(_acts(judgment_list).filter(after__selection=RANDOM), judgment_list)


def _facts(acts: Rows[Act], judgment_list: JudgmentList) -> list[dict[str, Any]]:
    return list(with_pairs_left(acts, judgment_list).order_by("pk").values_list("after", flat=True))


def read_selections(judgment_list: JudgmentList) -> Callable[[int], str]:
    """A function from the key of a pair to how it was selected, empty for most. One statement."""
    acts = _acts(judgment_list).filter(after__has_key=PAIR_KEYS).values_list("after", flat=True)
    ranges = sorted((*after[PAIR_KEYS], after[SELECTION]) for after in acts)
    first_keys = [first for first, _, _ in ranges]

    def selection(pair_id: int) -> str:
        place = bisect_right(first_keys, pair_id) - 1
        return ranges[place][2] if place >= 0 and pair_id <= ranges[place][1] else ""

    return selection


def _acts(judgment_list: JudgmentList) -> Rows[Act]:
    return Act.objects.filter(judgment_list=judgment_list, verb=Verb.PAIRS_ADDED, after__has_key=SELECTION)
