"""What raters gave to the same pairs, counted in the database: combinations of grades by query, couples of raters, use.

Judgments of practice count nowhere here, as in the consensus; “cannot judge” is no grade; extra judgments count, and so do
those of raters who are excluded from the consensus.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection

from judgments.agreement.units import Floats, Ints, Units
from judgments.base.sql.fingerprints import fingerprint

CHOSEN = "judgment.judgment_list_id = %(list)s AND judgment.rater_id <> ALL(%(without)s::bigint[])"

# Both numbers only grow, so that their sum grows with either.
STATE = f"""
SELECT {fingerprint("query_id", "revision + judgments_revision")}, coalesce(sum(judgment_count), 0)::bigint
FROM judgments_listquery WHERE judgment_list_id = %(list)s
"""  # noqa: S608 -- joined from constants

COMBINATIONS = f"""
SELECT query_id, grades, count(*) FROM (
    SELECT pair.query_id, array_agg(judgment.value ORDER BY judgment.value)::text AS grades
    FROM judgments_realjudgment judgment JOIN judgments_pair pair ON pair.id = judgment.pair_id
    WHERE {CHOSEN} AND judgment.value IS NOT NULL
    GROUP BY pair.id HAVING count(*) >= %(least)s
) judged
GROUP BY query_id, grades
ORDER BY query_id
"""  # noqa: S608 -- joined from constants

TEAMS = f"""
SELECT raters, grades, count(*) FROM (
    SELECT array_agg(judgment.rater_id ORDER BY judgment.value, judgment.rater_id)::text AS raters,
           array_agg(judgment.value ORDER BY judgment.value, judgment.rater_id)::text AS grades
    FROM judgments_realjudgment judgment WHERE {CHOSEN} AND judgment.value IS NOT NULL
    GROUP BY judgment.pair_id HAVING count(*) > 1
) judged
GROUP BY raters, grades
"""  # noqa: S608 -- joined from constants

TOGETHER = f"""
FROM judgments_realjudgment judgment
JOIN judgments_realjudgment other ON other.pair_id = judgment.pair_id AND other.rater_id > judgment.rater_id
WHERE {CHOSEN} AND judgment.value IS NOT NULL
  AND other.value IS NOT NULL AND other.rater_id <> ALL(%(without)s::bigint[])
"""

COUPLES_OF_ANY_VALUE = f"""
SELECT one, two, count(*), sum(x), sum(y), sum(x * x), sum(y * y), sum(x * y),
       count(*) FILTER (WHERE abs(x - y) <= %(near)s + 1e-9)
FROM (
    SELECT judgment.rater_id AS one, other.rater_id AS two,
           judgment.value - %(center)s AS x, other.value - %(center)s AS y {TOGETHER}
) couples
GROUP BY one, two ORDER BY one, two
"""  # noqa: S608 -- joined from constants

USE = """
SELECT judgment.rater_id, judgment.value, count(*) FROM judgments_realjudgment judgment
WHERE judgment.judgment_list_id = %(list)s
GROUP BY judgment.rater_id, judgment.value ORDER BY judgment.rater_id, judgment.value
"""

BINNED_USE = """
SELECT judgment.rater_id,
       CASE WHEN judgment.value IS NOT NULL
            THEN least(width_bucket(judgment.value, %(low)s, %(high)s, %(bins)s) - 1, %(bins)s - 1)::float8
       END AS bin, count(*)
