"""Who opened the held-out queries, from the log, which nobody can change."""

from collections.abc import Iterable
from typing import Final

from judgments.models import Act, QuerySet, Verb

MOST_OPENINGS: Final = 50


def openings(query_set: QuerySet) -> Iterable[Act]:
    """The latest first, as `evaluation.comparisons.actions.held_out` records them. One statement."""
    return Act.objects.filter(query_set=query_set, verb=Verb.OPENED).order_by("-pk")[:MOST_OPENINGS]
