"""Reads judgments and runs from DataFrames, dicts and files, with the same checks as files have."""

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

import narwhals as nw
from narwhals.typing import IntoDataFrame

from touchstone_core.formats import cells
from touchstone_core.formats.judgments.qrels import QrelsRow, checked_row, grades_of, warn_of_fraction
from touchstone_core.formats.problems import Findings, Report
from touchstone_core.formats.runs.declarations import FORMATS, RunFormat
from touchstone_core.formats.runs.json_runs import Pairs, read_json
from touchstone_core.formats.runs.options import Options, RunRows
from touchstone_core.formats.runs.rankings import Rows
from touchstone_core.formats.runs.runs import ParsedRun, build_file
from touchstone_core.formats.runs.table_runs import GRADES, add_row, refuse_judgments, run_columns
from touchstone_core.formats.tables import Column, match_columns
from touchstone_core.offline.command_line import InputError as InputError
from touchstone_core.offline.files import (
    JudgedFile,
    RunFile,
    join_run,
    judged_file,
    read_judged_file,
    read_run_files,
    refuse_errors,
)


class ArrowStream(Protocol):
    """Any table with the Arrow interface, such as those of pyarrow and DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Source: TypeAlias = IntoDataFrame | ArrowStream | Mapping[Any, Any] | str | os.PathLike[str]
"""A DataFrame of any library, a dict of queries, or the path of a file."""

NUMBERS: Final = ("rank", "score", "grade")
JUDGMENT_COLUMNS: Final = (
    *run_columns(Options()),
    Column("grade", (*GRADES, "rel", "gain"), required=True, number=True),
)
_LINES: Final = re.compile(r"\b(on )?line (?=\d)")


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A run and what it is called."""

    name: str
    source: Source


def is_file(source: Source) -> bool:
    return isinstance(source, str | os.PathLike)


