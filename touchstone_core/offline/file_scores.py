"""Scores runs in files against a qrels file. Needs neither Django nor a database."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.rankings import RANK_CONFLICT
from touchstone_core.metrics import averages
from touchstone_core.metrics.arrays import without_hits
from touchstone_core.metrics.averages import none_for_nan
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.left_out import LeftOut, skips_missing, skips_zero
from touchstone_core.metrics.rounding import RoundedMeasure, read_rounded
from touchstone_core.metrics.selection import Selection
from touchstone_core.metrics.short_pages import ShortPages
from touchstone_core.metrics.types import Floats
from touchstone_core.offline.fast import clean
from touchstone_core.offline.files import (
    AS_TREC_EVAL,
    JudgedFile,
    RunFile,
    is_small,
    read_judged_file,
    read_run_files,
)
from touchstone_core.words import counted, names_there_are

DEFAULT_MEASURES: Final = (
    "nDCG(ideal='local')@10 nDCG(ideal='recall')@10 nDCG@10 nDCG(ideal='max')@10 "
    "DCG@10 AP RR P@10 R@1000 Judged@10"
)
# Ties and moved documents are counted for the whole run instead. Ranks that are none decide nothing, as in trec_eval.
NOT_SAID: Final = ("equal scores in a query", RANK_CONFLICT, "rank not a whole number")
_NO_JUDGED_QUERY: Final = "none of its queries is judged. Do the files use the same query IDs?"
_NO_JUDGED_RESULT: Final = "none of its results is judged. Do the files use the same document IDs?"
MOST_OF_A_KIND: Final = 3
"""Of more files with the same warning, the first has it in full and the others are named."""


@dataclass(frozen=True, slots=True)
class FileScore:
    """A run with the values of each measure, (Q,) in the order of `run.queries`; NaN where a query is left out.

    `short_pages` are by the cutoff of requested NDCGs, under the formula of the first one that has it.
    """

    run: RunFile
    values: dict[str, Floats]
    short_pages: dict[int, ShortPages]

    def means(self) -> dict[str, float | None]:
        return {measure: averages.mean(values) for measure, values in self.values.items()}

    def medians(self) -> dict[str, float | None]:
        return {measure: averages.median(values) for measure, values in self.values.items()}

    def left_out(self, one: RoundedMeasure) -> LeftOut | None:
        """The queries that missing grades could bring into the mean of this measure."""
        if not skips_zero(one):
            return None
        values = self.values[str(one)]
        out = np.isnan(values)
        if skips_missing(one):
            out &= self.run.run.answered
        return LeftOut.of(averages.mean(values), int((~np.isnan(values)).sum()), int(out.sum()))

    def counts(self) -> dict[str, int]:
        """How many judged queries are answered, missing or empty, and how many queries of the run have no judgment."""
        judged = self.run.run
        return {
            "judged": judged.queries,
            "answered": int((judged.retrieved > 0).sum()),
            "missing": int((~judged.answered).sum()),
            "empty": int((judged.answered & (judged.retrieved == 0)).sum()),
            "unjudged": self.run.unjudged,
        }


class FileWarning(NamedTuple):
    """What somebody should know of a file or run. Those of a `kind` have the same cause."""

    name: str
    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class FileScores:
    """`top_grade_given`: the top of the scale was stated, not taken from the file."""

    judged: JudgedFile
    top_grade_given: bool
    scores: list[FileScore]
    warnings: list[str]

    @property
    def measures(self) -> list[RoundedMeasure]:
        """The requested measures."""
        texts = " ".join(self.scores[0].values) if self.scores else ""
        return [one for _, one in read_rounded(texts)]

    def targeted(self, cutoff: int) -> list[bool]:
        """Which runs show, among their first documents, one that was judged for what it decides between two runs."""
        known = self.judged.targeted
        return [bool(known) and _shows(score.run, known, cutoff) for score in self.scores]

    @property
    def cutoffs(self) -> list[int]:
        """The cutoffs of the requested NDCGs, where short pages matter."""
        return list(_formulas(self.measures))


def score_files(
    qrels: Path,
    runs: Sequence[Path],
    *,
    measures: str = DEFAULT_MEASURES,
    max_grade: float | None = None,
    page_size: int = 0,
    options: Options = AS_TREC_EVAL,
    keep_hits: bool = True,
) -> FileScores:
    """Scores every run of the files; without `keep_hits`, each holds no hits afterwards. Raises FormatError and FileRefusedError for a bad file, MetricsError for a bad measure, OSError for a missing file.

    Runs of one name are told apart by their files.
    """
    chosen_measures = chosen(measures)
    with _on_disk([qrels, *runs]) as (qrels_file, *run_files):
        return _score_all(qrels_file, run_files, chosen_measures, max_grade, page_size, options, keep_hits)


def chosen(measures: str) -> list[RoundedMeasure]:
    """Raises MetricsError if there is none, and for a bad one."""
    every = [measure for _, measure in read_rounded(measures)]
    if not every:
        raise MetricsError("No measure is named; expected one or more, such as nDCG@10.")
    return every


@contextmanager
def _on_disk(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The paths. A pipe can be read only once, so it's replaced by a copy of its content."""
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
    qrels: Path,
    runs: Sequence[Path],
    measures: Sequence[RoundedMeasure],
    max_grade: float | None,
    page_size: int,
    options: Options,
    keep_hits: bool,
) -> FileScores:
    small = is_small(qrels, *runs)
    judged = (clean.read_judged_file(qrels, max_grade) if small else None) or read_judged_file(
        qrels, small=small, max_grade=max_grade
    )
    runs_by_file = (
        (path, _runs_of_file(path, judged, small, page_size, options)) for path in runs
    )  # one after the other: each may be large
    given = max_grade is not None
    return scores_of(judged, runs_by_file, measures, top_grade_given=given, keep_hits=keep_hits)


