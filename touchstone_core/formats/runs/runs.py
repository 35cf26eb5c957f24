"""A run file of any format: detect the format, read it, check its queries against the query set."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from touchstone_core.formats import cells
from touchstone_core.formats.archives import members
from touchstone_core.formats.file_format import detected, named
from touchstone_core.formats.json_keys import begins_as_json
from touchstone_core.formats.packing import PARQUET as MAGIC
from touchstone_core.formats.packing import stem, unpack
from touchstone_core.formats.problems import KEPT, Findings, FormatError, Report
from touchstone_core.formats.runs.declarations import FORMATS, JSON_LINES, PARQUET, TREC, RunFormat
from touchstone_core.formats.runs.json_runs import load
from touchstone_core.formats.runs.options import MOST_RUNS, Found, Naming, Options, OtherShapeError, Trailing
from touchstone_core.formats.runs.parquet_runs import read_parquet
from touchstone_core.formats.runs.rankings import Duplicates, Order, ParsedRanking, Rows, finish
from touchstone_core.formats.text import Text, decode, tell_encoding

Unknown = Literal["refuse", "skip"]


@dataclass(frozen=True, slots=True)
class ParsedRun:
    """A run's rankings in the order in which its queries first appear; `rows` counts the documents in them.

    `name` is the tag of a TREC file, or what else names the run in the file; may be empty. `by_text`: its queries are
    texts, not external ids (`check_queries` makes ids of them). Rankings of a file whose report has errors hold only
    the good rows.
    """

    name: str
    format: str
    notes: str
    rankings: list[ParsedRanking]
    report: Report
    rows: int
    by_text: bool = False


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """All runs of a file, at least one unless `report` has errors, and everything there is to say about them. Those of an
    `archive` come from several files.

    Each run's own report holds what concerns that run, and what concerns the whole file.
    """

    format: str
    runs: list[ParsedRun]
    report: Report
    archive: bool = False


def read_file(
    data: bytes, *, name: str, limit: int, options: Options | None = None, encoding: str | None = None
) -> ParsedFile:
    """A file as it was uploaded, plain or packed, or an archive of several; `limit` bounds its bytes after unpacking.

    Raises FormatError where nothing can be read: see `read_runs`, `unpack` and `decode`.
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
        found = read_parquet(raw, name, report, options, limit=limit)
        return _parsed(name, PARQUET, found, report, options)
    text = decode(raw, name=name, encoding=encoding, limit=limit)
    parsed = read_runs(text, options)
    for report in {id(one): one for one in (parsed.report, *(run.report for run in parsed.runs))}.values():
        tell_encoding(text, report)
    return parsed


def read_runs(text: Text, options: Options | None = None) -> ParsedFile:
    """Rankings in evaluated order with a report by line.

    Raises FormatError where nothing can be read: an empty file, no rows, broken JSON, no rank column to order by.
    """
    options = options or Options()
    if not text.content.strip():
        raise FormatError(f"{text.name} is empty.")
    report = Report()
    chosen = named(options.format, FORMATS) if options.format else None
    if not (chosen.reads_json(text) if chosen else begins_as_json(text)):
        chosen = chosen or detected(text, FORMATS)
        return _parsed(text.name, chosen, chosen.read(text, report, options), report, options)
    content = load(text, report, lines=chosen is JSON_LINES)
    chosen = chosen or next(one for one in FORMATS.values() if one.fits(content))
    try:
        found = chosen.read_json(content, text.name, report, options)
    except OtherShapeError as error:
        message = f"{text.name} is no {chosen.label}: it has no {error} where that stands."
        raise FormatError(message) from None
    return _parsed(text.name, chosen, found, report, options)


def read_run(
    text: Text,
    *,
    format: str | None = None,
    order: Order = "score",
    duplicates: Duplicates = "refuse",
    queries: Naming = "",
    columns: Mapping[str, str] | None = None,
    trailing: Trailing = "refuse",
) -> ParsedRun:
    """The only run of a text, as `read_runs` reads it. A faster reader may take over if it returns the same."""
    options = Options(format or "", order, duplicates, "refuse", queries, columns, trailing)
    return only_run(read_runs(text, options), text.name)


def only_run(parsed: ParsedFile, name: str) -> ParsedRun:
    """Raises FormatError for a file of several runs."""
    refuse_several(parsed, name)
    return parsed.runs[0]


def refuse_several(parsed: ParsedFile, name: str) -> None:
    """Raises FormatError for a file of several runs."""
    if len(parsed.runs) > 1:
        names = ", ".join(run.name or "one without a name" for run in parsed.runs)
        raise FormatError(f"{name} holds {len(parsed.runs)} runs ({names}); give a file of one run.")


def is_trec(content: str) -> bool:
    """Whether a file that begins like this is taken for a TREC run."""
    text = Text("", content, "")
    return not begins_as_json(text) and detected(text, FORMATS) is TREC


def check_queries(
    parsed: ParsedRun,
    known: Collection[str],
    *,
    texts: Mapping[str, Collection[str]] | None = None,
    unknown: Unknown = "refuse",
) -> ParsedRun:
    """The run by external ids, its unknown queries reported, each with its first line: as errors, or left out.

    `known` holds the external ids, `texts` the ids of the queries that have a text. A text of two queries names none.
    """
    known = known if isinstance(known, (set, frozenset, dict)) else set(known)
    texts = texts or {}
    report = parsed.report.copy()
    tell = report.error if unknown == "refuse" else report.warn
    rankings = []
    for ranking in parsed.rankings:
        ids = texts.get(ranking.query, ()) if parsed.by_text else [ranking.query] * (ranking.query in known)
        if len(ids) == 1:
            rankings.append(replace(ranking, query=next(iter(ids))))
            continue
        kind = "text of several queries" if ids else "unknown query"
        expected = _expected(parsed, ranking.query, len(ids), known, texts)
        tell(ranking.line, "query", ranking.query, expected, kind=kind)
    if unknown == "refuse" and not report.ok:
        return replace(parsed, report=report)
    if not rankings:
        report.error(None, "", "no known query", "at least one query of the query set", kind="no known query")
    return replace(parsed, report=report, rankings=rankings, rows=_count(rankings), by_text=False)


