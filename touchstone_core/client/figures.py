"""Figures of a site, with the formula that made them and the state of the grades. Their tables are DataFrames of polars.

Every table has the columns `list`, `list_version`, `list_state` and `formula`: equal texts mean equal grades and an equal formula.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import narwhals as nw

from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.notebook.results import table
from touchstone_core.notebook.scoring import NO_ANSWER, SCORED, UNDEFINED

_ORIGIN: Final = ("list", "list_version", "list_state", "formula")
_RUNS: Final = ("run", "run_id", "measure", "average", "value", "judged", "answered", "counted", *_ORIGIN)
_MEANS: Final = ("run", "measure", "mean", "median", "weighted", "queries", *_ORIGIN)
_QUERIES: Final = ("run", "query", "measure", "value", "state", "shown", "unjudged", *_ORIGIN)
_FIXES: Final = ("run", "query", "text", "cause", "value", *_ORIGIN)
_OF_RANKS: Final = ("rank", "document", "grade", "gain", "discount", "contribution", "cumulative")
_RANKS: Final = ("run", "query", *_OF_RANKS, *_ORIGIN)
_SIDES: Final = ("run", "query", *_OF_RANKS[:-1], "move", *_ORIGIN)
_HELPS: Final = (
    *("run", "machine", "people", "others", "difference", "difference_low", "difference_high"),
    *("difference_with_machine", "difference_with_machine_low", "difference_with_machine_high", "sentence"),
)
_VERDICTS: Final = (
    *("run", "run_id", "baseline", "measure", "difference", "interval_low", "interval_high", "p", "queries"),
    *("kind", "sentence", "text", *_ORIGIN),
)


@dataclass(frozen=True)
class Figures:
    """`formula` is the canonical text, and `words` what it says. `grades` names list, version and state of the grades."""

    formula: str
    words: str
    grades: Mapping[str, Any]

    @property
    def _origin(self) -> list[Cell]:
        grades = self.grades
        return [grades["name"], str(grades["version"]), grades["state"], self.formula]

    def _table(self, heads: Sequence[str], rows: Iterator[list[Cell]]) -> Any:
        return table(heads, [[*row, *self._origin] for row in rows], nw.Implementation.POLARS)


@dataclass(frozen=True)
class MachineHelps(Figures):
    """Runs beside the `baseline` with the help of machines. `rows` have all columns of the CSV file of the page, and a `sentence`."""

    measure: str
    baseline: str
    rows: list[dict[str, Any]]

    @property
    def table(self) -> Any:
        """A row for each machine and run."""
        own = (*_HELPS, "baseline", "measure", *_ORIGIN)
        values = ([*(row[name] for name in _HELPS), self.baseline, self.measure] for row in self.rows)
        return self._table(own, values)


@dataclass(frozen=True)
class RunTable(Figures):
    """The run table. `rows` are its runs with all columns of its JSON file."""

    average: str
    baseline: str | None
    rows: list[dict[str, Any]]

    @property
    def table(self) -> Any:
        """A row for each run and measure: the average, and over how many queries."""
        return self._table(_RUNS, self._rows())

    def _rows(self) -> Iterator[list[Cell]]:
        for row in self.rows:
            counts = row["counts"]
            for measure, value in row["values"].items():
                queries = row["measure_queries"].get(measure, counts["counted"])
                judged: list[Cell] = [counts["judged_queries"], counts["answered"], queries]
                yield [row["run"], row["id"], measure, self.average, value, *judged]


@dataclass(frozen=True)
class RunScores(Figures):
    """One run. `content` is the head of the JSON file of its page: averages, counts, tags, what is left out."""

    run: str
    content: dict[str, Any]

    @property
    def table(self) -> Any:
        """A row for each measure with its averages, and over how many queries."""
        return self._table(_MEANS, self._rows())

    def _rows(self) -> Iterator[list[Cell]]:
        for measure, averages in self.content["averages"].items():
            yield [self.run, measure, *(averages[name] for name in ("mean", "median", "weighted", "queries"))]


@dataclass(frozen=True)
class QueryScores(Figures):
    """The queries of one run. `rows` have all columns of the JSON file of its page."""

    run: str
    rows: list[dict[str, Any]]

    @property
    def table(self) -> Any:
        """A row for each query and measure, with the states of a notebook's `Scores.per_query`."""
        return self._table(_QUERIES, self._rows())

    def _rows(self) -> Iterator[list[Cell]]:
        for row in self.rows:
            shown: list[Cell] = [row["shown"], row["holes"]]
            for measure, value in row["values"].items():
                state = UNDEFINED if value is None else NO_ANSWER if row["retrieved"] is None else SCORED
                yield [self.run, row["id"], measure, value, state, *shown]


