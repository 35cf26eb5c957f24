"""Who opened the held-out queries, from the log, which nobody can change."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from judgments.models import Act, QuerySet, Verb

SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class Opening:
    """`by` is empty where no account is known."""

    at: datetime
    by: str
    runs: list[str]
    measure: str
    tag: str


def openings(query_set: QuerySet) -> list[Opening]:
    """The latest first. One statement."""
    acts = Act.objects.filter(query_set=query_set, verb=Verb.OPENED).order_by("-pk")[:SHOWN]
    return [
        Opening(act.at, act.by_name, act.after["runs"], act.after["measure"], act.after["tag"])
        for act in acts
    ]
