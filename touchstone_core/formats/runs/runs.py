"""Reads a run file of any format: detects the format, reads it, and checks its queries against the query set."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from touchstone_core.formats import cells
from touchstone_core.formats.archives import members
from touchstone_core.formats.detection import JUDGMENTS, QUERIES, kind_of, kind_of_tool
from touchstone_core.formats.file_format import detect_format, find_format
from touchstone_core.formats.json_keys import begins_as_json
from touchstone_core.formats.packing import PARQUET as MAGIC
from touchstone_core.formats.packing import stem, unpack
from touchstone_core.formats.preamble import named_in, preamble_left_out, tell_preamble, without_preamble
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.runs.declarations import FORMATS, JSON_LINES, PARQUET, TREC, RunFormat
from touchstone_core.formats.runs.json_runs import load, refuse_search_answers
from touchstone_core.formats.runs.options import MOST_RUNS, Options, OtherShapeError, RunRows
from touchstone_core.formats.runs.parquet_runs import read_parquet
from touchstone_core.formats.runs.rankings import Ranking, finish
from touchstone_core.formats.text import Text, decode, tell_encoding

Unknown = Literal["refuse", "skip"]
UNKNOWN_QUERY: Final = "unknown query"
NO_KNOWN_QUERY: Final = "no known query"
A_KNOWN_QUERY: Final = "at least one that is in this query set"


@dataclass(frozen=True, slots=True)
class ParsedRun:
    """A run's rankings in the order in which its queries first appear; `rows` counts the documents in them.

    `name` is the tag of a TREC file or another name in the file. It may be empty. `by_text`: its queries are texts, not
    external IDs (`check_queries` makes IDs of them, and finds if there is `no_known_query`). If the report has errors, the
    rankings only hold the good rows.
    """

    name: str
    format: str
    notes: str
    rankings: Sequence[Ranking]
    report: Report
    rows: int
    by_text: bool = False
    no_known_query: bool = False


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """All runs of a file, or of the files of an `archive`. At least one unless `report` has errors.

    Each run's own report has the problems of that run and of the whole file.
    """

    format: str
    runs: list[ParsedRun]
    report: Report
    archive: bool = False


def read_file(
    data: bytes, *, name: str, limit: int, options: Options | None = None, encoding: str | None = None
) -> ParsedFile:
    """Reads an uploaded file: plain, packed or an archive of several. `limit` is for the unpacked bytes.

    Raises FormatError if nothing can be read: see `read_runs`, `unpack` and `decode`.
    """
    options = options or Options()
    if files := members(data, name=name, limit=limit):
        parts = [
            (inner, read_file(content, name=inner, limit=limit, options=options, encoding=encoding))
            for inner, content in files
        ]
        return _together(parts, name)
    raw = unpack(data, name=name, limit=limit)
    if options.format == PARQUET.name or (not options.format and raw.startswith(MAGIC)):
        report = Report()
        content = read_parquet(raw, name, report, options, limit=limit)
        return build_file(name, PARQUET, content, report, options)
    text = decode(raw, name=name, encoding=encoding, limit=limit)
    file = read_runs(text, options)
    for report in {id(one): one for one in (file.report, *(run.report for run in file.runs))}.values():
        tell_encoding(text, report)
    return file


def read_runs(text: Text, options: Options | None = None) -> ParsedFile:
    """Rankings in evaluated order, with a report by line.

    Raises FormatError if nothing can be read: an empty file, no rows, invalid JSON, no rank column to order by.
    """
    options = options or Options()
    if not text.content.strip():
        raise FormatError(f"{text.name} is empty.")
    text = named_in(text, options.header_line)
    report = Report()
    run_format = find_format(options.format, FORMATS) if options.format else None
    if not (run_format.reads_json(text) if run_format else begins_as_json(text)):
        with preamble_left_out(text, options.columns) as table:
            detected = run_format or detect_format(table, FORMATS)
            content = detected.read(table, report, options)
        tell_preamble(table, report)
        if detected is not run_format and not report.ok and kind_of(text) == QUERIES:
            message = (
                f"{text.name} looks like queries. Each line of a run has a document and a score or rank, too."
            )
            raise FormatError(message)
        return build_file(text.name, detected, content, report, options)
    document = load(text, report, lines=run_format is JSON_LINES)
    refuse_search_answers(document, text.name)
    run_format = run_format or next(one for one in FORMATS.values() if one.fits(document))
    kind = kind_of_tool(text) if run_format.name == "json" and not options.format else ""
    if kind in (JUDGMENTS, QUERIES):  # else each of its names would be refused as a query
        raise FormatError(f"{text.name} holds {kind}, not a run.")
    try:
        content = run_format.read_json(document, text.name, report, options)
    except OtherShapeError as error:
        message = f"{text.name} is no {run_format.label}: it has no {error} where that belongs."
        raise FormatError(message) from None
    return build_file(text.name, run_format, content, report, options)


def only_run(file: ParsedFile, name: str) -> ParsedRun:
    """Raises FormatError for a file of several runs."""
    refuse_several(file, name)
    return file.runs[0]


def refuse_several(file: ParsedFile, name: str, cure: str = "Use a file with one run.") -> None:
    """Raises FormatError for a file of several runs."""
    if len(file.runs) > 1:
        names = ", ".join(run.name or "one without a name" for run in file.runs)
        raise FormatError(f"{name} holds {len(file.runs)} runs ({names}). {cure}")


def is_trec(content: str) -> bool:
    """Whether a file that begins like this is read as a TREC run."""
    text = without_preamble(Text("", content, ""))
    return not begins_as_json(text) and detect_format(text, FORMATS) is TREC


def name_by_text(file: ParsedFile, query_ids: Collection[str], texts: Collection[str]) -> ParsedFile:
    """The file with those runs by text whose names of queries are texts, and none of them an ID."""

    def is_by_text(run: ParsedRun) -> bool:
        names = {ranking.query for ranking in run.rankings}
        return run.by_text or (not names.isdisjoint(texts) and names.isdisjoint(query_ids))

    return replace(file, runs=[replace(run, by_text=is_by_text(run)) for run in file.runs])


def check_queries(
    run: ParsedRun,
    query_ids: Collection[str],
    *,
    texts: Mapping[str, Collection[str]] | None = None,
    unknown: Unknown = "refuse",
) -> ParsedRun:
    """The run by external IDs. Reports unknown queries with their first lines, as errors or left out with a warning.

    `query_ids` are the external IDs, and `texts` the IDs of the queries with a text. A text of two queries names neither.
    """
    query_ids = query_ids if isinstance(query_ids, (set, frozenset, dict)) else set(query_ids)
    texts = texts or {}
    report = run.report.copy()
    tell = report.error if unknown == "refuse" else report.warn
    rankings = []
    for ranking in run.rankings:
        ids = texts.get(ranking.query, ()) if run.by_text else [ranking.query] * (ranking.query in query_ids)
        if len(ids) == 1:
            rankings.append(replace(ranking, query=next(iter(ids))))
            continue
        kind = "text of several queries" if ids else UNKNOWN_QUERY
        expected = _expectation(run, ranking.query, len(ids), query_ids, texts)
        tell(ranking.line, "query", ranking.query, expected, kind=kind)
    if unknown == "refuse" and not report.ok:
        return replace(run, report=report, no_known_query=not rankings)
    if not rankings:
        of_run = f" in run “{run.name}”" if run.name else ""
        report.error(None, "", f"no known query{of_run}", A_KNOWN_QUERY, kind=NO_KNOWN_QUERY)
    return replace(
        run,
        report=report,
        rankings=rankings,
        rows=_count(rankings),
        by_text=False,
        no_known_query=not rankings,
    )


def check_file(
    file: ParsedFile,
    query_ids: Collection[str],
    *,
    texts: Mapping[str, Collection[str]] | None = None,
    unknown: Unknown = "refuse",
) -> ParsedFile:
    """`check_queries` for each run. Where unknown queries are skipped, one without any other is no reason to refuse the rest."""
    runs = [check_queries(run, query_ids, texts=texts, unknown=unknown) for run in file.runs]
    if len(runs) == 1:
        return replace(file, runs=runs, report=runs[0].report)
    report = file.report.copy()
    leaves_out = unknown == "skip" and not all(run.no_known_query for run in runs)
    for before, after in zip(file.runs, runs, strict=True):
        if leaves_out and after.no_known_query:
            left_out = "no known query, so it’s left out"
            report.warn(None, f"run “{after.name}”", left_out, A_KNOWN_QUERY, kind=NO_KNOWN_QUERY)
        else:
            report.add_all(after.report, since=before.report)
    return replace(file, runs=runs, report=report)


def _expectation(
    run: ParsedRun, query: str, matches: int, query_ids: Collection[str], texts: Mapping[str, Collection[str]]
) -> str:
    """What the reader expected instead of a query, with a hint if the file names queries the other way."""
    if matches:
        return f"a text that only one query has (this one has {matches}; name queries by ID)"
    if not run.by_text:
        hint = "; this is the text of one: choose to read queries by text" if query in texts else ""
        return f"the ID of a query in this query set{hint}"
    hint = "; this is the ID of one: choose to read queries by ID" if query in query_ids else ""
    return f"the exact text of a query in this query set{hint}"


def build_file(
    name: str, format: RunFormat, content: RunRows, report: Report, options: Options
) -> ParsedFile:
    """Puts the rows of every run in order. Raises FormatError if there is no ranking, or no rank to order by."""
    runs = content.runs or {"": {}}  # none where no row is good
    if report.ok and not any(runs.values()):
        raise FormatError(f"{name} holds no ranking.")
    _refuse_many(name, len(runs))
    for tag in runs:
        if fault := cells.text_fault(tag):
            report.error(None, "name of a run", tag, fault, kind="name of a run")
    every = (rows for rows_by_query in runs.values() for rows in rows_by_query.values())
    if options.order == "rank" and not all(rows.ranks or not rows.documents for rows in every):
        raise FormatError(f"{name} has no ranks to order by. Order by score instead.")
    file = ParsedFile(content.format or format.name, [], report if len(runs) == 1 else report.copy())
    for tag, rows_by_query in runs.items():
        own = report if len(runs) == 1 else report.copy()
        rankings = [
            finish(query, rows, own, order=options.order, duplicates=options.duplicates)
            for query, rows in rows_by_query.items()
        ]
        count = _count(rankings)
        file.runs.append(ParsedRun(tag, file.format, content.notes, rankings, own, count, content.by_text))
        if own is not report:
            file.report.add_all(own, since=report)
    return file


def _refuse_many(name: str, runs: int) -> None:
    if runs > MOST_RUNS:
        raise FormatError(f"{name} holds {runs:,} runs. Split it into files of at most {MOST_RUNS}.")


def _together(parts: Sequence[tuple[str, ParsedFile]], name: str) -> ParsedFile:
    """The runs of several files. A run without a name of its own gets the name of its file."""
    runs = [(inner, _with_file_name(run, inner)) for inner, file in parts for run in file.runs]
    _refuse_many(name, len(runs))
    names = Counter(run.name.casefold() for _, run in runs)
    whole = ParsedFile(parts[0][1].format, [], Report(), archive=True)
    for inner, run in runs:
        unique = run.name and names[run.name.casefold()] == 1
        whole.runs.append(run if unique else replace(run, name=stem(inner)))
        whole.report.add_all(run.report)
    return whole


def _with_file_name(run: ParsedRun, file: str) -> ParsedRun:
    """The run, with the name of its file in its report."""
    report = run.report.copy()
    for findings in (report.errors, report.warnings):
        findings.first = [
            replace(problem, column=f"{problem.column} in {file}" if problem.column else file)
            for problem in findings.first
        ]
    return replace(run, report=report)


def _count(rankings: Sequence[Ranking]) -> int:
    return sum(ranking.size for ranking in rankings)