def _runs_of_file(
    path: Path, judged: JudgedFile, small: bool, page_size: int, options: Options
) -> Sequence[RunFile]:
    short = clean.read_run_file(path, judged, page_size, options) if small else None
    if short:
        return [short]
    return read_run_files(path, judged, small=small, page_size=page_size, options=options)


def _shows(run: RunFile, pairs: frozenset[tuple[str, str]], cutoff: int) -> bool:
    """Also True where the pages of its results weren't read."""
    if not any(run.pages):
        return bool(run.run.retrieved.any())
    pages = zip(run.queries, run.pages, strict=True)
    return any((query, document) in pairs for query, page in pages for document in page[:cutoff])


def scores_of(
    judged: JudgedFile,
    runs_by_file: Iterable[tuple[Path, Sequence[RunFile]]],
    measures: Sequence[RoundedMeasure],
    *,
    top_grade_given: bool,
    keep_hits: bool = True,
) -> FileScores:
    """Every run with its values, and what to be warned of."""
    warnings = list(_warnings(judged.name, judged.report))
    if judged.targeted:
        from touchstone_core.comparison.coverage import TARGETED_WORDS  # takes longer than a small run

        warnings.append(FileWarning(judged.name, "targeted", TARGETED_WORDS))
    scores: list[tuple[Path, FileScore]] = []
    for path, runs_of_file in runs_by_file:
        warnings += _warnings(path.name, runs_of_file[0].report)
        for run in runs_of_file:
            warnings += _warnings_of(run, run.file if len(runs_of_file) == 1 else f"{run.file}, {run.name}")
            scores.append((path, _score(run, measures, keep_hits=keep_hits)))
    return FileScores(judged, top_grade_given, _with_unique_names(scores), list(_by_kind(warnings)))


def as_json(scored: FileScores, *, per_query: bool) -> dict[str, Any]:
    """The contract of the command: canonical texts as keys, full precision, None for what is undefined."""
    measures, cutoffs = scored.measures, scored.cutoffs
    return {
        "qrels": {
            "file": scored.judged.name,
            "queries": scored.judged.queries,
            "judgments": scored.judged.judgments,
            "max_grade": scored.judged.scale.top_grade,
        },
        "runs": [_run_as_json(score, measures, cutoffs, per_query=per_query) for score in scored.scores],
    }


def _run_as_json(
    score: FileScore, measures: Sequence[RoundedMeasure], cutoffs: Sequence[int], *, per_query: bool
) -> dict[str, Any]:
    by_measure: dict[str, dict[str, Any]] = {}
    for one, (measure, values) in zip(measures, score.values.items(), strict=True):
        by_measure[measure] = {"mean": averages.mean(values), "median": averages.median(values)}
        if left_out := score.left_out(one):
            by_measure[measure]["left_out"] = left_out.as_json()
        if per_query:
            by_measure[measure]["per_query"] = dict(zip(score.run.queries, none_for_nan(values), strict=True))
    return {
        "name": score.run.name,
        "file": score.run.file,
        "queries": score.counts(),
        "short_pages": [score.short_pages[cutoff].as_json() for cutoff in cutoffs],
        "measures": by_measure,
    }


