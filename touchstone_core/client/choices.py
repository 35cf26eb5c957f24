"""What calls may be given by name."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from touchstone_core.client.calls import Key

Documents = Literal["every", "differing", "deciding", "sample"]


class PoolChoice(TypedDict, total=False):
    """Which results of runs are judged: down to the rank `depth`, with `graded_only` for queries that have grades.

    `documents` are every one, or the `differing` ones, which don't have the same rank in all of the runs; of two runs, the baseline
    first, what is `deciding` between them; of one run a random `sample`. Of the last two so many `judgments` at most, by the gain and discount of
    the `formula`.
    """

    depth: int
    graded_only: bool
    documents: Documents
    judgments: int
    formula: str


class FormulaChoice(TypedDict, total=False):
    """The formula, as addresses of pages name it. Without any of these it is the query set's default.

    `version` is that of the list; without it the grades are those of now.
    """

    k: int | str
    gain: str
    discount: str
    base: float | str
    depth: int | str
    unjudged: str
    zero: str
    missing: str
    measures: str | Sequence[str]
    average: str
    choice: str
    version: int | str


class ComparisonChoice(FormulaChoice, total=False):
    """`confirm` compares on the held-out queries, once they are open."""

    on: str | None
    confirm: bool
    intent: Key | None


class ListSettings(TypedDict, total=False):
    """How raters judge a list. Without any of these they are those of the preset."""

    description: str
    guidelines: str
    overlap: int
    adaptive_step: float
    overlap_most: int
    assignment: str
    view: str
    evidence: str
    evidence_grades: list[float]
    confidence: bool
    gold_rate: int
    onboarding: int
    repeat_rate: int
    rule: str
    tie: str
    preset: str


class ImportSettings(TypedDict, total=False):
    """How a file of queries, documents or judgments is read. What isn't said is found out, as on the page.

    `good_lines` leaves out lines with problems, instead of refusing the file. `header_line` is the line that names the columns of
    a table.
    """

    file_name: str
    format: str
    encoding: str
    header_line: int
    good_lines: bool


class JudgmentImportSettings(ImportSettings, total=False):
    """`rater`: who judged where the file names no rater. `negative` and `between`: what becomes of grades that aren't on the
    scale. `documents` imports those of a book, too. `raters` says who names of the file are, such as `gpt=machine`,
    `ann=account:anna` or `Ann=same:ann`. `origin` says what made the grades of machines, which don't count until
    an admin lets them."""

    rater: str
    raters: list[str]
    origin: str
    create_missing: bool
    documents: bool
    negative: str
    between: str


class RunFileSettings(TypedDict, total=False):
    """How a file of runs is read. Without any of these, results are sorted by score, and unknown queries and documents that
    are retrieved twice are refused."""

    file_name: str
    format: str
    order: Literal["score", "double", "rank"]
    queries: Literal["", "id", "text"]
    unknown: Literal["refuse", "skip"]
    duplicates: Literal["refuse", "first"]
    encoding: str
    header_line: int


class RunDetails(TypedDict, total=False):
    """What there is to know about a run."""

    name: str
    tags: Sequence[str]
    commit: str
    link: str
    notes: str


class RunSettings(RunFileSettings, RunDetails, total=False):
    """`several` runs of one file are refused, or stored one by one."""

    several: Literal["refuse", "split"]
