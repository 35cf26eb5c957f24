"""One query of a run as CSV and as JSON: the whole ranking and the four ideal lists, every digit."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from evaluation.explain.reports.drill_down import DrillDown, IdealList
from evaluation.scores.reports.state import State
from touchstone_core.comparison.values import Value, kept_shares
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.metrics.worked_query import IdealRow


def drill_down_csv(drill_down: DrillDown, state: State) -> Iterator[list[Cell]]:
    """Ranking and ideal lists, one line for each rank. The column `of` says which list it belongs to.

    `place` is the rank that counts where the formula takes unjudged documents out of the ranking.
    """
    yield [
        *(
            "list",
            "formula",
            "run",
            "query id",
            "query",
            "of",
            "rank",
            "document",
            "grade",
            "gain",
            "discount",
        ),
        *("contribution", "cumulative DCG", "retrieval score", "consensus", "place", "tied ranks"),
        *state.cells,
    ]
    names: list[Cell] = [
        state.list_name, drill_down.formula.key, drill_down.run.name, drill_down.query.external_id, drill_down.query.text,
    ]  # fmt: skip
    for name, row in zip(drill_down.documents, drill_down.worked.rows, strict=True):
        yield [
            *names, "ranking", row.rank, name, row.grade, row.gain, row.discount, row.contribution,
            row.cumulative, drill_down.score(row), drill_down.chip(name).how, row.place, drill_down.tied(row), *state.cells.values(),
        ]  # fmt: skip
    for ideal in drill_down.ideals():
        for line in _ideal_lines(names, ideal):
            yield [*line, *state.cells.values()]


def _ideal_lines(names: list[Cell], ideal: IdealList) -> Iterator[list[Cell]]:
    total = 0.0
    for place in ideal.rows:
        row = place.worked
        total += row.contribution
        yield [
            *names, f"ideal {ideal.name}", row.rank, place.external_id, row.grade, row.gain, row.discount,
            row.contribution, total, None, place.grade.how, row.rank, "",
        ]  # fmt: skip


def drill_down_json(drill_down: DrillDown, further: Mapping[str, Value], state: State) -> dict[str, Any]:
    """Values by canonical text; null is a value that is undefined or left out."""
    formula, worked = drill_down.formula, drill_down.worked
    ideals = drill_down.ideals()
    values = {ideal.measure: ideal.ndcg.number for ideal in ideals}
    values[formula.dcg_measure()] = worked.dcg if worked.counted else None
    for text, one in further.items():
        values.setdefault(text, one.number)
    return {
        "list": state.as_json,
        "run": {"id": drill_down.run.pk, "name": drill_down.run.name},
        "query": {"id": drill_down.query.external_id, "text": drill_down.query.text},
        "formula": {"text": formula.key, "words": formula.words()},
        "values": values,
        "ideals": {ideal.name: ideal.total for ideal in ideals},
        "lost": dict(worked.losses),
        "kept": kept_shares(drill_down.ladder),
        "counts": {
            "retrieved": None if drill_down.missing else len(drill_down.documents),
            "judged": drill_down.judged,
            "holes": drill_down.holes,
        },
        "left_out": values[formula.measure("global")] is None,
        "ties": drill_down.ties.as_json() if drill_down.ties else None,
        "ranking": [
            asdict(row)
            | {
                "document": name,
                "retrieval_score": drill_down.score(row),
                "tied_ranks": drill_down.tied(row) or None,
            }
            for name, row in zip(drill_down.documents, worked.rows, strict=True)
        ],
        "ideal_lists": {
            ideal.name: [_place(place.worked, place.external_id) for place in ideal.rows] for ideal in ideals
        },
    }


def _place(row: IdealRow, external_id: str) -> dict[str, Any]:
    """The ideal max names no document."""
    record = asdict(row) | {"document": external_id or None}
    del record["source"]
    return record