@dataclass(frozen=True, slots=True)
class Fix:
    """A query on which a run loses much. `values` has all columns of the query's row."""

    query_id: str
    query: str
    cause: str
    value: float | None
    values: dict[str, Any]


@dataclass(frozen=True)
class Fixes(Figures):
    """What to fix first in a run, the worst first."""

    run: str
    rows: list[Fix]

    @property
    def table(self) -> Any:
        return self._table(_FIXES, self._rows())

    def _rows(self) -> Iterator[list[Cell]]:
        for one in self.rows:
            yield [self.run, one.query_id, one.query, one.cause, one.value]


@dataclass(frozen=True)
class Explanation(Figures):
    """One query of a run. `content` is the JSON file of its page: the ranking, the ideal lists, values and losses."""

    run: str
    content: dict[str, Any]

    @property
    def table(self) -> Any:
        """A row for each rank of the ranking, with what it adds."""
        return self._table(_RANKS, self._rows())

    def _rows(self) -> Iterator[list[Cell]]:
        for row in self.content["ranking"]:
            yield [self.run, self.content["query"]["id"], *(row[name] for name in _OF_RANKS)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` is better, worse, open, unshown or same; `sentence` and `text` are what the page says.

    `p` and the interval decide, adjusted for all runs. `always_valid`: they hold however often people looked. None where
    nothing can be tested, or one run is judged too little to tell.
    """

    run_id: int
    run: str
    kind: str
    sentence: str
    text: str
    p: float | None
    interval_low: float | None
    interval_high: float | None
    always_valid: bool


@dataclass(frozen=True)
class Comparison(Figures):
    """Runs beside a baseline. `content` has all figures, with the names of the JSON file of the report.

    `unknown` says in sentences what isn't known. `up_to_date` is false while a worker compares the runs under the present grades.
    """

    recommendation: str
    verdicts: list[Verdict]
    unknown: list[str]
    up_to_date: bool
    content: dict[str, Any]

    @property
    def measure(self) -> str:
        return str(self.content["measure"])

    @property
    def baseline(self) -> str:
        return str(self.content["runs"][0]["name"])

    @property
    def table(self) -> Any:
        """A row for each run: the difference, the 95 % interval and the p-value that decide, and the verdict."""
        return self._table(_VERDICTS, self._rows())

    def _rows(self) -> Iterator[list[Cell]]:
        for one, figures in zip(self.verdicts, self.content["figures"]["comparisons"], strict=True):
            numbers: list[Cell] = [figures["difference"]["mean"], one.interval_low, one.interval_high, one.p]
            names: list[Cell] = [one.run, one.run_id, self.baseline, self.measure]
            yield [*names, *numbers, figures["queries"], one.kind, one.sentence, one.text]


@dataclass(frozen=True)
class Report(Comparison):
    """A comparison for others: `text` is Markdown or one HTML file, `runs` what changed in each run, and `page` its address."""

    subtitle: str
    runs: list[dict[str, Any]]
    page: str
    text: str


@dataclass(frozen=True)
class ComparedQuery(Figures):
    """One query in both runs. `content` has both rankings, what each move changes, values, and what explains each run’s losses."""

    baseline: str
    run: str
    content: dict[str, Any]

    @property
    def table(self) -> Any:
        """A row for each result within the cutoff, the baseline’s first."""
        return self._table(_SIDES, self._rows())

    def _rows(self) -> Iterator[list[Cell]]:
        sides = ((self.baseline, "baseline_ranking"), (self.run, "run_ranking"))
        for name, side in sides:
            for one in self.content[side]["results"]:
                figures = [one[column] for column in (*_OF_RANKS[:-1], "move")]
                yield [name, self.content["query"]["id"], *figures]


@dataclass(frozen=True, slots=True)
class AgreementByRater:
    """Each rater compared with all others on the same pairs."""

    up_to_date: bool
    headline: dict[str, Any]
    raters: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class AgreementByPair:
    """Every two raters, and how many there are. `grades` is what two gave that were named."""

    up_to_date: bool
    listed: int
    items: list[dict[str, Any]]
    grades: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class AgreementOfMachines:
    """Each machine that doesn't count compared with people's grades, which are the rows of its `counts`. `labels` are the grades."""

    up_to_date: bool
    labels: list[str]
    machines: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far raters agree. `up_to_date` is false while figures of the present judgments are worked out."""

    up_to_date: bool
    headline: dict[str, Any]
    queries: list[dict[str, Any]]


def origin_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `Figures` from an answer that names list and formula."""
    formula = answer["formula"]
    return {"formula": formula["text"], "words": formula["words"], "grades": answer["list"]}
