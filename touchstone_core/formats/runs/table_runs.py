"""Runs as CSV or TSV with a header: `query, document[, rank][, score]`, in any order of columns."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from touchstone_core.formats import cells
from touchstone_core.formats.delimiters import MOST_COLUMNS, detect_delimiter, without_separator_line
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.runs.options import Options, RunRows, refuse_query
from touchstone_core.formats.runs.rankings import Rows
from touchstone_core.formats.runs.trec import refuse_id, refuse_score
from touchstone_core.formats.tables import DOCUMENT_HEADERS, Column, match_columns, open_table
from touchstone_core.formats.text import Text

IDS: Final = ("query_id", "qid")
TEXTS: Final = ("query_text", "search_text")
QUERY: Final = Column("query", (*IDS, "query", *TEXTS, "topic_id", "topic"), required=True)
QUERY_TEXT: Final = Column("query", (*TEXTS, "query", "topic", *IDS), required=True)
OTHERS: Final = (
    Column("document", DOCUMENT_HEADERS, required=True),
    Column("rank", ("rank", "position", "doc_position", "pos"), number=True),
    Column("score", ("score", "retrieval_score", "similarity", "sim"), number=True),
)
GRADES: Final = ("rating", "grade", "judgment", "judgement", "relevance", "label", "esci_label")
SNAPSHOT: Final = (Column("snapshot", ("snapshot_name",), required=True), Column("time", ("snapshot_time",)))


def run_columns(options: Options) -> tuple[Column, ...]:
    return (QUERY_TEXT if options.queries == "text" else QUERY, *OTHERS)


def names_texts(header: str, options: Options) -> bool:
    """Whether a column with this header has texts of queries. The header decides unless somebody chose."""
    by_header = re.sub(r"[\s_-]", "", header.casefold()) in {alias.replace("_", "") for alias in TEXTS}
    return options.queries == "text" or (by_header and not options.queries)


def refuse_judgments(name: str, headers: Iterable[str], targets: Collection[str]) -> None:
    """Refuses judgments: they have the columns of a run without ranks and scores, and would silently become one."""
    grade = next((header for header in headers if header.casefold() in GRADES), None)
    if grade is not None and not {"rank", "score"} & set(targets):
        raise FormatError(f"{name} holds judgments: it has a column “{grade}”, and neither rank nor score.")


def looks_like_snapshots(text: Text) -> bool:
    """Judges by the first line that isn't a comment."""
    return _matches(_headers(_first_line(text)), (*SNAPSHOT, QUERY_TEXT, *OTHERS))


def looks_like_table(text: Text) -> bool:
    """Whether the first line that isn't a comment names columns or has delimiters."""
    first = _first_line(text)
    headers, parts = _headers(first), first.split()
    has_ranks = (
        len(parts) == 3 and "\t" in first and parts[2].isdecimal()
    )  # query, document and rank, as of MS MARCO
    cut = len(headers) > 1 and len(parts) not in (5, 6) and parts[1:2] != ["Q0"] and not has_ranks
    return len(headers) > MOST_COLUMNS or cut or _matches(headers, (QUERY, *OTHERS))


def _first_line(text: Text) -> str:
    content = without_separator_line(text.start)
    lines = (line for line in content.split("\n", 1000) if line.strip() and not line.startswith("#"))
    return next(lines, "")


def _headers(first: str) -> list[str]:
    """At most one header more than the reader accepts, so that it can refuse the file."""
    return [cell.strip(' "') for cell in first.split(detect_delimiter(first), MOST_COLUMNS)]


def read_columns(
    text: Text, report: Report, options: Options, *, format: str = "csv", snapshots: bool = False
) -> RunRows:
    """In Quepid's files each snapshot is a run."""
    columns = (*SNAPSHOT, QUERY_TEXT, *OTHERS) if snapshots else run_columns(options)
    table = open_table(text, columns, report, columns=options.columns, format=format)
    refuse_judgments(text.name, table.headers, table.columns)
    by_text = names_texts(table.columns["query"], options)
    runs: dict[tuple[str, str], dict[str, Rows]] = {}
    for row in table.rows:
        key = (row.cells["snapshot"], row.cells.get("time", "")) if snapshots else ("", "")
        add_row(row.line, row.cells, runs.setdefault(key, {}), report, by_text=by_text)
    return RunRows(_name_runs(runs), by_text=by_text, format="" if snapshots else table.format)


def _matches(headers: Sequence[str], columns: Sequence[Column]) -> bool:
    if len(headers) < sum(column.required for column in columns):  # as the first row of a TREC run
        return False
    try:
        match_columns(headers, columns)
    except FormatError:
        return False
    return True


def _name_runs(runs: dict[tuple[str, str], dict[str, Rows]]) -> dict[str, dict[str, Rows]]:
    """Runs by name, or by name and time if two snapshots have the same name."""
    name_counts = Counter(name for name, _ in runs)
    return {name if name_counts[name] == 1 else f"{name} {time}": rows for (name, time), rows in runs.items()}


def add_row(
    line: int, row: Mapping[str, str], rows_by_query: dict[str, Rows], report: Report, *, by_text: bool
) -> None:
    """Adds a row of a table. If a column exists, every row needs a value in it."""
    query, document = row["query"], row["document"]
    score_text, rank_text = row.get("score", "0"), row.get("rank", "0")
    score, rank = cells.number(score_text), cells.number(rank_text)
    faults = [
        refuse_query(line, query, report, by_text=by_text),
        refuse_id(line, "document", document, report),
    ]
    if score is None:
        refuse_score(line, score_text, report)
    if rank is None or rank % 1:
        report.error(line, "rank", rank_text, "a whole number", kind="rank not a whole number")
        rank = None
    if any(faults) or score is None or rank is None:
        return
    rows = rows_by_query.setdefault(query, Rows(line))
    rows.documents.append(document)
    rows.lines.append(line)
    if "score" in row:
        rows.scores.append(score)
    if "rank" in row:
        rows.ranks.append(int(rank))
