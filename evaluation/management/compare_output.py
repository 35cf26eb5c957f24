"""A comparison as a table for people, and as CSV."""

from collections.abc import Iterator, Sequence

from evaluation.management.score_output import aligned
from evaluation.metrics.direction import ranks_runs
from evaluation.reports.file_comparison import FileComparison
from evaluation.reports.values import p_text, signed
from evaluation.significance.comparison import Comparison
from evaluation.significance.permutation import Method
from evaluation.significance.planning import SIGNIFICANCE
from judgments.formats.spreadsheet import Cell, csv_lines

_HEADER = (
    *("run", "file", "measure", "baseline mean", "mean", "difference", "interval low", "interval high"),
    *("p", "p (Holm)", "method", "P(better)", "won", "tied", "lost", "d_z", "URisk", "TRisk"),
    *("can show", "queries needed", "queries", "seed"),
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
        sentences = [
            f"{score.run.name}: {sentence(one, measure.measure)}"
            for score, one in zip(found.runs, measure.comparisons, strict=True)
        ]
        left_out = f", {measure.left_out:,} left out" if measure.left_out else ""
        head = f"{measure.measure} over {measure.queries:,} queries{left_out}"
        parts.append("\n".join([head, aligned(rows), *sentences]))
    parts.append(_steps(found))
    return "\n\n".join(parts) + "\n"


def sentence(one: Comparison, measure: str) -> str:
    """What the test says, in words."""
    changed = one.outcomes.changed
    if one.permutation.method is Method.IDENTICAL:
        return "no difference that these queries can show; the same value on every query."
    if one.permutation.method is Method.TOO_FEW:
        return f"no difference that these queries can show; {changed:,} changed, too few for any test."
    if one.holm is None or one.holm > SIGNIFICANCE:
        shows = "" if one.detectable is None else f"; they would mostly show {one.detectable:.4f} or more"
        return f"no difference that these queries can show{shows}."
    if not ranks_runs(measure):
        return "another value, by more than noise; this measure does not say which run is better."
    return f"{'better' if one.difference.mean > 0 else 'worse'}, by more than noise."


def as_csv(found: FileComparison) -> str:
    """A row for each run and measure; full precision, empty where undefined."""
    return "".join(csv_lines(_rows(found)))


def _rows(found: FileComparison) -> Iterator[Sequence[Cell]]:
    yield _HEADER
    for measure in found.measures:
        for score, one in zip(found.runs, measure.comparisons, strict=True):
            ends = one.difference.interval
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
                one.bayes.better if one.bayes else None,
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
            ]


def _cells(one: Comparison) -> list[str]:
    ends = one.difference.interval
    return [
        f"{one.run:.4f}",
        signed(one.difference.mean),
        f"{signed(ends.low)} to {signed(ends.high)}" if ends else "–",
        p_text(one.holm),
        f"{100 * one.bayes.better:.1f} %" if one.bayes else "–",
        *(f"{count:,}" for count in (one.outcomes.wins, one.outcomes.ties, one.outcomes.losses)),
    ]


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
