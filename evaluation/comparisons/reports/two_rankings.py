"""The rankings of two runs for one query side by side, and what explains each gap."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluation.explain.reports.drill_down import DrillDown, GradeChip, IdealList, IdealPlace
from evaluation.explain.reports.shown_documents import ShownDocument, shown_documents
from touchstone_core.comparison.causes import within_depth
from touchstone_core.comparison.values import DASH, Segment, Value, difference, if_known, signed, value
from touchstone_core.metrics.direction import ranks_runs
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.gaps import Short, below_the_cutoff, best_swap, never_retrieved, short_of_the_top
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.worked_query import IdealRow, WorkedRow

MOST_ROWS: Final = 100


@dataclass(frozen=True, slots=True)
class Change:
    """What a document adds to the DCG of the baseline and of the candidate, and the difference. No rank: not retrieved."""

    baseline_rank: int | None
    candidate_rank: int | None
    baseline: Value
    candidate: Value
    difference: Value

    @property
    def sign(self) -> int:
        number = self.difference.number or 0.0
        return (number > 0) - (number < 0)


@dataclass(frozen=True, slots=True)
class PageResult:
    """A document on the page of one run. `kind` is same, up, down, new or lost; `words` say it as text."""

    rank: int
    external_id: str
    document: ShownDocument | None
    grade: GradeChip
    kind: str
    words: str
    change: Change

    @property
    def band(self) -> str:
        """How its line is drawn: the upper third of the grades, what lies between, worth nothing, unjudged."""
        if self.grade.value is None:
            return "unjudged"
        return "good" if self.grade.heat >= 7 else "some" if self.grade.value > 0 else "none"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What explains each gap of one run for the query; each part is empty where its gap is 0."""

    swap: dict[str, Any] | None  # two ranks, their documents, and the DCG points gained
    below: list[tuple[int, IdealPlace]]  # with the rank where each stands
    missing: list[IdealPlace]
    within: str  # how far down counts as retrieved
    short: Short


@dataclass(frozen=True, slots=True)
class Side:
    """One run: its page, what is lost where, and why."""

    drill_down: DrillDown
    page: list[PageResult]
    ladder: list[Segment]
    explained: Explanation


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
    baseline: DrillDown, candidate: DrillDown, measures: Sequence[RoundedMeasure]
) -> TwoRankings:
    """One query to the database, for the documents of both pages.

    `measures` are shown beside the four NDCGs. Raises MetricsError for one that these grades don't allow.
    """
    names = {*_page(baseline), *_page(candidate)}
    documents = shown_documents(baseline.judgment_list.query_set, names)
    changes = _changes(baseline, candidate, names)
    return TwoRankings(
        left=_side(baseline, candidate, documents, changes, first=True),
        right=_side(candidate, baseline, documents, changes, first=False),
        values=[*_values(baseline, candidate), *_further(baseline, candidate, measures)],
    )


def _page(run: DrillDown) -> list[str]:
    return run.documents[: min(run.cut, MOST_ROWS)]


def _changes(baseline: DrillDown, candidate: DrillDown, names: Iterable[str]) -> dict[str, Change]:
    """By the documents' external IDs. They add up to the difference of DCG, where both pages are shown whole."""
    old, new = (dict(zip(run.documents, run.worked.rows, strict=True)) for run in (baseline, candidate))
    return {name: _change(old.get(name), new.get(name)) for name in names}


def _change(old: WorkedRow | None, new: WorkedRow | None) -> Change:
    before, after = (row.contribution if row else 0.0 for row in (old, new))
    judged = any(row is not None and row.grade is not None for row in (old, new))
    return Change(
        old.rank if old else None,
        new.rank if new else None,
        if_known(value(before), judged),
        if_known(value(after), judged),
        if_known(difference(after - before), judged),
    )


def _side(
    run: DrillDown,
    other: DrillDown,
    documents: dict[str, ShownDocument],
    changes: dict[str, Change],
    *,
    first: bool,
) -> Side:
    ranks = {name: rank for rank, name in enumerate(other.documents, 1)}
    page = [
        PageResult(
            rank,
            name,
            documents.get(name),
            run.chip(name),
            *_move(rank, ranks.get(name), other.cut, first=first),
            changes[name],
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


def _explained(run: DrillDown, ideals: Iterable[IdealList]) -> Explanation:
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
    return Explanation(
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
        within=within_depth(formula),
        short=short_of_the_top(worked),
    )


def _places(places: Iterable[IdealPlace], rows: Iterable[IdealRow]) -> list[IdealPlace]:
    ranks = {row.rank for row in rows}
    return [place for place in places if place.worked.rank in ranks]


def _values(baseline: DrillDown, candidate: DrillDown) -> list[dict[str, Any]]:
    """DCG and the four NDCGs; nobody should rank runs by local or recall."""
    cutoff, known = baseline.formula.cutoff, (baseline.known, candidate.known)
    values = [_value(f"DCG@{cutoff}", baseline.worked.dcg, candidate.worked.dcg, ranks=True, known=known)]
    return values + [
        _value(
            f"NDCG-{ideal}@{cutoff}",
            baseline.worked.ndcg[ideal],
            candidate.worked.ndcg[ideal],
            ranks=ideal in ("global", "max"),
            shares=True,
            known=known,
        )
        for ideal in IDEALS
    ]


def _further(
    baseline: DrillDown, candidate: DrillDown, measures: Sequence[RoundedMeasure]
) -> list[dict[str, Any]]:
    old, new = baseline.further(measures), candidate.further(measures)
    return [_value(text, old[text].number, new[text].number, ranks=ranks_runs(text)) for text in old]


def _value(
    name: str,
    old: float | None,
    new: float | None,
    *,
    ranks: bool,
    shares: bool = False,
    known: tuple[bool, bool] = (True, True),
) -> dict[str, Any]:
    """`sign` is that of the difference, 0 where it doesn't say which run is better. `known`: of both runs, as
    `touchstone_core.comparison.values.is_known` says."""
    both = old is not None and new is not None
    change = new - old if old is not None and new is not None else 0.0
    close = abs(change) <= 1e-9
    return {
        "name": name,
        "baseline": if_known(value(old, share=old if shares else None), known[0]),
        "candidate": if_known(value(new, share=new if shares else None), known[1]),
        "difference": if_known(difference(0.0 if close else change), all(known)).text if both else DASH,
        "sign": 0 if close or not ranks or not all(known) else 1 if change > 0 else -1,
    }
