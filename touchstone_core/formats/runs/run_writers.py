"""Writes runs as text, query by query, so that whoever reads it puts the documents in the order in which they were evaluated.

Readers order documents by their scores, in single or double precision, and equal scores by document ID or as they please. So
scores are written as such only where they give the evaluated order.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, repeat
from typing import Final, NamedTuple

import numpy as np

from touchstone_core.formats.spreadsheet import Cell, csv_lines, neutralize
from touchstone_core.formats.writing import as_json, refuse_blanks, refuse_comment
from touchstone_core.metrics.order import at_precision, order
from touchstone_core.metrics.types import Floats
from touchstone_core.words import counted

TREC_RUN: Final = "TREC runs"
GIVEN: Final = "given_score"
"""A column that readers of runs don’t know."""


class RankingRecord(NamedTuple):
    """A query's documents in evaluated order, best first. `scores` are in the same order; None if there are none."""

    query: str
    documents: Sequence[str]
    scores: Floats | None


@dataclass(slots=True)
class RunFacts:
    """Numbers of queries: all, those without results, those without scores, those whose scores don't give the evaluated
    order, and those whose scores don't fall from each document to the next in single precision."""

    queries: int = 0
    empty: int = 0
    unscored: int = 0
    otherwise_ordered: int = 0
    not_falling: int = 0

    @property
    def replaced(self) -> int:
        """Queries whose scores a file that needs falling ones can't have."""
        return self.unscored + self.not_falling

    @property
    def score_column(self) -> str:
        """Its name in a table. Readers of runs order by a column called `score`."""
        if self.unscored + self.empty == self.queries:
            return ""
        return GIVEN if self.unscored or self.otherwise_ordered else "score"


@dataclass(frozen=True, slots=True)
class RunDescription:
    """What a writer has to know before the first ranking."""

    name: str
    facts: RunFacts


Rankings = Iterable[RankingRecord]


def survey(rankings: Rankings) -> RunFacts:
    facts = RunFacts()
    for one in rankings:
        facts.queries += 1
        if not one.documents:
            facts.empty += 1
        elif one.scores is None:
            facts.unscored += 1
        else:
            facts.otherwise_ordered += not _gives_order(one.scores, one.documents)
            facts.not_falling += not _falls(one.scores)
    return facts


def trec_notes(facts: RunFacts) -> list[str]:
    """What a file leaves out or changes of this run, in sentences."""
    notes = _empty_left_out(facts)
    if facts.replaced:
        why = "theirs are equal in single precision, give another order, or are missing"
        notes.append(f"{_queries(facts.replaced)} with scores that count down to 1: {why}.")
    return notes


def table_notes(facts: RunFacts) -> list[str]:
    notes = _empty_left_out(facts)
    if facts.score_column == GIVEN:
        told = _queries(facts.unscored + facts.otherwise_ordered)
        notes.append(
            f"Scores stand under {GIVEN}, and ranks decide: those of {told} give another order or are missing."
        )
    return notes


def json_notes(facts: RunFacts) -> list[str]:
    if not facts.otherwise_ordered:
        return []
    return [f"{_queries(facts.otherwise_ordered)} with a list of documents: their scores give another order."]


def _empty_left_out(facts: RunFacts) -> list[str]:
    return [f"{_queries(facts.empty)} without results left out."] if facts.empty else []


def _queries(count: int) -> str:
    return counted(count, "query", "queries")


def trec(rankings: Rankings, description: RunDescription) -> Iterator[str]:
    """Without a comment, which trec_eval wouldn't understand. Where scores don't fall, or are missing, they count down to 1."""
    tag = "_".join(description.name.split())
    for one in rankings:
        refuse_in_trec(one)
        scores = _falling_scores(one)
        rows = zip(one.documents, map(repr, scores), strict=True)
        yield "".join(
            [
                f"{one.query} Q0 {document} {rank} {score} {tag}\n"
                for rank, (document, score) in enumerate(rows, 1)
            ]
        )


def _falling_scores(one: RankingRecord) -> Sequence[float]:
    if one.scores is not None and _falls(one.scores):
        kept: list[float] = one.scores.tolist()
        return kept
    return range(len(one.documents), 0, -1)


def refuse_in_trec(one: RankingRecord) -> None:
    """Raises FormatError."""
    refuse_blanks([one.query, *one.documents], TREC_RUN)
    refuse_comment(one.query, TREC_RUN)


def table(rankings: Rankings, description: RunDescription) -> Iterator[str]:
    """CSV with ranks, and with scores if there are any."""
    column = description.facts.score_column
    yield from csv_lines([["query", "document", "rank", *filter(None, [column])]])
    for one in rankings:
        yield _rows(one, with_scores=bool(column))


def _rows(one: RankingRecord, *, with_scores: bool) -> str:
    """As `csv_lines` would write them, in half the time."""
    columns: list[Iterable[Cell]] = [repeat(neutralize(one.query)), map(neutralize, one.documents), count(1)]
    if with_scores:
        columns.append(repeat(None) if one.scores is None else one.scores.tolist())
    text = io.StringIO()
    csv.writer(text).writerows(zip(*columns, strict=False))  # as long as the documents
    return text.getvalue()


def json_by_query(rankings: Rankings, description: RunDescription) -> Iterator[str]:
    """A query on each line: scores by document where they alone give the evaluated order, else the documents as a list."""
    between = "{\n"
    for one in rankings:
        yield f"{between}{as_json(one.query)}: {as_json(_results(one))}"
        between = ",\n"
    yield "{}\n" if between == "{\n" else "\n}\n"


def _results(one: RankingRecord) -> dict[str, float] | list[str]:
    if one.scores is not None and _gives_order(one.scores, one.documents):
        return dict(zip(one.documents, one.scores.tolist(), strict=True))
    return list(one.documents)


def _gives_order(scores: Floats, documents: Sequence[str]) -> bool:
    return bool((order(scores, documents) == np.arange(len(documents))).all())


def _falls(scores: Floats) -> bool:
    """Every reader orders by such scores alone: what falls in single precision does so in double precision, too."""
    keys = at_precision(scores, "single")
    return bool((keys[:-1] > keys[1:]).all())
