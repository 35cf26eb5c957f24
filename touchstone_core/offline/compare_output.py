"""A comparison as a table for people, and as CSV."""

from collections.abc import Iterator, Sequence

from touchstone_core.comparison.comparison_cells import better_probability, cells
from touchstone_core.comparison.page_evidence import COLUMNS, UNIVERSE
from touchstone_core.comparison.values import p_text, signed
from touchstone_core.comparison.verdict import (
    Figures,
    Verdict,
    impact_words,
    missing_words,
    on_of,
    verdict_of,
)
from touchstone_core.formats.spreadsheet import Cell, csv_lines
from touchstone_core.impact.intent import COLUMNS as INTENT_COLUMNS
from touchstone_core.impact.intent import QueryCounts, intent_cells, intent_words
from touchstone_core.metrics.direction import ranks_runs
from touchstone_core.metrics.left_out import left_out_of_difference
from touchstone_core.metrics.short_pages import ShortPages
from touchstone_core.offline.file_comparison import FileComparison, changes
from touchstone_core.offline.score_output import aligned
from touchstone_core.words import counted

_ENDS = ("low", "high", "global_low", "global_high")
_TOLD = (
    *("baseline mean", "mean", "difference", "interval low", "interval high", "p", "p (adjusted)", "method"),
    *(
        "P(better)",
        "won",
        "tied",
        "lost",
        "d_z",
        "URisk",
        "TRisk",
        "can show",
        "queries needed",
        "queries",
        "seed",
    ),
)
_HEADER = ("run", "file", "measure", *_TOLD, *COLUMNS, "bounds over", "short pages", *INTENT_COLUMNS)


def as_table(found: FileComparison) -> str:
    """By measure: a line for each run, then a sentence; then the change by step."""
    parts = [
        f"The baseline is {found.baseline.run.name} ({found.baseline.run.file}). {found.scored.judged.name}."
    ]
    for measure, figures in found.measures.items():
        told = figures["comparisons"]
        rows = [["run", "mean", "difference", "95 % interval", "p", "P(better)", "won", "tied", "lost"]]
        rows.append([found.baseline.run.name, f"{told[0]['baseline']:.4f}", *["–"] * 7])
        for score, one in zip(found.runs, told, strict=True):
            rows.append([score.run.name, *_cells(one)])
        on = on_of(found.formula, measure)
        sentences = [
            _sentence(score.run.name, verdict_of(figures, place, on=on))
            for place, score in enumerate(found.runs)
        ]
        head = f"{measure} over {counted(figures['queries'], 'query', 'queries')}"
        parts.append("\n".join([head, aligned(rows), *sentences, *_left_out(figures)]))
    parts += [_steps(found), *_pages(found), *_intent(found), *_missing(found), *_short_pages(found)]
    return "\n\n".join(parts) + "\n"


def _left_out(figures: Figures) -> Iterator[str]:
    """What missing grades could make of the mean differences."""
    if figures["left_out"]:
        differences = [one["difference"]["mean"] for one in figures["comparisons"]]
        yield left_out_of_difference(figures["left_out"], figures["queries"], differences)


def _intent(found: FileComparison) -> Iterator[str]:
    """By measure the queries that were meant and all others, with a sentence for each run."""
    for measure, every in found.intended.counts.items() if found.intended else ():
        head = ["intended queries", *("queries", "changed", "improved", "worse", "undecided")]
        rows = [[f"{measure}, {head[0]}", *head[1:], "precision", "recall"]]
        sentences = []
        for score, one in zip(found.runs, every, strict=True):
            name, changed = score.run.name, one.changed or 0
            shares = [
                _share(one.precision, one.intended.changed, changed),
                _share(one.recall, one.intended.changed, one.intended.queries),
            ]
            rows.append([f"{name}, intended", *_touched(one.intended), *shares])
            rows.append([f"{name}, others", *_touched(one.others), "", ""])
            ranks = ranks_runs(on_of(found.formula, measure))
            sentences.append(f"{name}: {intent_words(one, ranks=ranks)}")
        yield "\n".join([aligned(rows), *sentences])


def _touched(part: QueryCounts) -> list[str]:
    numbers = (part.queries, part.changed, part.improved, part.worse, part.undecided)
    return ["–" if number is None else f"{number:,}" for number in numbers]


def _share(share: float | None, part: int | None, whole: int) -> str:
    return "–" if share is None else f"{part:,} of {whole:,} ({100 * share:.1f} %)"


