"""The rankings of two runs for one query side by side, and what explains each gap."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluation.explain.reports.drill_down import DrillDown, GradeChip, IdealList, IdealPlace
from judgments.models import Document
from touchstone_core.comparison.values import DASH, Segment, signed, value
from touchstone_core.metrics.direction import ranks_runs
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.gaps import Short, below_the_cutoff, best_swap, never_retrieved, short_of_the_top
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.worked_query import IdealRow

MOST_ROWS: Final = 100


@dataclass(frozen=True, slots=True)
class Seen:
    """A document on the page of one run. `kind` is same, up, down, new or lost; `words` say it as text."""

    rank: int
    external_id: str
    document: Document | None
    grade: GradeChip
    kind: str
    words: str

    @property
    def band(self) -> str:
        """How its line is drawn: the upper third of the grades, what lies between, worth nothing, unjudged."""
        if self.grade.value is None:
            return "unjudged"
        return "good" if self.grade.heat >= 7 else "some" if self.grade.value > 0 else "none"


@dataclass(frozen=True, slots=True)
class Explained:
    """What explains each gap of one run for the query; each part is empty where its gap is 0."""

    swap: dict[str, Any] | None  # two ranks, their documents, and the DCG points gained
    below: list[tuple[int, IdealPlace]]  # with the rank where each stands
    missing: list[IdealPlace]
    short: Short


@dataclass(frozen=True, slots=True)
class Side:
    """One run: its page, what is lost where, and why."""

    drill_down: DrillDown
    page: list[Seen]
    ladder: list[Segment]
    explained: Explained


@dataclass(frozen=True, slots=True)
class TwoRankings:
    """`left` is the baseline."""

    left: Side
    right: Side
    values: list[dict[str, Any]]

    @property
    def moved(self) -> dict[str, int]:
        """How many documents of either page stand where they stood, moved, are new or lost."""
        kinds = [seen.kind for seen in self.right.page]
        return {
            "same": kinds.count("same"),
            "moved": kinds.count("up") + kinds.count("down"),
            "new": kinds.count("new"),
            "lost": sum(seen.kind == "lost" for seen in self.left.page),
        }


def two_rankings(
    baseline: DrillDown, candidate: DrillDown, measures: Sequence[RoundedMeasure] = ()
) -> TwoRankings:
    """One query to the database where a page shows documents that nobody judged, for their names.

    `measures` are told beside the four NDCGs; raises MetricsError for one that these grades cannot have.
    """
    names = {*_page(baseline), *_page(candidate)}
    documents = {name: document for name in names if (document := baseline.document_of(name))}
    rows = Document.objects.filter(
        query_set=baseline.query.query_set_id, external_id__in=names - documents.keys()
    )
    documents |= {one.external_id: one for one in rows.only("external_id", "title", "url")}
    return TwoRankings(
        left=_side(baseline, candidate, documents, first=True),
        right=_side(candidate, baseline, documents, first=False),
        values=[*_values(baseline, candidate), *_further(baseline, candidate, measures)],
    )


def _page(run: DrillDown) -> list[str]:
    return run.documents[: min(run.cut, MOST_ROWS)]


def _side(run: DrillDown, other: DrillDown, documents: dict[str, Document], *, first: bool) -> Side:
    ranks = {name: rank for rank, name in enumerate(other.documents, 1)}
    page = [
        Seen(
            rank,
            name,
            documents.get(name),
            run.chip(name),
            *_move(rank, ranks.get(name), other.cut, first=first),
        )
        for rank, name in enumerate(_page(run), 1)
    ]
    return Side(run, page, run.ladder, _explained(run, run.ideals()))


def _move(rank: int, there: int | None, cut: int, *, first: bool) -> tuple[str, str]:
    """Kind and words: seen from the baseline where a document went, from the other run whence it came."""
    if there is None:
        return ("lost", "lost") if first else ("new", "new")
    if there > cut:
        return ("lost", f"lost, now at {there}") if first else ("new", f"new, was at {there}")
    rise = rank - there if first else there - rank
    if not rise:
        return "same", "same"
    return ("up", f"↑{rise}") if rise > 0 else ("down", f"↓{-rise}")


def _explained(run: DrillDown, ideals: Iterable[IdealList]) -> Explained:
    formula, worked = run.formula, run.worked
    places = {ideal.name: ideal.rows for ideal in ideals}
    swap = best_swap(worked)
    depth = formula.depth
    names_above = {
        name
        for name, row in zip(run.documents, worked.rows, strict=True)
        if row.place is not None and (depth is None or row.place <= depth)
    }
    places_above = {place for place, name in enumerate(run.judged_names) if name in names_above}
    return Explained(
        swap=None
        if swap is None
        else {
            "upper": swap.upper,
            "lower": swap.lower,
            "upper_name": run.name_of(run.documents[swap.upper - 1]),
            "lower_name": run.name_of(run.documents[swap.lower - 1]),
            "gain": signed(swap.gain),
        },
        below=[
            (worked.rows[one.worked.source or 0].rank, one)
            for one in _places(places["recall"], below_the_cutoff(worked, formula))
        ],
        missing=_places(places["global"], never_retrieved(worked, formula, places_above)),
        short=short_of_the_top(worked),
    )


def _places(places: Iterable[IdealPlace], rows: Iterable[IdealRow]) -> list[IdealPlace]:
    ranks = {row.rank for row in rows}
    return [place for place in places if place.worked.rank in ranks]


def _values(baseline: DrillDown, candidate: DrillDown) -> list[dict[str, Any]]:
    """DCG and the four NDCGs; nobody should rank runs by local or recall."""
    cutoff = baseline.formula.cutoff
    dcg = [_value(f"DCG@{cutoff}", baseline.worked.dcg, candidate.worked.dcg, ranks=True, shares=False)]
    return dcg + [
        _value(
            f"NDCG-{ideal}@{cutoff}",
            baseline.worked.ndcg[ideal],
            candidate.worked.ndcg[ideal],
            ranks=ideal in ("global", "max"),
            shares=True,
        )
        for ideal in IDEALS
    ]


def _further(
    baseline: DrillDown, candidate: DrillDown, measures: Sequence[RoundedMeasure]
) -> list[dict[str, Any]]:
    old, new = baseline.further(measures), candidate.further(measures)
    return [
        _value(text, old[text].number, new[text].number, ranks=ranks_runs(text), shares=False) for text in old
    ]


def _value(name: str, old: float | None, new: float | None, *, ranks: bool, shares: bool) -> dict[str, Any]:
    """`sign` is that of the difference, 0 where it says nothing of which run is better."""
    both = old is not None and new is not None
    difference = new - old if old is not None and new is not None else 0.0
    close = abs(difference) <= 1e-9
    return {
        "name": name,
        "baseline": value(old, share=old if shares else None),
        "candidate": value(new, share=new if shares else None),
        "difference": (signed(0.0 if close else difference)) if both else DASH,
        "sign": 0 if close or not ranks else 1 if difference > 0 else -1,
    }