def check_file(
    parsed: ParsedFile,
    known: Collection[str],
    *,
    texts: Mapping[str, Collection[str]] | None = None,
    unknown: Unknown = "refuse",
) -> ParsedFile:
    """`check_queries` for each run."""
    runs = [check_queries(run, known, texts=texts, unknown=unknown) for run in parsed.runs]
    if len(runs) == 1:
        return replace(parsed, runs=runs, report=runs[0].report)
    report = parsed.report.copy()
    for before, after in zip(parsed.runs, runs, strict=True):
        _add(report.errors, after.report.errors, since=before.report.errors)
        _add(report.warnings, after.report.warnings, since=before.report.warnings)
    return replace(parsed, runs=runs, report=report)


def _expected(
    parsed: ParsedRun, query: str, found: int, known: Collection[str], texts: Mapping[str, Collection[str]]
) -> str:
    """What a query should have been, with a hint where the file names queries the other way."""
    if found:
        return f"a text that only one query has (this one has {found}; name queries by id)"
    if not parsed.by_text:
        hint = "; this is the text of one: choose to read queries by text" if query in texts else ""
        return f"a query of the query set{hint}"
    hint = "; this is the id of one: choose to read queries by id" if query in known else ""
    return f"the exact text of a query of the query set{hint}"


def _parsed(name: str, format: RunFormat, found: Found, report: Report, options: Options) -> ParsedFile:
    found = replace(found, format=found.format or format.name)
    if report.ok and not any(found.runs.values()):
        raise FormatError(f"{name} holds no ranking.")
    if len(found.runs) > MOST_RUNS:
        raise FormatError(f"{name} holds {len(found.runs):,} runs; expected at most {MOST_RUNS} in one file.")
    for tag in found.runs:
        if fault := cells.text_fault(tag):
            report.error(None, "name of a run", tag, fault, kind="name of a run")
    ranked = all(
        rows.ranks or not rows.documents for gathered in found.runs.values() for rows in gathered.values()
    )
    if options.order == "rank" and not ranked:
        raise FormatError(f"{name} has no ranks to order by.")
    if len(found.runs) <= 1:  # none where no row is good
        tag, gathered = next(iter(found.runs.items()), ("", {}))
        run = _finished(tag, gathered, found, report, options)
        return ParsedFile(found.format, [run], report)
    return _several(found, report, options)


def _together(parts: Sequence[tuple[str, ParsedFile]], name: str) -> ParsedFile:
    """The runs of several files. One that has no name, or the name of another, is called as its file."""
    runs = [(inner, _located(run, inner)) for inner, parsed in parts for run in parsed.runs]
    if len(runs) > MOST_RUNS:
        raise FormatError(f"{name} holds {len(runs):,} runs; expected at most {MOST_RUNS} in one file.")
    names = Counter(run.name.casefold() for _, run in runs)
    named = [
        replace(run, name=run.name if run.name and names[run.name.casefold()] == 1 else stem(inner))
        for inner, run in runs
    ]
    whole = Report()
    for _, run in runs:
        _add(whole.errors, run.report.errors, since=Findings())
        _add(whole.warnings, run.report.warnings, since=Findings())
    return ParsedFile(parts[0][1].format, named, whole, archive=True)


def _located(run: ParsedRun, file: str) -> ParsedRun:
    """The run with the name of its file in whatever is said of it."""
    report = run.report.copy()
    for findings in (report.errors, report.warnings):
        findings.first = [
            replace(problem, column=f"{problem.column} in {file}" if problem.column else file)
            for problem in findings.first
        ]
    return replace(run, report=report)


def _several(found: Found, report: Report, options: Options) -> ParsedFile:
    whole = report.copy()
    runs = []
    for tag, gathered in found.runs.items():
        own = report.copy()
        runs.append(_finished(tag, gathered, found, own, options))
        _add(whole.errors, own.errors, since=report.errors)
        _add(whole.warnings, own.warnings, since=report.warnings)
    return ParsedFile(found.format, runs, whole)


def _finished(
    tag: str, gathered: dict[str, Rows], found: Found, report: Report, options: Options
) -> ParsedRun:
    rankings = [
        finish(query, rows, report, order=options.order, duplicates=options.duplicates)
        for query, rows in gathered.items()
    ]
    return ParsedRun(tag, found.format, found.notes, rankings, report, _count(rankings), found.by_text)


def _add(findings: Findings, more: Findings, *, since: Findings) -> None:
    """Adds what `more` has found since it was a copy of `since`."""
    fresh = more.first[len(since.first) :]
    findings.first += fresh[: max(0, KEPT - len(findings.first))]
    for kind, count in more.counts.items():
        findings.counts[kind] = findings.counts.get(kind, 0) + count - since.counts.get(kind, 0)
    findings.counts = {kind: count for kind, count in findings.counts.items() if count}


def _count(rankings: list[ParsedRanking]) -> int:
    return sum(len(ranking.documents) for ranking in rankings)
