"""Reads runs and qrels from files and joins them without a database: plain Python for small ones, arrays for large ones."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from touchstone_core.formats.judgments.qrels import read_grades
from touchstone_core.formats.packing import PARQUET, packing, stem
from touchstone_core.formats.problems import FormatError, NotUtf8Error, Report
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.rankings import RANK_CONFLICT
from touchstone_core.formats.runs.runs import ParsedRun, is_trec, read_file, refuse_several
from touchstone_core.formats.text import Text, decode, tell_encoding
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.arrays import join as join_rankings
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.order import precision_of
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.offline.other_judgments import QRELS, judgment_format, read_other_grades

if TYPE_CHECKING:
    from touchstone_core.offline.fast.probe import Judgments

P = ParamSpec("P")
Read = TypeVar("Read")
# Below this, plain Python is done before polars is imported (about 50,000 rows).
SMALL: Final = 2_000_000
USUAL_PACKING: Final = 8
UNPACKED_LIMIT: Final = 8 << 30
AS_TREC_EVAL: Final = Options(trailing="skip", queries="id")
"""How run files are read unless somebody chooses otherwise."""


class FileRefusedError(Exception):
    """A file with errors. `sentences` say what is wrong, line by line."""

    def __init__(self, name: str, report: Report) -> None:
        self.sentences = list(report.errors.sentences())
        count = report.errors.total
        super().__init__(f"{name} was not scored: it has {count:,} {'error' if count == 1 else 'errors'}.")


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """Judgments of a file: as `grades`, or as arrays in `indexed` where they are large qrels.

    `targeted` are the pairs that were judged for what they decide between two runs, as far as the file says so.
    """

    name: str
    queries: int
    judgments: int
    scale: ScaleInfo
    report: Report
    grades: Mapping[str, Mapping[str, float]]
    indexed: "Judgments | None"
    targeted: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run joined to judgments.

    `queries` (Q) names the judged queries. `tied` counts the run's queries with ties, `moved` those in which a document with
    a lower score has the better rank. `pages` (Q) are the IDs of the first documents of each query, best first.
    """

    name: str
    file: str
    queries: tuple[str, ...]
    run: JudgedRun
    unjudged: int
    tied: int
    moved: int
    report: Report
    pages: Sequence[Sequence[str]]

    @property
    def in_order(self) -> list[int]:
        """The places of the queries by their IDs. By code points, as PostgreSQL orders the same IDs for pages."""
        return sorted(range(len(self.queries)), key=self.queries.__getitem__)


def files_of(paths: Iterable[str | Path]) -> list[Path]:
    """The paths, with each folder replaced by its files, sorted by name. Raises FormatError for a folder without any."""
    files: list[Path] = []
    for path in map(Path, paths):
        inside = [path]
        if path.is_dir():
            inside = [one for one in sorted(path.iterdir()) if one.is_file() and not one.name.startswith(".")]
        if not inside:
            raise FormatError(f"There is no file in the folder {path}.")
        files += inside
    return files


def is_small(*paths: Path) -> bool:
    """Whether these files are read faster without polars. A packed file counts for more than its size."""
    return sum(_plain_size(path) for path in paths) < SMALL


def _names_its_file(read: Callable[P, Read]) -> Callable[P, Read]:
    """What can’t be read is said with the name of the file, the first argument: a command takes several."""

    @wraps(read)
    def read_named(*arguments: P.args, **others: P.kwargs) -> Read:
        try:
            return read(*arguments, **others)
        except FormatError as error:
            name = Path(str(arguments[0])).name
            if name in error.message:
                raise
            raise FormatError(f"{name}: {error.message}", line=error.line) from error

    return read_named


