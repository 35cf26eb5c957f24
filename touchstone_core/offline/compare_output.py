"""A comparison as a table for people, and as CSV."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter

from touchstone_core.comparison.comparison_cells import (
    BETTER,
    BOUND,
    BOUNDS,
    BOUNDS_OVER,
    COMPARISON,
    DECISIONS,
    DIFFERENCE,
    EVIDENCE,
    OUTCOMES,
    PAGE_CHANGES,
    SHORT_PAGES,
    STEPS,
    VERDICT,
    ComparedRun,
    P,
    at,
    evidence,
    intent,
    of_comparison,
)
from touchstone_core.comparison.page_evidence import UNIVERSE
from touchstone_core.comparison.values import DASH, percent_text, signed, value, words
from touchstone_core.comparison.verdict import Figures, Verdict, impact_words, missing_words, on_of
from touchstone_core.formats.columns import Column, aligned, csv_rows, of, text_rows
from touchstone_core.formats.spreadsheet import Cell, csv_lines
from touchstone_core.impact.intent import QueryCounts, intent_words
from touchstone_core.metrics.direction import ranks_runs
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.left_out import left_out_of_difference
from touchstone_core.metrics.short_pages import ShortPages
from touchstone_core.offline.file_comparison import FileComparison
from touchstone_core.words import counted

_NAME: Column[ComparedRun] = Column("run", "", "run__name", words)
_BESIDE: tuple[Column[Figures], ...] = (
    DIFFERENCE,
    Column("95 % interval", "", at("difference", "interval"), lambda ends: words(_interval(ends))),
    P,
    replace(BETTER, name=f"{BETTER.name}, not adjusted"),
)


def as_table(comparison: FileComparison) -> str:
    """By measure: a line for each run, then a sentence; then the change by step."""
    name, file = comparison.baseline.run.name, comparison.baseline.run.file
    baseline = name if name.endswith(f"{file})") else f"{name} ({file})"
    parts = [f"The baseline is {baseline}. The judgments are those of {comparison.file_scores.judged.name}."]
    for measure, figures in comparison.measures.items():
        rows = text_rows(
            [_NAME, _mean(figures), *of_comparison(*_BESIDE, *OUTCOMES)],
            _run_rows(comparison, comparison.backed(measure)),
        )
        sentences = [
            _sentence(score.run.name, verdict)
            for score, verdict in zip(comparison.runs, comparison.verdicts(measure), strict=True)
        ]
        head = f"{measure} over {counted(figures['queries'], 'query', 'queries')}"
        parts.append("\n".join([head, aligned(rows), *sentences, *_left_out(figures)]))
    parts += [
        _steps(comparison),
        *_pages(comparison),
        *_intent(comparison),
        *_missing(comparison),
        *_short_pages(comparison),
    ]
    return "\n\n".join(parts) + "\n"


def _run_rows(comparison: FileComparison, figures: Figures, measure: str = "") -> list[ComparedRun]:
    """The runs, the baseline first; with the counts of the intended queries on a measure."""
    counts = (
        comparison.intended.counts[measure]
        if comparison.intended and measure
        else [None] * len(comparison.runs)
    )
    runs = zip(comparison.file_scores.scores, [None, *counts], strict=True)
    return [ComparedRun(one.run, place, figures, of, measure) for place, (one, of) in enumerate(runs)]


def _mean(figures: Figures) -> Column[ComparedRun]:
    """The baseline's too."""
    baseline = figures["comparisons"][0]["baseline"]
    return Column("mean", "", lambda row: row.beside("comparisons")["run"] if row.place else baseline, value)


def _left_out(figures: Figures) -> Iterator[str]:
    """What missing grades could make of the mean differences."""
    if figures["left_out"]:
        differences = [one["difference"]["mean"] for one in figures["comparisons"]]
        yield left_out_of_difference(figures["left_out"], figures["queries"], differences)


def _intent(comparison: FileComparison) -> Iterator[str]:
    """By measure the queries that were meant and all others, with a sentence for each run."""
    for measure, every in comparison.intended.counts.items() if comparison.intended else ():
        head = ["intended queries", *("queries", "changed", "improved", "worse", "undecided")]
        rows = [[f"{measure}, {head[0]}", *head[1:], "precision", "recall"]]
        sentences = []
        for score, one in zip(comparison.runs, every, strict=True):
            name, changed = score.run.name, one.changed or 0
            shares = [
                _share(one.precision, one.intended.changed, changed),
                _share(one.recall, one.intended.changed, one.intended.queries),
            ]
            rows.append([f"{name}, intended", *_counts_of(one.intended), *shares])
            rows.append([f"{name}, others", *_counts_of(one.others), "", ""])
            ranks = ranks_runs(on_of(comparison.formula, measure))
            sentences.append(f"{name}: {intent_words(one, ranks=ranks)}")
        yield "\n".join([aligned(rows), *sentences])