def backend_of(sources: Sequence[Source]) -> Any:
    """The library of the first DataFrame, in which results are given; polars if there is none."""
    for source in sources:
        frame = nw.from_native(source, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return frame.implementation
    return nw.Implementation.POLARS


def read_judgments(source: Source, max_grade: float | None) -> JudgedFile:
    """Raises InputError for what is no judgments, and what `read_judged_file` raises."""
    if isinstance(source, str | os.PathLike):
        return read_judged_file(Path(source), small=True, max_grade=max_grade)
    report = Report()
    if isinstance(source, Mapping):
        grades = _grades_of_dict(source, report)
    else:
        grades = grades_of(_judgment_rows(source, report), report)
        _name_rows(report)
    if report.ok and not grades:
        raise InputError("The judgments are empty. Pass rows with query, document and grade.")
    return judged_file("qrels", grades, report, max_grade)


def read_run(run: NamedRun, judged: JudgedFile, options: Options, page_size: int) -> Sequence[RunFile]:
    """The run joined to the judgments; several of a file that is split. Raises InputError, and what `read_run_files` raises."""
    if isinstance(run.source, str | os.PathLike):
        path = Path(run.source)
        scored = read_run_files(path, judged, small=True, page_size=page_size, options=options)
        return [replace(scored[0], name=run.name)] if run.name and len(scored) == 1 else scored
    name, report = run.name or "run", Report()
    if isinstance(run.source, Mapping):
        run_format, rows = FORMATS["json"], read_json(_pairs(run.source), name, report, options)
    else:
        run_format, rows = FORMATS["csv"], _run_rows(run.source, name, report)
    parsed = _only_run(name, run_format, rows, report, options)
    return [join_run(parsed, name, name, judged.grades, judged.scale, page_size)]


def _only_run(name: str, run_format: RunFormat, rows: RunRows, report: Report, options: Options) -> ParsedRun:
    if report.ok:
        (run,) = build_file(name, run_format, rows, report, options).runs
    if run_format is FORMATS["csv"]:
        _name_rows(report)
    refuse_errors(name, report)
    return run


def _run_rows(source: Any, name: str, report: Report) -> RunRows:
    rows_by_query: dict[str, Rows] = {}
    for number, row in enumerate(_rows(source, name, run_columns(Options()), report)):
        add_row(number, row, rows_by_query, report, by_text=False)
    if not rows_by_query and report.ok:
        raise InputError(f"{name} is empty. Pass rows with query, document and score.")
    return RunRows({"": rows_by_query})


def _judgment_rows(source: Any, report: Report) -> Iterator[QrelsRow]:
    for number, row in enumerate(_rows(source, "The DataFrame of judgments", JUDGMENT_COLUMNS, report)):
        good_row = checked_row(number, row["query"], "0", row["document"], row["grade"], report=report)
        if good_row:
            warn_of_fraction(good_row, report)
            yield good_row


def _rows(source: Any, name: str, schema: Sequence[Column], report: Report) -> Iterator[dict[str, str]]:
    """Each row as cells of text by our names for the columns, as a CSV file has them."""
    frame = _frame(source, name)
    headers = {str(column): column for column in frame.columns}
    matches = report.headers = match_columns(
        list(headers), [replace(column, required=False) for column in schema]
    )
    missing = [column.target for column in schema if column.required and column.target not in matches]
    if missing:
        has = ", ".join(f"“{header}”" for header in headers) or "none"
        raise InputError(f"{name} needs a column for {' and '.join(missing)}. Its columns: {has}.")
    if schema is not JUDGMENT_COLUMNS:
        refuse_judgments(name, headers, matches)
    columns = [_texts(frame[headers[header]], name, target) for target, header in matches.items()]
    return (dict(zip(matches, row, strict=True)) for row in zip(*columns, strict=True))


def _frame(source: Any, name: str) -> nw.DataFrame[Any]:
    frame = nw.from_native(source, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame
    if hasattr(source, "__arrow_c_stream__") and not isinstance(frame, nw.Series):
        return nw.from_arrow(source, backend="polars")
    kind = type(source).__name__
    raise InputError(f"{name} is of type {kind}. Pass a DataFrame, a dict or the path of a file.")


def _texts(column: nw.Series[Any], name: str, target: str) -> list[str]:
    """Numbers have the shortest form that reads back to them, and missing values are empty."""
    kind = column.dtype
    number = target in NUMBERS
    text = kind in (nw.String, nw.Categorical, nw.Enum, nw.Object)
    if not (text or kind.is_integer() or (number and kind.is_numeric())):
        expected = "numbers" if number else "text or whole numbers"
        raise InputError(f"{name}: the column “{column.name}” holds {kind}; expected {expected}.")
    values = column.cast(nw.Float64) if kind.is_float() else column
    return [
        "" if missing else str(value).strip()
        for value, missing in zip(values.to_list(), column.is_null().to_list(), strict=True)
    ]


def _name_rows(report: Report) -> None:
    """Problems of DataFrames are in rows, counted from 0 as their positions are."""
    for findings in (report.errors, report.warnings):
        _name_rows_of(findings)


def _name_rows_of(findings: Findings) -> None:
    findings.first = [
        replace(
            problem,
            line=None,
            column=", ".join(
                filter(None, [f"row {problem.line}", problem.column and f"column {problem.column}"])
            ),
            expected=_LINES.sub(lambda match: "in row " if match[1] else "row ", problem.expected),
        )
        if problem.line is not None
        else problem
        for problem in findings.by_line
    ]


def _pairs(run: Mapping[Any, Any]) -> Pairs:
    """As the reader of JSON has objects."""
    return Pairs(
        (
            str(query),
            Pairs((str(document), _plain(score)) for document, score in results.items())
            if isinstance(results, Mapping)
            else [_plain(one) for one in results]
            if isinstance(results, list | tuple)
            else results,
        )
        for query, results in run.items()
    )


def _plain(value: Any) -> Any:
    """A number of numpy's as Python's own."""
    return value.item() if hasattr(value, "item") else value


def _grades_of_dict(judgments: Mapping[Any, Any], report: Report) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = {}
    for query, of_query in judgments.items():
        place = f"query {query}"
        if not isinstance(of_query, Mapping):
            report.error(None, place, of_query, "a dict of documents with grades", kind="shape")
            continue
        add = partial(_add_grade, grades.setdefault(str(query), {}), f"{place}, ", report)
        report.refuse(None, [("query", str(query), cells.id_fault(str(query)), "not an ID")])
        for document, grade in of_query.items():
            add(str(document), _plain(grade))
    return {query: of_query for query, of_query in grades.items() if of_query}


def _add_grade(grades: dict[str, float], place: str, report: Report, document: str, grade: Any) -> None:
    is_number = isinstance(grade, int | float) and not isinstance(grade, bool) and math.isfinite(grade)
    faults = [
        (f"{place}document", document, cells.id_fault(document), "not an ID"),
        (f"{place}document {document}", grade, None if is_number else "a number", "not a number"),
    ]
    if not report.refuse(None, faults):
        grades[document] = float(grade)