FROM judgments_realjudgment judgment WHERE judgment.judgment_list_id = %(list)s
GROUP BY judgment.rater_id, bin ORDER BY judgment.rater_id, bin
"""


@dataclass(frozen=True, slots=True)
class Combinations:
    """`query_ids` name the queries of `units`; `singles` are the grades of pairs with one judgment, with counts."""

    units: Units
    query_ids: list[int]
    singles: dict[float, int]


@dataclass(frozen=True, slots=True)
class Teams:
    """N groups of pairs with the same raters and the same grades. `kinds` are the combinations of grades.

    `judgments` (M, 5) has a row for each judgment of each group: group, index into `rater_ids`, kind in `kinds`, index of
    the grade given, how many pairs there are in the group.
    """

    rater_ids: list[int]
    kinds: Units
    judgments: Ints


@dataclass(frozen=True, slots=True)
class Couples:
    """C couples of raters with pairs in common, `first` having the lower id; indices into `rater_ids`.

    `counts` (C, V, V) for grades on fixed steps, rows by the first's; otherwise `sums` (C, 7), the columns of
    `couples.SUMS`.
    """

    rater_ids: list[int]
    first: Ints
    second: Ints
    counts: Floats


def state(list_id: int) -> tuple[int, int]:
    """What stands for the judgments and grades of the list as they are, without reading them; and how many judgments it has."""
    ((found, judgments),) = _rows(STATE, {"list": list_id})
    return found, judgments


def combinations(list_id: int, *, singles: bool, without: Sequence[int] = ()) -> Combinations:
    """`singles`: whether to count pairs with one judgment, too; many on a scale without fixed steps."""
    given = {"list": list_id, "without": list(without), "least": 1 if singles else 2}
    names: dict[int, int] = {}
    texts: dict[str, int] = {}
    rows = [
        (names.setdefault(query_id, len(names)), texts.setdefault(text, len(texts)), pairs)
        for query_id, text, pairs in _rows(COMBINATIONS, given)
    ]
    return _parted(rows, _parsed(texts), list(names))


def teams(list_id: int, scale: Floats, *, without: Sequence[int] = ()) -> Teams:
    """Who gave which grades of `scale` to the same pairs; only pairs with two or more judgments."""
    raters: dict[str, int] = {}
    grades: dict[str, int] = {}
    rows = [
        (raters.setdefault(who, len(raters)), grades.setdefault(what, len(grades)), pairs)
        for who, what, pairs in _rows(TEAMS, {"list": list_id, "without": list(without)})
    ]
    team, kind, pairs = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    kinds, people = Units.of_kinds([], _parsed(grades), 0), Units.of_kinds([], _parsed(raters), 0)
    rater_ids, who = np.unique(people.grades.astype(np.int64), return_inverse=True)
    sizes = kinds.sizes[kind]
    group = np.repeat(np.arange(len(rows)), sizes)
    nth = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    given = np.searchsorted(scale, kinds.grades)[_starts(kinds.sizes)[kind[group]] + nth]
    raters_of = who[_starts(people.sizes)[team[group]] + nth]
    return Teams(
        rater_ids.tolist(), kinds, np.stack([group, raters_of, kind[group], given, pairs[group]], axis=1)
    )


def _starts(sizes: Ints) -> Ints:
    found: Ints = np.cumsum(sizes) - sizes
    return found


def _parsed(texts: Iterable[str]) -> list[list[float]]:
    """“{0,2.5}”: the text of an array."""
    return [[float(grade) for grade in text[1:-1].split(",")] for text in texts]


def _parted(rows: list[tuple[int, int, int]], kinds: list[list[float]], query_ids: list[int]) -> Combinations:
    """Without the kinds of one grade, which are counted apart, and the queries that have no others."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    several = np.array([len(grades) > 1 for grades in kinds], dtype=np.bool_)
    pairs = np.bincount(table[:, 1], table[:, 2], len(kinds)).tolist()
    singles = {grades[0]: int(count) for grades, count in zip(kinds, pairs, strict=True) if len(grades) == 1}
    table = table[several[table[:, 1]]]
    left, table[:, 0] = np.unique(table[:, 0], return_inverse=True)
    table[:, 1] = (np.cumsum(several) - 1)[table[:, 1]]
    units = Units.of_kinds(table, [grades for grades in kinds if len(grades) > 1], len(left))
    return Combinations(units, [query_ids[place] for place in left.tolist()], singles)


def couples_of(found: Teams, grades: int) -> Couples:
    """How often who gave which of so many grades where whom gave which."""
    sides = []
    group, rater, _, grade, pairs = found.judgments.T
    for step in range(1, int(found.kinds.sizes.max(initial=0))):
        same = group[step:] == group[:-step]
        one, other = np.flatnonzero(same), np.flatnonzero(same) + step
        turned = rater[one] > rater[other]
        one, other = np.where(turned, other, one), np.where(turned, one, other)
        sides.append(np.stack([rater[one], rater[other], grade[one], grade[other], pairs[one]]))
    first, second, row, column, times = (
        np.concatenate(sides, axis=1) if sides else np.empty((5, 0), dtype=np.int64)
    )
    both, couple = np.unique(first * len(found.rater_ids) + second, return_inverse=True)
    cells = (couple * grades + row) * grades + column
    counts = np.bincount(cells, times, len(both) * grades**2).reshape(len(both), grades, grades)
    return Couples(
        found.rater_ids,
        both // max(1, len(found.rater_ids)),
        both % max(1, len(found.rater_ids)),
        counts.astype(np.float64),
    )


def couples_of_any_value(list_id: int, *, center: float, near: float, without: Sequence[int] = ()) -> Couples:
    given = {"list": list_id, "without": list(without), "center": center, "near": near}
    rows = _rows(COUPLES_OF_ANY_VALUE, given)
    names = _distinct(rows)
    table = np.array(rows, dtype=np.float64).reshape(-1, 9)
    places = np.searchsorted(names, table[:, :2])
    return Couples(names, places[:, 0], places[:, 1], table[:, 2:])


def use(list_id: int) -> dict[int, dict[float | None, int]]:
    """How often each rater gave each grade, None for “cannot judge”."""
    return _by_rater(_rows(USE, {"list": list_id}))


def binned_use(list_id: int, *, low: float, high: float, bins: int) -> dict[int, dict[float | None, int]]:
    """The same with the number of the bin, from 0, in place of the grade. A range of one value has one bin."""
    high = high if high > low else low + 1
    return _by_rater(_rows(BINNED_USE, {"list": list_id, "low": low, "high": high, "bins": bins}))


def _rows(statement: str, given: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, given)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _by_rater(rows: list[tuple[Any, ...]]) -> dict[int, dict[float | None, int]]:
    found: dict[int, dict[float | None, int]] = {}
    for rater_id, value, count in rows:
        found.setdefault(rater_id, {})[value] = count
    return found


def _distinct(rows: list[tuple[Any, ...]]) -> list[int]:
    return sorted({rater_id for row in rows for rater_id in row[:2]})
