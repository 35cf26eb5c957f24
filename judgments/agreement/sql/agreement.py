"""Judgments of the same pairs, counted in the database: combinations of grades by query, rater pairs, use of grades.

Practice judgments don't count, as in the consensus. “Cannot judge” isn't a grade. Extra judgments count, and so do
judgments of people who are excluded from the consensus. Machines that are excluded are left out by whoever asks (`without`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgments.agreement.units import Floats, Ints, Units
from judgments.base.sql import copy
from judgments.base.sql.fingerprints import fingerprint
from judgments.lists.sql.required_slots import MACHINES_LEFT_OUT

IN_LIST = "judgment.judgment_list_id = %(list)s AND judgment.rater_id <> ALL(%(without)s::bigint[])"

EXCLUDED = """ARRAY(
    SELECT rater_id FROM judgments_exclusion WHERE judgment_list_id = %(list)s AND lifted_at IS NULL ORDER BY rater_id
)"""

# Both numbers only grow, so their sum changes whenever one of them does. A rater who counts from now on may change no grade.
STATE = f"""
SELECT {fingerprint("query_id", "revision + judgments_revision")}
       # hashtextextended({EXCLUDED}::text || {MACHINES_LEFT_OUT}::text, 0),
       coalesce(sum(judgment_count), 0)::bigint
FROM judgments_listquery WHERE judgment_list_id = %(list)s
"""  # noqa: S608 -- joined from constants

COMBINATIONS = f"""
SELECT query_id, grades, count(*) FROM (
    SELECT pair.query_id, array_agg(judgment.value ORDER BY judgment.value)::text AS grades
    FROM judgments_realjudgment judgment JOIN judgments_pair pair ON pair.id = judgment.pair_id
    WHERE {IN_LIST} AND judgment.value IS NOT NULL
    GROUP BY pair.id HAVING count(*) >= %(least)s
) judged
GROUP BY query_id, grades
ORDER BY query_id
"""  # noqa: S608 -- joined from constants

TEAMS = f"""
SELECT raters, grades, count(*) FROM (
    SELECT array_agg(judgment.rater_id ORDER BY judgment.value, judgment.rater_id)::text AS raters,
           array_agg(judgment.value ORDER BY judgment.value, judgment.rater_id)::text AS grades
    FROM judgments_realjudgment judgment WHERE {IN_LIST} AND judgment.value IS NOT NULL
    GROUP BY judgment.pair_id HAVING count(*) > 1
) judged
GROUP BY raters, grades
"""  # noqa: S608 -- joined from constants

TOGETHER = f"""
FROM judgments_realjudgment judgment
JOIN judgments_realjudgment other ON other.pair_id = judgment.pair_id AND other.rater_id > judgment.rater_id
WHERE {IN_LIST} AND judgment.value IS NOT NULL
  AND other.value IS NOT NULL AND other.rater_id <> ALL(%(without)s::bigint[])
"""

RATER_PAIRS_OF_ANY_VALUE = f"""
SELECT one, two, count(*), sum(x), sum(y), sum(x * x), sum(y * y), sum(x * y),
       count(*) FILTER (WHERE abs(x - y) <= %(near)s + 1e-9)
FROM (
    SELECT judgment.rater_id AS one, other.rater_id AS two,
           judgment.value - %(center)s AS x, other.value - %(center)s AS y {TOGETHER}
) both_values
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
    """`query_ids` are the queries of `units`; `singles` counts the grades of pairs with one judgment."""

    units: Units
    query_ids: list[int]
    singles: dict[float, int]


@dataclass(frozen=True, slots=True)
class Teams:
    """N groups of pairs; those of one group have the same raters and grades. `kinds` are the combinations of grades.

    `judgments` (M, 5) has a row for each judgment of each group: group, index into `rater_ids`, kind in `kinds`, index of
    the grade, number of pairs in the group.
    """

    rater_ids: list[int]
    kinds: Units
    judgments: Ints


@dataclass(frozen=True, slots=True)
class RaterPairs:
    """C rater pairs with pairs in common. `first` and `second` are indices into `rater_ids`; `first` has the lower ID.

    `counts` are confusion matrices (C, V, V) for grades on fixed steps; otherwise (C, 7), the columns of `rater_pairs.SUMS`.
    """

    rater_ids: list[int]
    first: Ints
    second: Ints
    counts: Floats


def state(list_id: int) -> tuple[int, int]:
    """A fingerprint of the list's judgments and grades, made without reading them; and the number of its judgments."""
    state_now, judgments = copy.row(STATE, list=list_id)
    return state_now, judgments


def combinations(list_id: int, *, singles: bool, without: Sequence[int] = ()) -> Combinations:
    """`singles`: also count pairs with one judgment. On a scale without fixed steps these have too many grades to count."""
    found = copy.rows(COMBINATIONS, list=list_id, without=list(without), least=1 if singles else 2)
    names: dict[int, int] = {}
    texts: dict[str, int] = {}
    rows = [
        (names.setdefault(query_id, len(names)), texts.setdefault(text, len(texts)), pairs)
        for query_id, text, pairs in found
    ]
    return _without_singles(rows, _parse_arrays(texts), list(names))


