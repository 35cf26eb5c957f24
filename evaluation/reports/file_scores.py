"""Runs in files scored against a qrels file. Needs neither Django nor a database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluation.ingest.fast import clean
from evaluation.ingest.files import JudgedFile, RunFile, is_small, read_judged_file, read_run_file
from evaluation.metrics import averages
from evaluation.metrics.errors import MetricsError
from evaluation.metrics.rounding import Rounded, read_rounded
from evaluation.metrics.types import Floats
from judgments.formats.problems import Report

DEFAULT_MEASURES: Final = (
    "nDCG(ideal='local')@10 nDCG(ideal='recall')@10 nDCG@10 nDCG(ideal='max')@10 "
    "DCG@10 AP RR P@10 R@1000 Judged@10"
)
# Ties are counted for the whole run instead, and ranks are not read at all, as in trec_eval.
NOT_SAID: Final = ("equal scores in a query", "score and rank disagree", "rank not a whole number")


@dataclass(frozen=True, slots=True)
class FileScore:
    """A run with the values of each measure, (Q,) in the order of `run.queries`; NaN where a query is left out."""

    run: RunFile
    values: dict[str, Floats]

    def means(self) -> dict[str, float | None]:
        return {measure: averages.mean(values) for measure, values in self.values.items()}

    def medians(self) -> dict[str, float | None]:
        return {measure: averages.median(values) for measure, values in self.values.items()}

    def counts(self) -> dict[str, int]:
        """Judged queries, each answered, missing or empty, and the run's queries without a judgment."""
        judged = self.run.run
        return {
            "judged": judged.queries,
            "answered": int((judged.retrieved > 0).sum()),
            "missing": int((~judged.answered).sum()),
            "empty": int((judged.answered & (judged.retrieved == 0)).sum()),
            "unjudged": self.run.unjudged,
        }


@dataclass(frozen=True, slots=True)
class FileScores:
    """`top_grade_given`: the top of the scale was stated, not taken from the file."""

    judged: JudgedFile
    top_grade_given: bool
    scores: list[FileScore]
    warnings: list[str]


def score_files(
    qrels: Path,
    runs: Sequence[Path],
    *,
    measures: str = DEFAULT_MEASURES,
    max_grade: float | None = None,
    shown: int = 0,
) -> FileScores:
    """With pages of `shown` documents. Raises FormatError and FileRefused for a bad file, MetricsError for a bad measure, OSError for one not there."""
    wanted = [measure for _, measure in read_rounded(measures)]
    if not wanted:
        raise MetricsError("No measure is named; expected one or more, such as nDCG@10.")
    with _on_disk([qrels, *runs]) as (qrels_file, *run_files):
        return _score_all(qrels_file, run_files, wanted, max_grade, shown)


@contextmanager
def _on_disk(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The paths; for a pipe, which can be read only once, that of a copy of what came through."""
    if not any(path.is_fifo() for path in paths):
        yield list(paths)
        return
    from tempfile import TemporaryDirectory  # takes longer than a small run

    with TemporaryDirectory() as folder:
        yield [
            _copy(path, Path(folder, str(place))) if path.is_fifo() else path
            for place, path in enumerate(paths)
        ]


def _copy(path: Path, folder: Path) -> Path:
    folder.mkdir()
    with path.open("rb") as pipe, (folder / path.name).open("wb") as file:
        while piece := pipe.read(1 << 20):
            file.write(piece)
    return folder / path.name


def _score_all(
    qrels: Path, runs: Sequence[Path], wanted: Sequence[Rounded], max_grade: float | None, shown: int
) -> FileScores:
    small = is_small(qrels, *runs)
    judged = (clean.read_judged_file(qrels, max_grade) if small else None) or read_judged_file(
        qrels, small=small, max_grade=max_grade
    )
    warnings = list(_warnings(judged.name, judged.report))
    scores = []
    for path in runs:
        run = (clean.read_run_file(path, judged, shown) if small else None) or read_run_file(
            path, judged, small=small, shown=shown
        )
        warnings += _warnings(run.file, run.report)
        if run.tied:
            warnings.append(_ties(run))
        scores.append(_score(run, wanted))
    return FileScores(judged, max_grade is not None, scores, warnings)


def as_json(scored: FileScores, *, per_query: bool) -> dict[str, Any]:
    """The contract of the command: canonical texts as keys, full precision, None for what is undefined."""
    return {
        "qrels": {
            "file": scored.judged.name,
            "queries": scored.judged.queries,
            "judgments": scored.judged.judgments,
            "max_grade": scored.judged.scale.top_grade,
        },
        "runs": [_run_as_json(score, per_query) for score in scored.scores],
    }


def _run_as_json(score: FileScore, per_query: bool) -> dict[str, Any]:
    measures: dict[str, dict[str, Any]] = {}
    for measure, values in score.values.items():
        measures[measure] = {"mean": averages.mean(values), "median": averages.median(values)}
        if per_query:
            measures[measure]["per_query"] = dict(zip(score.run.queries, defined(values), strict=True))
    return {
        "name": score.run.name,
        "file": score.run.file,
        "queries": score.counts(),
        "measures": measures,
    }


def defined(values: Floats) -> list[float | None]:
    """The values with None for NaN."""
    return [None if value != value else value for value in values.tolist()]


def _score(run: RunFile, measures: Sequence[Rounded]) -> FileScore:
    return FileScore(run, {str(measure): measure.values(run.run) for measure in measures})


def _warnings(name: str, report: Report) -> Iterator[str]:
    """One sentence for each kind of warning: the first of it, and how many more there are."""
    for kind, count in report.warnings.counts.items():
        if kind in NOT_SAID:
            continue
        first = next(
            (problem.sentence for problem in report.warnings.first if problem.kind == kind), f"{kind}."
        )
        yield f"{name}: {first}" + (f" So in {count - 1:,} more lines." if count > 1 else "")


def _ties(run: RunFile) -> str:
    queries = "1 query holds" if run.tied == 1 else f"{run.tied:,} queries hold"
    return f"{run.file}: {queries} equal scores; ties are put in descending order of document ids."