@_names_its_file
def read_judged_file(
    path: Path, *, small: bool, max_grade: float | None = None, limit: int = UNPACKED_LIMIT
) -> JudgedFile:
    """Reads TREC qrels, or judgments of any other format. The scale's top is `max_grade`, or the greatest grade of the file.

    Raises FormatError, FileRefusedError, and MetricsError for a grade above `max_grade`.
    """
    try:
        return _read_judgments(path, small, max_grade, limit)
    except (FileRefusedError, FormatError) as error:
        from touchstone_core.formats import detection  # takes longer than a small run

        start = _start_of_text(path, limit) if _can_stream(path) else Text(path.name, "", "")
        if detection.kind_of(start) == detection.RUN:
            raise FormatError(f"{path.name} is a run, not judgments. Were the two files swapped?") from error
        if detection.kind_of_tool(start) == detection.QUERIES:
            raise FormatError(f"{path.name} holds queries, not judgments.") from error
        raise


def _read_judgments(path: Path, small: bool, max_grade: float | None, limit: int) -> JudgedFile:
    if not small and _can_stream(path):
        with suppress(NotUtf8Error):  # the plain reader knows other encodings
            if judgment_format(_start_of_text(path, limit)) is QRELS:
                return _large_qrels(path, max_grade, limit)
    return _plain_qrels(path, max_grade, limit)


@_names_its_file
def read_run_files(
    path: Path,
    judged: JudgedFile,
    *,
    small: bool,
    limit: int = UNPACKED_LIMIT,
    page_size: int = 0,
    options: Options = AS_TREC_EVAL,
) -> list[RunFile]:
    """The runs of a file of any format, joined to the judgments. It's one run unless `options` split them.

    Queries are matched by the IDs of the judgments, even if the format names them by text. Raises FormatError and
    FileRefusedError.
    """
    fast = judged.indexed is not None and not small and options.order != "rank" and not options.format
    if judged.indexed is not None and fast and _can_stream(path) and _is_trec(path, limit):
        with suppress(NotUtf8Error):
            if run := _large_run(path, judged, judged.indexed, limit, page_size, options):
                return [run]
    return _plain_runs(path, judged, limit, page_size, options)


def _plain_qrels(path: Path, max_grade: float | None, limit: int) -> JudgedFile:
    text = decode(path.read_bytes(), name=path.name, limit=limit)
    targeted: frozenset[tuple[str, str]] = frozenset()
    if judgment_format(text) is QRELS:
        grades, report = read_grades(text)
    else:
        grades, report, targeted = read_other_grades(text)
    tell_encoding(text, report)
    return replace(judged_file(path.name, grades, report, max_grade), targeted=targeted)


def judged_file(
    name: str, grades: Mapping[str, Mapping[str, float]], report: Report, max_grade: float | None
) -> JudgedFile:
    """Raises FileRefusedError for errors in the report, and MetricsError for a grade above `max_grade`."""
    refuse_errors(name, report)
    scale = _scale(name, max(max(of_query.values()) for of_query in grades.values()), max_grade)
    return JudgedFile(name, len(grades), sum(map(len, grades.values())), scale, report, grades, None)


def _large_qrels(path: Path, max_grade: float | None, limit: int) -> JudgedFile:
    from touchstone_core.offline.fast.probe import index_judgments
    from touchstone_core.offline.fast.table import read_qrels_table

    table = read_qrels_table(path, name=path.name, limit=limit)
    refuse_errors(path.name, table.report)
    scale = _scale(path.name, float(table.number.max()), max_grade)
    return JudgedFile(
        path.name, len(table.names), len(table.number), scale, table.report, {}, index_judgments(table)
    )


def _scale(name: str, greatest: float, max_grade: float | None) -> ScaleInfo:
    if max_grade is not None and greatest > max_grade:
        raise MetricsError(
            f"{name} holds the grade {greatest:g}, which lies above the top grade {max_grade:g}."
        )
    return ScaleInfo(top_grade=greatest if max_grade is None else max_grade)