def unknown_words(unknown: Sequence[str]) -> str:
    """The intended queries that nobody judged, ten of them by name."""
    first = ", ".join(f"“{name}”" for name in unknown[:10])
    more = f" and {len(unknown) - 10:,} more" if len(unknown) > 10 else ""
    without = counted(len(unknown), "intended query has", "intended queries have")
    return f"{without} no judgments and can't be compared: {first}{more}."


def _short_pages(found: FileComparison) -> Iterator[str]:
    """A paragraph where pages are not full."""
    short = [ShortPages.from_json(one["short_pages"]).words for one in found.overall["runs"]]
    told = zip(found.scored.scores, short, strict=True)
    if sentences := [f"{score.run.name}: {words}" for score, words in told if words]:
        yield "\n".join(sentences)


def _missing(found: FileComparison) -> Iterator[str]:
    """A paragraph where a run leaves judged queries out."""
    queries = found.scored.judged.queries
    told = zip(found.scored.scores, found.overall["runs"], strict=True)
    words = [(score.run.name, missing_words(one["answered"], queries)) for score, one in told]
    if sentences := [f"{name} {missing}" for name, missing in words if missing]:
        yield "\n".join(sentences)


def _sentence(name: str, told: Verdict) -> str:
    return f"{name}: {told.headline}. {told.details}".rstrip()


def as_csv(found: FileComparison) -> str:
    """A row for each run and measure; full precision, empty where undefined."""
    return "".join(csv_lines(_rows(found)))


def _rows(found: FileComparison) -> Iterator[Sequence[Cell]]:
    yield _HEADER
    for measure, figures in found.measures.items():
        for place, score in enumerate(found.runs):
            told = figures["evidence"][place] if figures["evidence"] else {}
            yield [
                *(score.run.name, score.run.file, measure),
                *cells(figures["comparisons"][place], _TOLD),
                *(told.get(name) for name in COLUMNS.values()),
                UNIVERSE if told else None,
                figures["runs"][place + 1]["short_pages"]["short"],
                *intent_cells(found.intended.counts[measure][place] if found.intended else None),
            ]


def _cells(one: Figures) -> list[str]:
    ends, better, outcomes = one["difference"]["interval"], better_probability(one), one["outcomes"]
    return [
        f"{one['run']:.4f}",
        signed(one["difference"]["mean"]),
        f"{signed(ends['low'])} to {signed(ends['high'])}" if ends else "–",
        p_text(one["adjusted"]),
        "–" if better is None else f"{100 * better:.1f} %",
        *(f"{outcomes[name]:,}" for name in ("wins", "ties", "losses")),
    ]


def _steps(found: FileComparison) -> str:
    rows = [[f"change of NDCG-max@{found.formula.cutoff}", "all", "order", "depth", "recall"]]
    for place, score in enumerate(found.runs):
        rows.append([score.run.name, *(signed(one["mean"]) for one in changes(found.overall, place))])
    if not found.overall["bounds"]:
        return aligned(rows)
    bounds = [
        ["whatever grades are missing", "coverage", "NDCG-global at least", "at most", "at least, anything"]
    ]
    for score, one in zip(found.scored.scores, found.overall["bounds"], strict=True):
        ends = (one["low"]["global"], one["high"]["global"], one["any_low"])
        bounds.append([score.run.name, f"{100 * one['coverage']:.1f} %", *(f"{end:.4f}" for end in ends)])
    over = f"Missing grades are those of {UNIVERSE}; the last column holds if any others may exist."
    return f"{aligned(rows)}\n\n{aligned(bounds)}\n{over}"


def _pages(found: FileComparison) -> Iterator[str]:
    """What changed on the pages, and what is settled; nothing for pages that nobody looks at."""
    if found.overall["evidence"] is None:
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
            "NDCG-max ceiling",
        ]
    ]
    head = ["settled whatever grades are missing", "run", "baseline", "even", "open"]
    settled = [[*head, "max at least", "at most", "global at least", "at most"]]
    sentences = []
    for score, one in zip(found.runs, found.overall["evidence"], strict=True):
        name = score.run.name
        counts = (one[key] for key in ("changed", "first", "new_order", "new_documents"))
        shares = (f"{one[key]:.4f}" for key in ("overlap", "rbo", "ceiling"))
        changes.append([name, *(f"{count:,}" for count in counts), *shares])
        standings = (one[key] for key in ("for_candidate", "for_baseline", "even", "open"))
        settled.append([name, *(f"{count:,}" for count in standings), *(signed(one[key]) for key in _ENDS)])
        sentences.append(f"{name}: {impact_words(one, queries)}")
    yield "\n".join([aligned(changes), *sentences])
    yield f"{aligned(settled)}\nQueries that each side wins; the last columns bound the mean differences of NDCG-max and NDCG-global."