def _score(run: RunFile, measures: Sequence[RoundedMeasure], *, keep_hits: bool) -> FileScore:
    values = {str(measure): measure.values(run.run) for measure in measures}
    short_pages = {
        formula.cutoff: ShortPages.of_run(run.run, formula) for formula in _formulas(measures).values()
    }
    kept = run if keep_hits else replace(run, run=without_hits(run.run))
    return FileScore(kept, values, short_pages)


def _formulas(measures: Iterable[RoundedMeasure]) -> dict[int, Formula]:
    """Of each cutoff of an NDCG, the formula of the first one that has it."""
    formulas: dict[int, Formula] = {}
    for one in measures:
        if one.measure.name == "nDCG" and (cutoff := one.measure.cutoff):
            formulas.setdefault(cutoff, Selection.of(*one).formula)
    return formulas


def _by_kind(warnings: Iterable[FileWarning]) -> Iterator[str]:
    """Sentences with the names of their files, those of a kind together."""
    kinds: defaultdict[str, list[FileWarning]] = defaultdict(list)
    for warning in warnings:
        kinds[warning.kind].append(warning)
    for alike in kinds.values():
        first, *others = (f"{warning.name}: {warning.sentence}" for warning in alike)
        if len(alike) <= MOST_OF_A_KIND:
            yield from (first, *others)
            continue
        start = f"So in {counted(len(others), 'more run')}"
        yield f"{first} {names_there_are((warning.name for warning in alike[1:]), start=start)}"


def _warnings(name: str, report: Report) -> Iterator[FileWarning]:
    for kind, sentence in report.warnings.in_short(NOT_SAID).items():
        yield FileWarning(name, kind, sentence)


def _warnings_of(run: RunFile, name: str) -> Iterator[FileWarning]:
    """Warnings that count queries."""
    if run.tied:
        queries = "1 query holds" if run.tied == 1 else f"{run.tied:,} queries hold"
        sentence = f"{queries} equal scores; ties are put in descending order of document IDs."
        yield FileWarning(name, "tied", sentence)
    if run.moved:
        queries = counted(run.moved, "query", "queries")
        sentence = f"ranks and scores give different orders in {queries}; the scores decided. Choose --order rank to use the ranks."
        yield FileWarning(name, "moved", sentence)
    if run.run.retrieved.any() and not len(run.run.hit_query):
        yield FileWarning(name, "no judged result", _NO_JUDGED_RESULT)
    if run.unjudged and not run.run.answered.any():
        yield FileWarning(name, "no judged query", _NO_JUDGED_QUERY)
    elif run.unjudged:
        queries = counted(run.unjudged, "query", "queries")
        verb = "is" if run.unjudged == 1 else "are"
        sentence = f"{queries} of the run {verb} not in the qrels and {verb} left out."
        yield FileWarning(name, "left out", sentence)


def refuse_unrelated(scored: FileScores) -> None:
    """Raises FormatError for a run that answers no judged query. Every comparison with it would be one with nothing."""
    for score in scored.scores:
        if not score.run.run.answered.any():
            raise FormatError(f"{score.run.file}: {_NO_JUDGED_QUERY}")


def refuse_without_hits(baseline: FileScore) -> None:
    """Raises FormatError for a baseline without any judged result, beside which every run would be as good."""
    if not len(baseline.run.run.hit_query):
        raise FormatError(f"{baseline.run.file}: {_NO_JUDGED_RESULT}")


def _with_unique_names(scores: Sequence[tuple[Path, FileScore]]) -> list[FileScore]:
    """The scores. Runs of the same name get the name of their file added, or its path, or a number."""
    names = [score.run.name for _, score in scores]
    for behind in (
        [path.name for path, _ in scores],
        [str(path) for path, _ in scores],
        [str(number) for number in range(1, len(scores) + 1)],
    ):
        times = Counter(names)
        names = [
            f"{score.run.name} ({more})" if times[name] > 1 else name
            for name, more, (_, score) in zip(names, behind, scores, strict=True)
        ]
    return [
        replace(score, run=replace(score.run, name=name))
        for name, (_, score) in zip(names, scores, strict=True)
    ]