def _plain_runs(
    path: Path, judged: JudgedFile, limit: int, page_size: int, options: Options
) -> list[RunFile]:
    read = read_file(path.read_bytes(), name=path.name, limit=limit, options=options)
    refuse_errors(path.name, read.report)
    if options.several != "split" and not read.archive:
        refuse_several(read, path.name, "Use a file with one run, or --several split for all of them.")
    grades = _grades(judged)
    return [
        join_run(parsed, parsed.name or stem(path.name), path.name, grades, judged.scale, page_size)
        for parsed in read.runs
    ]


def join_run(
    parsed: ParsedRun,
    name: str,
    file: str,
    grades: Mapping[str, Mapping[str, float]],
    scale: ScaleInfo,
    page_size: int,
) -> RunFile:
    """The run joined to these grades, with the first `page_size` documents of each query."""
    rankings = {ranking.query: ranking.documents for ranking in parsed.rankings}
    queries, run = join_rankings(grades, rankings, scale)
    return RunFile(
        name,
        file,
        queries,
        run,
        len(rankings.keys() - grades.keys()),
        sum(ranking.tied for ranking in parsed.rankings),
        parsed.report.warnings.counts.get(RANK_CONFLICT, 0),
        parsed.report,
        [rankings.get(query, [])[:page_size] for query in queries],
    )


def _large_run(
    path: Path, judged: JudgedFile, indexed: "Judgments", limit: int, page_size: int, options: Options
) -> RunFile | None:
    """The run; None where it has errors and a choice that the plain reader knows of may make it good."""
    from touchstone_core.offline.fast.probe import join
    from touchstone_core.offline.fast.stream import read_parts

    precision = precision_of(options.order)
    parts_of_file = read_parts(
        path, indexed, name=path.name, limit=limit, page_size=page_size, precision=precision
    )
    if not parts_of_file.report.ok and (options.several == "split" or options.duplicates == "first"):
        return None
    refuse_errors(path.name, parts_of_file.report)
    run, unjudged = join(parts_of_file.parts, indexed, judged.scale)
    tied, moved = (sum(getattr(part, fact) for part in parts_of_file.parts) for fact in ("tied", "conflicts"))
    name, queries = parts_of_file.tag or stem(path.name), tuple(indexed.names)
    pages = {query: page for part in parts_of_file.parts for query, page in part.pages.items()}
    return RunFile(
        name,
        path.name,
        queries,
        run,
        unjudged,
        tied,
        moved,
        parts_of_file.report,
        [pages.get(query, []) for query in queries],
    )


def _grades(judged: JudgedFile) -> Mapping[str, Mapping[str, float]]:
    """The judgments as dicts, also where a large file made arrays of them."""
    indexed = judged.indexed
    if indexed is None:
        return judged.grades
    grades: dict[str, dict[str, float]] = {}
    for query, document, grade in zip(indexed.query, indexed.document, indexed.grade, strict=True):
        grades.setdefault(indexed.names[query], {})[document] = float(grade)
    return grades


def _can_stream(path: Path) -> bool:
    """Whether the file is text, plain or packed with gzip, which the fast reader unpacks on the way."""
    start = _start(path)
    return packing(start) in ("", "gzip") and not start.startswith(PARQUET)


def _is_trec(path: Path, limit: int) -> bool:
    start = _start_of_text(path, limit).start
    return bool(start) and is_trec(start)


def _start_of_text(path: Path, limit: int) -> Text:
    from touchstone_core.offline.fast.chunks import read_chunks

    first = next(read_chunks(path, name=path.name, limit=limit, size=1 << 16), None)
    return Text(path.name, first.data.decode(errors="replace") if first else "", "utf-8")


def _plain_size(path: Path) -> int:
    return path.stat().st_size * (USUAL_PACKING if packing(_start(path)) else 1)


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)


def refuse_errors(name: str, report: Report) -> None:
    """Raises FileRefusedError if there are any."""
    if not report.ok:
        raise FileRefusedError(name, report)
