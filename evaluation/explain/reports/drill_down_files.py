"""One query of a run as CSV and as JSON: the whole ranking and the four ideal lists, every digit."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from evaluation.explain.reports.drill_down import DrillDown, FurtherValue, IdealList
from evaluation.scores.reports.state import State
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.metrics.worked_query import IdealRow


def drill_down_csv(shown: DrillDown, state: State) -> Iterator[list[Cell]]:
    """Ranking and ideal lists below each other, one rank a line: the part is in the column `of`.

    `place` is the rank that counts where the formula takes unjudged documents out of the ranking.
    """
    yield [
        *("list", "formula", "run", "query id", "query", "of", "rank", "document", "grade"),
        *(
            "gain",
            "discount",
            "contribution",
            "cumulative DCG",
            "retrieval score",
            "consensus",
            "place",
            "tied ranks",
        ),
        *state.csv_header,
    ]
    names: list[Cell] = [
        state.list_name, shown.formula.key, shown.run.name, shown.query.external_id, shown.query.text,
    ]  # fmt: skip
    for name, row in zip(shown.documents, shown.worked.rows, strict=True):
        yield [
            *names, "ranking", row.rank, name, row.grade, row.gain, row.discount, row.contribution,
            row.cumulative, shown.score(row), shown.chip(name).how, row.place, shown.tied(row), *state.csv_cells,
        ]  # fmt: skip
    for ideal in shown.ideals():
        for line in _ideal_lines(names, ideal):
            yield [*line, *state.csv_cells]


def _ideal_lines(names: list[Cell], ideal: IdealList) -> Iterator[list[Cell]]:
    total = 0.0
    for place in ideal.rows:
        row = place.worked
        total += row.contribution
        yield [
            *names, f"ideal {ideal.name}", row.rank, place.external_id, row.grade, row.gain, row.discount,
            row.contribution, total, None, place.grade.how, row.rank, "",
        ]  # fmt: skip


def drill_down_json(shown: DrillDown, further: Sequence[FurtherValue], state: State) -> dict[str, Any]:
    """Values by canonical text; null is a value that is undefined or left out."""
    formula, worked = shown.formula, shown.worked
    ideals = shown.ideals()
    values = {ideal.measure: ideal.ndcg.number for ideal in ideals}
    values[formula.dcg_measure()] = worked.dcg if worked.counted else None
    for one in further:
        values.setdefault(one.text, one.value.number)
    return {
        "list": state.as_json,
        "run": {"id": shown.run.pk, "name": shown.run.name},
        "query": {"id": shown.query.external_id, "text": shown.query.text},
        "formula": {"text": formula.key, "words": formula.words()},
        "values": values,
        "ideals": {ideal.name: ideal.total for ideal in ideals},
        "lost": dict(worked.losses),
        "counts": {
            "retrieved": None if shown.missing else len(shown.documents),
            "judged": shown.judged,
            "holes": shown.holes,
        },
        "left_out": values[formula.measure("global")] is None,
        "ties": shown.ties.as_json() if shown.ties else None,
        "ranking": [
            asdict(row)
            | {"document": name, "retrieval_score": shown.score(row), "tied_ranks": shown.tied(row) or None}
            for name, row in zip(shown.documents, worked.rows, strict=True)
        ],
        "ideal_lists": {
            ideal.name: [_place(place.worked, place.external_id) for place in ideal.rows] for ideal in ideals
        },
    }


def _place(row: IdealRow, external_id: str) -> dict[str, Any]:
    """The ideal max names no document."""
    found = asdict(row) | {"document": external_id or None}
    del found["source"]
    return found
