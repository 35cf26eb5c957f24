"""What the contenders give, query by query, and where they differ from ours.

trec_eval's code orders equal scores as we do, so every query must agree. ranx and scikit-learn break ties in ways of
their own: there every query must agree in which no equal scores belong to documents of different grades, and the
others are told apart as left to ties.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from benchmarks.data import Files
from benchmarks.rivals import IN_TREC_EVAL, MEASURES, Values

EXACT = 1e-9
# How far the value of a query may be from ours, by the contender's name.
TOLERANCE = {
    "pytrec_eval": EXACT,
    "ir_measures": EXACT,
    "trec_eval": 5.1e-5,  # it prints four decimals
    "ranx": EXACT,
    "scikit-learn": EXACT,
}
OWN_TIES = ("ranx", "scikit-learn")
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Comparison:
    """`compared` values lie no farther than `greatest` from ours; `ties` queries were left to ties, and differ."""

    compared: int
    greatest: float
    ties: int
    mismatches: list[str]


def values_of_ours(output: str) -> Values:
    measures = json.loads(output)["runs"][0]["measures"]
    return {measure: found["per_query"] for measure, found in measures.items()}


def values_of_trec_eval(output: str) -> Values:
    names = dict(zip(IN_TREC_EVAL, MEASURES, strict=True))
    values: Values = {measure: {} for measure in MEASURES}
    for line in output.splitlines():
        name, query, value = line.split()
        if query != "all" and name in names:
            values[names[name]][query] = float(value)
    return values


def queries_left_to_ties(made: Files) -> set[str]:
    """The queries in which documents of different grades have equal scores. What is not judged has the grade 0."""
    run = _read(made.run, {0: "query", 2: "document", 4: "score"}, 6)
    qrels = _read(made.qrels, {0: "query", 2: "document", 3: "grade"}, 4)
    graded = run.join(qrels, on=["query", "document"], how="left").with_columns(
        pl.col("grade").fill_null(0.0)
    )
    grades = graded.group_by("query", "score").agg(pl.col("grade").n_unique())
    return set(grades.filter(pl.col("grade") > 1)["query"].to_list())


def compare(name: str, ours: Values, theirs: Values, left_to_ties: Collection[str]) -> Comparison:
    """Their values of every query against ours. A query or a measure that one side lacks is a mismatch, too."""
    excused = left_to_ties if name in OWN_TIES else ()
    compared, greatest, moved, mismatches = 0, 0.0, set(), []
    for measure, values in theirs.items():
        if values.keys() != ours[measure].keys():
            mismatches.append(f"{name} has {measure} of {len(values)} queries, we of {len(ours[measure])}")
        for query in values.keys() & ours[measure].keys():
            difference = abs(values[query] - ours[measure][query])
            if query in excused:
                moved |= {query} if difference > TOLERANCE[name] else set()
                continue
            compared, greatest = compared + 1, max(greatest, difference)
            if not difference <= TOLERANCE[name]:
                mismatches.append(
                    f"{name} gives {measure} {values[query]!r} for query {query}, we {ours[measure][query]!r}"
                )
    if not compared:
        mismatches.append(f"{name} gives no value to compare")
    return Comparison(compared, greatest, len(moved), mismatches)


def told(mismatches: list[str]) -> str:
    more = len(mismatches) - SHOWN
    return "\n".join([*mismatches[:SHOWN], *([f"and {more} more"] if more > 0 else [])])


def _read(path: object, wanted: dict[int, str], columns: int) -> pl.DataFrame:
    numbers = {"score", "grade"}
    schema = {
        wanted.get(place, f"column_{place}"): pl.Float64() if wanted.get(place) in numbers else pl.String()
        for place in range(columns)
    }
    return pl.read_csv(
        str(path), separator=" ", has_header=False, quote_char=None, schema=schema, columns=list(wanted)
    ).select(wanted.values())
