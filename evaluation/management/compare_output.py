"""A comparison as a table for people, and as CSV."""

from collections.abc import Iterator, Sequence

from evaluation.management.score_output import aligned
from evaluation.reports.file_comparison import FileComparison, MeasureComparison, verdict_on
from evaluation.reports.page_evidence import COLUMNS
from evaluation.reports.values import p_text, signed
from evaluation.reports.verdict import impact_words, missing_words
from evaluation.significance.comparison import Comparison
from judgments.formats.spreadsheet import Cell, csv_lines
from judgments.words import counted

_HEADER = (
    *("run", "file", "measure", "baseline mean", "mean", "difference", "interval low", "interval high"),
    *("p", "p (Holm)", "method", "P(better)", "won", "tied", "lost", "d_z", "URisk", "TRisk"),
    *("can show", "queries needed", "queries", "seed"),
    *COLUMNS,
)


def as_table(found: FileComparison) -> str:
    """By measure: a line for each run, then a sentence; then the change by step."""
    parts = [
        f"The baseline is {found.baseline.run.name} ({found.baseline.run.file}). {found.scored.judged.name}."
    ]
    for measure in found.measures:
        rows = [["run", "mean", "difference", "95 % interval", "p", "P(better)", "won", "tied", "lost"]]
        rows.append([found.baseline.run.name, f"{measure.means[0]:.4f}", *["–"] * 7])
        for score, one in zip(found.runs, measure.comparisons, strict=True):
            rows.append([score.run.name, *_cells(one)])
        sentences = [_sentence(found, measure, place) for place in range(len(found.runs))]
        left_out = f", {measure.left_out:,} left out" if measure.left_out else ""
        head = f"{measure.measure} over {counted(measure.queries, 'query', 'queries')}{left_out}"
        parts.append("\n".join([head, aligned(rows), *sentences]))
    parts += [_steps(found), *_pages(found), *_missing(found)]
    return "\n\n".join(parts) + "\n"


def _missing(found: FileComparison) -> Iterator[str]:
    """A paragraph where a run leaves judged queries out."""
    sentences = []
    for score in found.scored.scores:
        counts = score.counts()
        if told := missing_words(counts["judged"] - counts["missing"], counts["judged"]):
            sentences.append(f"{score.run.name} {told}")
    if sentences:
        yield "\n".join(sentences)


def _sentence(found: FileComparison, measure: MeasureComparison, place: int) -> str:
    told = verdict_on(found, measure, place)
    return f"{found.runs[place].run.name}: {told.headline}. {told.details}".rstrip()


def as_csv(found: FileComparison) -> str:
    """A row for each run and measure; full precision, empty where undefined."""
    return "".join(csv_lines(_rows(found)))


def _rows(found: FileComparison) -> Iterator[Sequence[Cell]]:
    yield _HEADER
    for measure in found.measures:
        for place, (score, one) in enumerate(zip(found.runs, measure.comparisons, strict=True)):
            ends = one.difference.interval
            told = found.evidence[place] if found.evidence else {}
            yield [
                score.run.name,
                score.run.file,
                measure.measure,
                one.baseline,
                one.run,
                one.difference.mean,
                ends.low if ends else None,
                ends.high if ends else None,
                one.permutation.value,
                one.holm,
                str(one.permutation.method),
                _better(one),
                one.outcomes.wins,
                one.outcomes.ties,
                one.outcomes.losses,
                one.difference.effect,
                one.risk.urisk,
                one.risk.trisk,
                one.detectable,
                one.queries_needed,
                one.queries,
                found.seed,
                *(told.get(name) for name in COLUMNS.values()),
            ]


def _cells(one: Comparison) -> list[str]:
    ends, better = one.difference.interval, _better(one)
    return [
        f"{one.run:.4f}",
        signed(one.difference.mean),
        f"{signed(ends.low)} to {signed(ends.high)}" if ends else "–",
        p_text(one.holm),
        "–" if better is None else f"{100 * better:.1f} %",
        *(f"{count:,}" for count in (one.outcomes.wins, one.outcomes.ties, one.outcomes.losses)),
    ]


def _better(one: Comparison) -> float | None:
    """None of equal values, too, of which it would be 0 and read as if the run were worse."""
    return one.bayes.better if one.bayes and one.outcomes.changed else None


def _steps(found: FileComparison) -> str:
    rows = [[f"change of NDCG-max@{found.formula.cutoff}", "all", "order", "depth", "recall"]]
    for score, split in zip(found.runs, found.splits, strict=True):
        rows.append([score.run.name, *(signed(change.mean) for change in split.values())])
    if not (found.coverage and found.intervals):
        return aligned(rows)
    bounds = [["whatever the unjudged are worth", "coverage", "NDCG-global at least", "at most"]]
    for score, coverage, interval in zip(found.scored.scores, found.coverage, found.intervals, strict=True):
        low, high = interval["global"]
        bounds.append([score.run.name, f"{100 * coverage:.1f} %", f"{low:.4f}", f"{high:.4f}"])
    return f"{aligned(rows)}\n\n{aligned(bounds)}"


def _pages(found: FileComparison) -> Iterator[str]:
    """What changed on the pages, and what is settled; nothing for pages that nobody looks at."""
    if found.evidence is None:
        return
    cutoff, queries = found.formula.cutoff, found.scored.judged.queries
    changes = [
        [
            f"change of the first {cutoff}",
            "changed",
            "at rank 1",
            "order only",
            "documents",
            "overlap",
            "RBO",
            "ceiling",
        ]
    ]
    settled = [
        ["settled whatever grades are missing", "run", "baseline", "even", "open", "at least", "at most"]
    ]
    sentences = []
    for score, one in zip(found.runs, found.evidence, strict=True):
        name = score.run.name
        counts = (one[key] for key in ("changed", "first", "new_order", "new_documents"))
        shares = (f"{one[key]:.4f}" for key in ("overlap", "rbo", "ceiling"))
        changes.append([name, *(f"{count:,}" for count in counts), *shares])
        standings = (one[key] for key in ("for_candidate", "for_baseline", "even", "open"))
        settled.append(
            [name, *(f"{count:,}" for count in standings), signed(one["low"]), signed(one["high"])]
        )
        sentences.append(f"{name}: {impact_words(one, queries)}")
    yield "\n".join([aligned(changes), *sentences])
    yield f"{aligned(settled)}\nQueries that each side wins; the last two columns bound the mean difference of NDCG-max."
