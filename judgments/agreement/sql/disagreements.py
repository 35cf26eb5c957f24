"""Pairs whose answers differ, widest first. A page walks along the index of disagreements and stops when it is full."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from django.db import connection

DECIDED: Final = """EXISTS (
    SELECT FROM judgments_adjudication decided WHERE decided.pair_id = grade.pair_id AND decided.withdrawn_at IS NULL
)"""
# Starts from the decisions, which are few beside the pairs.
DECIDED_SO: Final = """grade.pair_id IN (
    SELECT decided.pair_id FROM judgments_adjudication decided
    WHERE decided.judgment_list_id = %(list)s AND decided.withdrawn_at IS NULL
      AND (%(cause)s = '' OR decided.cause = %(cause)s)
)"""
OF_RATER: Final = """EXISTS (
    SELECT FROM judgments_realjudgment own WHERE own.pair_id = grade.pair_id AND own.rater_id = %(rater)s
)"""
DIFFERENT: Final = """
    own.rater_id = %(rater)s AND others.rater_id = %(other)s AND own.value IS DISTINCT FROM others.value
      AND (%(gave)s::float8 IS NULL OR own.value = %(gave)s)
      AND (%(other_gave)s::float8 IS NULL OR others.value = %(other_gave)s)
"""
# Starts from what the two gave, once: their pairs may be far down the index, or none.
OF_TWO: Final = f"""grade.pair_id IN (
    SELECT own.pair_id FROM judgments_realjudgment own JOIN judgments_realjudgment others ON others.pair_id = own.pair_id
    WHERE own.judgment_list_id = %(list)s AND others.judgment_list_id = %(list)s AND {DIFFERENT}
    OFFSET 0
)"""  # noqa: S608 -- nothing but the conditions above
# Looks at one pair after the other: where both gave much, the page is full soon. As a value, so that it stays a look-up.
OF_BUSY_TWO: Final = f"""(
    SELECT true FROM judgments_realjudgment own, judgments_realjudgment others
    WHERE own.pair_id = grade.pair_id AND others.pair_id = grade.pair_id AND {DIFFERENT}
)"""  # noqa: S608
BUSY: Final = 20_000
BUSIEST: Final = """
SELECT count(*) >= 2 * %(busy)s FROM (
    (SELECT FROM judgments_judgment WHERE judgment_list_id = %(list)s AND rater_id = %(rater)s LIMIT %(busy)s)
    UNION ALL
    (SELECT FROM judgments_judgment WHERE judgment_list_id = %(list)s AND rater_id = %(other)s LIMIT %(busy)s)
) given
"""

# Of decided pairs those stay in sight whose answers do not differ (any more): last, with a distance of -1.
ANY_SPREAD: Final = "coalesce(grade.spread, -1)"
FOUND: Final = """
SELECT {spread}, grade.answers, grade.pair_id FROM judgments_consensusgrade grade
WHERE grade.judgment_list_id = %(list)s AND {conditions}
ORDER BY {spread} DESC, grade.answers DESC, grade.pair_id DESC LIMIT %(limit)s
"""
COUNTED: Final = """
SELECT count(*) FROM (
    SELECT FROM judgments_consensusgrade grade
    WHERE grade.judgment_list_id = %(list)s AND {conditions} LIMIT %(limit)s
) found
"""
AFTER: Final = "({spread}, grade.answers, grade.pair_id) < (%(spread)s, %(answers)s, %(pair)s)"
WITH_JUDGMENTS: Final = """
SELECT rater.id FROM judgments_rater rater
WHERE rater.query_set_id = %(query_set)s AND EXISTS (
    SELECT FROM judgments_judgment own WHERE own.judgment_list_id = %(list)s AND own.rater_id = rater.id
)
ORDER BY rater.id
"""


class Place(NamedTuple):
    """Where a pair stands among the disagreements of its list: further apart and with more answers comes first."""

    spread: float
    answers: int
    pair_id: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which disagreements: `state` is open, decided or any; `least` a distance; `queries` None for all of them.

    With an `other` rater: pairs on which the two gave different answers, or just these. `busy`: both gave many.
    """

    state: str = "any"
    cause: str = ""
    undecided: bool = False
    cannot: bool = False
    least: float | None = None
    queries: Sequence[int] | None = None
    rater: int | None = None
    other: int | None = None
    gave: float | None = None
    other_gave: float | None = None
    busy: bool = False

    @property
    def only_decided(self) -> bool:
        return self.state == "decided" or bool(self.cause)

    @property
    def spread(self) -> str:
        """What orders them, as SQL."""
        return ANY_SPREAD if self.only_decided else "grade.spread"

    def conditions(self) -> list[str]:
        chosen = {
            DECIDED_SO: self.only_decided,
            "grade.spread IS NOT NULL": not self.only_decided,
            f"NOT {DECIDED}": self.state == "open",
            "grade.undecided": self.undecided,
            "grade.answers > grade.judgments": self.cannot,
            "grade.spread >= %(least)s": self.least is not None,
            "grade.query_id = ANY(%(queries)s::bigint[])": self.queries is not None,
            OF_RATER: self.rater is not None and self.other is None,
            OF_BUSY_TWO if self.busy else OF_TWO: self.rater is not None and self.other is not None,
        }
        return [condition for condition, wanted in chosen.items() if wanted]

    def values(self) -> dict[str, Any]:
        names = ("cause", "least", "rater", "other", "gave", "other_gave")
        queries = None if self.queries is None else list(self.queries)
        return {name: getattr(self, name) for name in names} | {"queries": queries}


def places(list_id: int, wanted: Wanted, *, after: Place | None, limit: int) -> list[Place]:
    """The next disagreements in their order, from the first or `after` one, which need not be among them."""
    conditions = wanted.conditions()
    values: dict[str, Any] = wanted.values() | {"list": list_id, "limit": limit}
    if after is not None:
        conditions.append(AFTER.format(spread=wanted.spread))
        values |= {"spread": after.spread, "answers": after.answers, "pair": after.pair_id}
    statement = FOUND.format(spread=wanted.spread, conditions=" AND ".join(conditions))
    return [Place(*row) for row in _rows(statement, values)]


def count(list_id: int, wanted: Wanted, *, most: int) -> int:
    """How many there are, `most` at most: counting stops there."""
    statement = COUNTED.format(conditions=" AND ".join(wanted.conditions()))
    return int(_rows(statement, wanted.values() | {"list": list_id, "limit": most})[0][0])


def raters_with_judgments(query_set_id: int, list_id: int) -> list[int]:
    """One look into an index for each rater of the query set."""
    return [row[0] for row in _rows(WITH_JUDGMENTS, {"query_set": query_set_id, "list": list_id})]


def with_habits(list_id: int, wanted: Wanted) -> Wanted:
    """The same, having looked how much two raters gave: that decides where the search begins. Nothing for fewer raters."""
    if wanted.rater is None or wanted.other is None:
        return wanted
    given = {"list": list_id, "rater": wanted.rater, "other": wanted.other, "busy": BUSY}
    return replace(wanted, busy=bool(_rows(BUSIEST, given)[0][0]))


def _rows(statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
