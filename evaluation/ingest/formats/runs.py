"""A run file of any format: detect the format, read it, check its queries against the query set."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from evaluation.ingest.formats.json_runs import read_json
from evaluation.ingest.formats.rankings import Duplicates, Order, ParsedRanking, Rows, finish
from evaluation.ingest.formats.table_runs import looks_like_table, read_columns
from evaluation.ingest.formats.trec import Trailing, read_trec
from judgments.formats.problems import FormatError, Report
from judgments.formats.text import Text

FORMATS = ("trec", "csv", "tsv", "json")


@dataclass(frozen=True, slots=True)
class ParsedRun:
    """A file's rankings in the order in which its queries first appear; `rows` counts the documents in them.

    `name` is the tag of a TREC file, else empty. Rankings of a file whose report has errors hold only the good rows.
    """

    name: str
    format: str
    notes: str
    rankings: list[ParsedRanking]
    report: Report
    rows: int


def detect_format(content: str) -> str:
    """json, csv (any delimiter) or trec, from the first characters and the first line that is no comment."""
    if content[:1000].lstrip()[:1] in ("{", "["):
        return "json"
    return "csv" if looks_like_table(content) else "trec"


def read_run(
    text: Text,
    *,
    format: str | None = None,
    order: Order = "score",
    duplicates: Duplicates = "refuse",
    columns: Mapping[str, str] | None = None,
    trailing: Trailing = "refuse",
) -> ParsedRun:
    """Rankings in evaluated order with a report by line. `columns` maps query, document, rank, score to CSV headers.

    `trailing`: words behind the tag of a TREC row are refused, or left out with a warning as trec_eval does silently.

    Raises FormatError where nothing can be read: an empty file, no rows, broken JSON, no rank column to order by.
    A faster reader may take over by format and size as long as it returns the same.
    """
    if not text.content.strip():
        raise FormatError(f"{text.name} is empty.")
    chosen = format or detect_format(text.content)
    report = Report()
    name, notes = "", ""
    if chosen == "trec":
        name, notes, gathered = read_trec(text, report, order=order, trailing=trailing)
    elif chosen == "json":
        gathered = read_json(text, report)
    elif chosen in FORMATS:
        chosen, gathered = read_columns(text, report, columns=columns, format=chosen)
    else:
        raise FormatError(f"{chosen} is not a format to choose from: {', '.join(FORMATS)}.")
    if not gathered and report.ok:
        raise FormatError(f"{text.name} holds no ranking.")
    return _finished(text, name, chosen, notes, gathered, report, order=order, duplicates=duplicates)


def check_queries(
    parsed: ParsedRun, known: Collection[str], *, unknown: Literal["refuse", "skip"] = "refuse"
) -> ParsedRun:
    """The run with its unknown queries reported, each with its first line: as errors, or as warnings and left out."""
    known = known if isinstance(known, (set, frozenset, dict)) else set(known)
    report = parsed.report.copy()
    tell = report.error if unknown == "refuse" else report.warn
    rankings = [ranking for ranking in parsed.rankings if ranking.query in known]
    for ranking in parsed.rankings:
        if ranking.query not in known:
            tell(ranking.line, "query", ranking.query, "a query of the query set", kind="unknown query")
    if unknown == "refuse":
        return replace(parsed, report=report)
    if not rankings:
        report.error(None, "", "no known query", "at least one query of the query set", kind="no known query")
    return replace(parsed, report=report, rankings=rankings, rows=_count(rankings))


def _finished(
    text: Text,
    name: str,
    format: str,
    notes: str,
    gathered: dict[str, Rows],
    report: Report,
    *,
    order: Order,
    duplicates: Duplicates,
) -> ParsedRun:
    if order == "rank" and not all(rows.ranks or not rows.documents for rows in gathered.values()):
        raise FormatError(f"{text.name} has no ranks to order by.")
    rankings = [
        finish(query, rows, report, order=order, duplicates=duplicates) for query, rows in gathered.items()
    ]
    return ParsedRun(name, format, notes, rankings, report, _count(rankings))


def _count(rankings: list[ParsedRanking]) -> int:
    return sum(len(ranking.documents) for ranking in rankings)