def teams(list_id: int, scale: Floats, *, without: Sequence[int] = ()) -> Teams:
    """The raters and grades (of `scale`) of all pairs with two or more judgments."""
    raters: dict[str, int] = {}
    grades: dict[str, int] = {}
    rows = [
        (raters.setdefault(who, len(raters)), grades.setdefault(what, len(grades)), pairs)
        for who, what, pairs in copy.rows(TEAMS, list=list_id, without=list(without))
    ]
    team, kind, pairs = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    kinds, people = (Units.of_kinds([], _parse_arrays(texts), 0) for texts in (grades, raters))
    rater_ids, who = np.unique(people.grades.astype(np.int64), return_inverse=True)
    sizes = kinds.sizes[kind]
    group = np.repeat(np.arange(len(rows)), sizes)
    nth = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    grade = np.searchsorted(scale, kinds.grades)[_starts(kinds.sizes)[kind[group]] + nth]
    raters_of = who[_starts(people.sizes)[team[group]] + nth]
    judgments = np.stack([group, raters_of, kind[group], grade, pairs[group]], axis=1)
    return Teams(rater_ids.tolist(), kinds, judgments)


def _starts(sizes: Ints) -> Ints:
    starts: Ints = np.cumsum(sizes) - sizes
    return starts


def _parse_arrays(texts: Iterable[str]) -> list[list[float]]:
    """The numbers of arrays in PostgreSQL's notation, such as “{0,2.5}”."""
    return [[float(grade) for grade in text[1:-1].split(",")] for text in texts]


def _without_singles(
    rows: list[tuple[int, int, int]], kinds: list[list[float]], query_ids: list[int]
) -> Combinations:
    """Counts kinds of one grade separately, and leaves out queries that have no others."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    several = np.array([len(grades) > 1 for grades in kinds], dtype=np.bool_)
    pairs = np.bincount(table[:, 1], table[:, 2], len(kinds)).tolist()
    singles = {grades[0]: int(count) for grades, count in zip(kinds, pairs, strict=True) if len(grades) == 1}
    table = table[several[table[:, 1]]]
    used_queries, table[:, 0] = np.unique(table[:, 0], return_inverse=True)
    table[:, 1] = (np.cumsum(several) - 1)[table[:, 1]]
    units = Units.of_kinds(table, [grades for grades in kinds if len(grades) > 1], len(used_queries))
    return Combinations(units, [query_ids[place] for place in used_queries.tolist()], singles)


def rater_pairs_of(teams: Teams, grades: int) -> RaterPairs:
    """The confusion matrix of every two raters with pairs in common; `grades` is the number of grades."""
    sides = []
    group, rater, _, grade, pairs = teams.judgments.T
    for step in range(1, int(teams.kinds.sizes.max(initial=0))):
        same = group[step:] == group[:-step]
        one, other = np.flatnonzero(same), np.flatnonzero(same) + step
        swap = rater[one] > rater[other]
        one, other = np.where(swap, other, one), np.where(swap, one, other)
        sides.append(np.stack([rater[one], rater[other], grade[one], grade[other], pairs[one]]))
    first, second, row, column, times = (
        np.concatenate(sides, axis=1) if sides else np.empty((5, 0), dtype=np.int64)
    )
    raters = max(1, len(teams.rater_ids))
    both, place = np.unique(first * raters + second, return_inverse=True)
    cells = (place * grades + row) * grades + column
    counts = np.bincount(cells, times, len(both) * grades**2).reshape(len(both), grades, grades)
    return RaterPairs(teams.rater_ids, both // raters, both % raters, counts.astype(np.float64))


def rater_pairs_of_any_value(
    list_id: int, *, center: float, near: float, without: Sequence[int] = ()
) -> RaterPairs:
    """The same for grades without fixed steps: sums instead of confusion matrices."""
    rows = copy.rows(RATER_PAIRS_OF_ANY_VALUE, list=list_id, without=list(without), center=center, near=near)
    rater_ids, places = np.unique([row[:2] for row in rows], return_inverse=True)
    first, second = places.reshape(-1, 2).T
    sums = np.array([row[2:] for row in rows], dtype=np.float64).reshape(-1, 7)
    return RaterPairs(rater_ids.astype(np.int64).tolist(), first, second, sums)


def use(list_id: int) -> dict[int, dict[float | None, int]]:
    """How often each rater gave each grade; None is “cannot judge”."""
    return _by_rater(copy.rows(USE, list=list_id))


def binned_use(list_id: int, *, low: float, high: float, bins: int) -> dict[int, dict[float | None, int]]:
    """The same by bins, numbered from 0, instead of grades. A range of one value has one bin."""
    high = high if high > low else low + 1
    return _by_rater(copy.rows(BINNED_USE, list=list_id, low=low, high=high, bins=bins))


def _by_rater(rows: list[tuple[Any, ...]]) -> dict[int, dict[float | None, int]]:
    counts: dict[int, dict[float | None, int]] = {}
    for rater_id, value, count in rows:
        counts.setdefault(rater_id, {})[value] = count
    return counts
