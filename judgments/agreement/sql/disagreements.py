"""Pairs whose answers differ, the widest apart first. A page reads the index of disagreements until it is full."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from judgments.base.sql import copy

DECIDED: Final = """EXISTS (
    SELECT FROM judgments_adjudication decided WHERE decided.pair_id = grade.pair_id AND decided.withdrawn_at IS NULL
)"""
# Starts from the decisions, since there are far fewer of them than pairs.
DECIDED_WITH_CAUSE: Final = """grade.pair_id IN (
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
# Starts from the two raters' judgments: their pairs may be far down the index, or there may be none.
OF_TWO: Final = f"""grade.pair_id IN (
    SELECT own.pair_id FROM judgments_realjudgment own JOIN judgments_realjudgment others ON others.pair_id = own.pair_id
    WHERE own.judgment_list_id = %(list)s AND others.judgment_list_id = %(list)s AND {DIFFERENT}
    OFFSET 0
)"""  # noqa: S608 -- nothing but the conditions above
# Looks up pair by pair: if both raters judged many pairs, the page is soon full. As a scalar subquery, because PostgreSQL
# would turn EXISTS into a join.
OF_BUSY_TWO: Final = f"""(
    SELECT true FROM judgments_realjudgment own, judgments_realjudgment others
    WHERE own.pair_id = grade.pair_id AND others.pair_id = grade.pair_id AND {DIFFERENT}
)"""  # noqa: S608
BUSY: Final = 20_000
BOTH_BUSY: Final = """
SELECT count(*) >= 2 * %(busy)s FROM (
    (SELECT FROM judgments_judgment WHERE judgment_list_id = %(list)s AND rater_id = %(rater)s LIMIT %(busy)s)
    UNION ALL
    (SELECT FROM judgments_judgment WHERE judgment_list_id = %(list)s AND rater_id = %(other)s LIMIT %(busy)s)
) judgment
"""

# Decided pairs are listed even if their answers don't differ (any more): last, with a distance of -1.
ANY_SPREAD: Final = "coalesce(grade.spread, -1)"
PLACES: Final = """
SELECT {spread}, grade.answers, grade.pair_id FROM judgments_consensusgrade grade
WHERE grade.judgment_list_id = %(list)s AND {conditions}
ORDER BY {spread} DESC, grade.answers DESC, grade.pair_id DESC LIMIT %(limit)s
"""
COUNT: Final = """
SELECT count(*) FROM (
    SELECT FROM judgments_consensusgrade grade
    WHERE grade.judgment_list_id = %(list)s AND {conditions} LIMIT %(limit)s
) grade
"""
UNDECIDED: Final = """
SELECT list.id, counted.pairs FROM unnest(%(lists)s::bigint[]) AS list (id)
CROSS JOIN LATERAL (
    SELECT count(*) AS pairs FROM (
        SELECT FROM judgments_consensusgrade grade
        WHERE grade.judgment_list_id = list.id AND grade.spread IS NOT NULL AND grade.undecided LIMIT %(limit)s
    ) grade
) counted
WHERE counted.pairs > 0
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
    """A pair's position among the disagreements of its list: those further apart, then those with more answers, come first."""

    spread: float
    answers: int
    pair_id: int


@dataclass(frozen=True, slots=True)
class DisagreementFilters:
    """Which disagreements to list: `state` is open, decided or any; `least` a distance; `queries` None for all of them.

    With an `other` rater: pairs to which both gave different answers, or just the answers `gave` and `other_gave`.
    `busy`: both gave many judgments.
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
        """The SQL expression that orders them."""
        return ANY_SPREAD if self.only_decided else "grade.spread"

    def conditions(self) -> list[str]:
        conditions = {
            DECIDED_WITH_CAUSE: self.only_decided,
            "grade.spread IS NOT NULL": not self.only_decided,
            f"NOT {DECIDED}": self.state == "open",
            "grade.undecided": self.undecided,
            "grade.answers > grade.judgments": self.cannot,
            "grade.spread >= %(least)s": self.least is not None,
            "grade.query_id = ANY(%(queries)s::bigint[])": self.queries is not None,
            OF_RATER: self.rater is not None and self.other is None,
            OF_BUSY_TWO if self.busy else OF_TWO: self.rater is not None and self.other is not None,
        }
        return [condition for condition, applies in conditions.items() if applies]

    def values(self) -> dict[str, Any]:
        names = ("cause", "least", "rater", "other", "gave", "other_gave")
        queries = None if self.queries is None else list(self.queries)
        return {name: getattr(self, name) for name in names} | {"queries": queries}


def places(list_id: int, filters: DisagreementFilters, *, after: Place | None, limit: int) -> list[Place]:
    """The next disagreements in order, from the beginning or `after` a place, which need not be among them."""
    conditions = filters.conditions()
    values: dict[str, Any] = filters.values() | {"list": list_id, "limit": limit}
    if after is not None:
        conditions.append(AFTER.format(spread=filters.spread))
        values |= {"spread": after.spread, "answers": after.answers, "pair": after.pair_id}
    statement = PLACES.format(spread=filters.spread, conditions=" AND ".join(conditions))
    return [Place(*row) for row in copy.rows(statement, **values)]


def count(list_id: int, filters: DisagreementFilters, *, most: int) -> int:
    """The number of disagreements; counting stops at `most`."""
    statement = COUNT.format(conditions=" AND ".join(filters.conditions()))
    return int(copy.value(statement, **filters.values(), list=list_id, limit=most))


def count_undecided(list_ids: Sequence[int], *, most: int) -> dict[int, int]:
    """By list, the pairs that have no grade before an admin decides; of each list counting stops at `most`."""
    return dict(copy.rows(UNDECIDED, lists=list(list_ids), limit=most))


def raters_with_judgments(query_set_id: int, list_id: int) -> list[int]:
    """The raters who judged in the list. One look-up in an index for each rater of the query set."""
    return [row[0] for row in copy.rows(WITH_JUDGMENTS, query_set=query_set_id, list=list_id)]


def with_busy_raters(list_id: int, filters: DisagreementFilters) -> DisagreementFilters:
    """Sets `busy` if the filters name two raters: how many judgments they gave decides how the search runs."""
    if filters.rater is None or filters.other is None:
        return filters
    both = copy.value(BOTH_BUSY, list=list_id, rater=filters.rater, other=filters.other, busy=BUSY)
    return replace(filters, busy=bool(both))