def _counts_of(part: QueryCounts) -> list[str]:
    numbers = (part.queries, part.changed, part.improved, part.worse, part.undecided)
    return ["–" if number is None else f"{number:,}" for number in numbers]


def _share(share: float | None, part: int | None, whole: int) -> str:
    return "–" if share is None else f"{part:,} of {whole:,} ({percent_text(share)})"


def unknown_words(unknown: Sequence[str]) -> str:
    """The intended queries that nobody judged, ten of them by name."""
    first = ", ".join(f"“{name}”" for name in unknown[:10])
    more = f" and {len(unknown) - 10:,} more" if len(unknown) > 10 else ""
    without = counted(len(unknown), "intended query has", "intended queries have")
    return f"{without} no judgments and can’t be compared: {first}{more}."


def _short_pages(comparison: FileComparison) -> Iterator[str]:
    """A paragraph where pages are not full."""
    short = [ShortPages.from_json(one["short_pages"]).words for one in comparison.overall["runs"]]
    runs = zip(comparison.file_scores.scores, short, strict=True)
    if sentences := [f"{score.run.name}: {words}" for score, words in runs if words]:
        yield "\n".join(sentences)


def _missing(comparison: FileComparison) -> Iterator[str]:
    """A paragraph where a run leaves judged queries out."""
    queries = comparison.file_scores.judged.queries
    runs = zip(comparison.file_scores.scores, comparison.overall["runs"], strict=True)
    words = [(score.run.name, missing_words(one["answered"], queries)) for score, one in runs]
    if sentences := [f"{name} {missing}" for name, missing in words if missing]:
        yield "\n".join(sentences)


def _sentence(name: str, verdict: Verdict) -> str:
    return f"{name}: {verdict.headline}. {verdict.details}".rstrip()


def as_csv(comparison: FileComparison) -> str:
    """A row for each run and measure; full precision, empty where undefined."""
    return "".join(csv_lines(figure_rows(comparison)))


def figure_rows(comparison: FileComparison) -> Iterator[Sequence[Cell]]:
    columns: list[Column[ComparedRun]] = [
        Column("run", "", "run__name"),
        Column("file", "", "run__file"),
        Column("measure", "", "measure"),
        *of_comparison(Column("baseline mean", "", at("baseline")), Column("mean", "", at("run"))),
        *of_comparison(VERDICT, *COMPARISON),
        *of_comparison(Column("queries", "", at("queries")), Column("seed", "", at("settings", "seed"))),
        *evidence(*EVIDENCE),
        BOUNDS_OVER,
        SHORT_PAGES,
        *intent(),
    ]
    every = (
        _run_rows(comparison, comparison.backed(measure), measure)[1:] for measure in comparison.measures
    )
    return csv_rows(columns, chain.from_iterable(every))


def _interval(ends: Figures | None) -> str:
    return f"{signed(ends['low'])} to {signed(ends['high'])}" if ends else DASH


def _table(title: str, columns: Iterable[Column[ComparedRun]], rows: Iterable[ComparedRun]) -> str:
    return aligned(text_rows([replace(_NAME, label=title), *columns], rows))


def _steps(comparison: FileComparison) -> str:
    runs = _run_rows(comparison, comparison.overall)
    split: list[Column[ComparedRun]] = of(lambda row: row.beside("splits"), STEPS)
    cutoff, key = comparison.formula.cutoff, comparison.formula.key
    under = "" if comparison.formula == Formula(cutoff=cutoff) else f" under {key}"
    changes = _table(f"change of NDCG-max@{cutoff}{under}", split, runs[1:])
    if not comparison.overall["bounds"]:
        return changes
    anything: Column[Figures] = Column("at least, anything", "", at("any_low"), value)
    bounds = _table(
        f"NDCG@{cutoff}{under}, whatever grades are missing",
        of(attrgetter("bound"), [*BOUND, anything]),
        runs,
    )
    over = f"Missing grades are those of {UNIVERSE}; the last column holds if any others may exist."
    return f"{changes}\n\n{bounds}\n{over}"


def _pages(comparison: FileComparison) -> Iterator[str]:
    """What changed on the pages, and what is settled; nothing for pages that nobody looks at."""
    if comparison.overall["evidence"] is None:
        return
    runs, queries = _run_rows(comparison, comparison.overall)[1:], comparison.file_scores.judged.queries
    changes = _table(f"change of the first {comparison.formula.cutoff}", evidence(*PAGE_CHANGES), runs)
    decisions = _table("decided regardless of missing grades", evidence(*DECISIONS, *BOUNDS), runs)
    sentences = [f"{one.run.name}: {impact_words(one.beside('evidence'), queries)}" for one in runs]
    yield "\n".join([changes, *sentences])
    yield f"{decisions}\nQueries that each side wins; the last columns bound the mean differences of NDCG-max and NDCG-global."
