"""Comparisons that are kept by name: what they said when they were saved, and what has become of their inputs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat, JSONObject

from evaluation.comparisons.sql import held_out_of_comparison, read_held_out
from evaluation.models import ComparedRun, Comparison, ComparisonResult, Run
from evaluation.models.comparison import ComparisonQuerySet
from evaluation.scores.sql.scores import read_fingerprints
from judgments.models import QuerySet, User
from touchstone_core.comparison.ruling import Looks
from touchstone_core.comparison.verdict import Figures, measure_name, on_of, verdict_of
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.selection import read_measures

SAVED_KEYS: Final = "saved-"
"""Results with such a key are what saved comparisons said, and are kept as long as these."""


@dataclass(frozen=True, slots=True)
class SavedComparison:
    """`keys_and_names` are those of the runs, the baseline first; None for one that is gone. `headlines` are run and
    verdict as saved or last renewed, `earlier` what was said before, the newest first, each with its day. `grades_changed`: those of
    the live list have changed since, from the state `then` to `now`, as `State.short` writes them. `other_queries`: others
    are held out than then."""

    comparison: Comparison
    keys_and_names: list[tuple[int | None, str]]
    headlines: list[tuple[str, str]]
    grades_changed: bool
    then: str = ""
    now: str = ""
    earlier: list[tuple[datetime, list[tuple[str, str]]]] = field(default_factory=list)
    other_queries: bool = False

    @property
    def outdated(self) -> bool:
        """Whether it may say something else today."""
        return self.grades_changed or self.other_queries

    @property
    def renewable(self) -> bool:
        """Whether what it says today can be found out."""
        return self.outdated and not self.deleted_runs

    @property
    def deleted_runs(self) -> list[str]:
        """The names that deleted runs had."""
        return [name for key, name in self.keys_and_names if key is None]

    @property
    def names(self) -> list[str]:
        return [name for _, name in self.keys_and_names]

    @property
    def runs(self) -> list[int]:
        """The keys of those that are there."""
        return [key for key, _ in self.keys_and_names if key is not None]

    @property
    def formula(self) -> Formula:
        return Formula.from_key(self.comparison.formula)

    @property
    def measures(self) -> tuple[RoundedMeasure, ...]:
        return read_measures(self.comparison.measures)

    @property
    def on(self) -> str:
        """What an address says that the comparison is on."""
        return on_of(self.formula, self.comparison.measure)

    @property
    def measure(self) -> str:
        """What the comparison is on, by its name, and by its formula where that is another text."""
        name, text = measure_name(self.formula.cutoff, self.on), self.comparison.measure
        return name if name == text else f"{name}, which is {text},"


def headline_key(saved: Comparison) -> str:
    return f"{SAVED_KEYS}{saved.pk}"


def headline_of(
    runs: Sequence[Run], on: str, figures: Figures, looks: Sequence[Looks], state: Figures, at: datetime
) -> Figures:
    """What is kept of an answer: a verdict for each run, the `state_of` what it was made from, and when."""
    return {
        "verdicts": [
            [run.name, verdict_of(figures, place, on=on, looks=looks[place]).headline]
            for place, run in enumerate(runs[1:])
        ],
        "queries": figures["queries"],
        "at": at.isoformat(),
        **state,
    }


def state_of(query_set_id: int, revision: int) -> Figures:
    """The grades, and the queries that are held out. One statement."""
    return {"revision": revision, "held_out": read_held_out(query_set_id)}


def is_of_same_state(one: Figures, other: Figures) -> bool:
    return all(one.get(name) == other.get(name) for name in ("revision", "held_out"))


def renewed_headline(new: Figures, old: Figures) -> Figures:
    """The new one, which keeps what was said before."""
    before = {name: value for name, value in old.items() if name != "earlier"}
    return new | {"earlier": [before, *old.get("earlier", [])]}


def short_state(revision: int) -> str:
    """As `State.short` of a live list."""
    return f"{revision:016x}"[-8:]


def saved_comparisons(query_set: QuerySet) -> list[SavedComparison]:
    """By name. Three statements."""
    rows = list(_rows(Comparison.objects.filter(query_set=query_set).order_by("name")))
    now = read_fingerprints({row.judgment_list_id for row in rows if row.version_id is None})
    held_out = read_held_out(query_set.pk)
    return [_record(row, now.get(row.judgment_list_id, 0), held_out) for row in rows]


def saved_comparison(comparisons: ComparisonQuerySet, revision: int | None = None) -> SavedComparison | None:
    """The first of these. One statement where the `revision` of its list is known, else two."""
    row = _rows(comparisons).annotate(held_out_now=held_out_of_comparison()).first()
    if row is None:
        return None
    if revision is None:
        revision = read_fingerprints([row.judgment_list_id]).get(row.judgment_list_id, 0)
    return _record(row, revision, vars(row)["held_out_now"] or "")


def latest_comparisons(user: User, count: int) -> list[Comparison]:
    """The newest that the account may see, in query sets that are at work."""
    comparisons = Comparison.objects.visible_to(user).filter(query_set__archived_at=None)
    return list(comparisons.select_related("query_set").order_by("-created_at", "-pk")[:count])


def _rows(comparisons: ComparisonQuerySet) -> ComparisonQuerySet:
    """With all that a record needs."""
    runs = ComparedRun.objects.filter(comparison=OuterRef("pk")).order_by("position")
    results = ComparisonResult.objects.filter(
        judgment_list=OuterRef("judgment_list"),
        key=Concat(Value(SAVED_KEYS), Cast(OuterRef("pk"), TextField())),
    )
    return comparisons.select_related("judgment_list", "version", "created_by", "query_set").annotate(
        runs_said=ArraySubquery(runs.values(said=JSONObject(run="run_id", name="name"))),
        headline=Subquery(results.values("figures")[:1]),
    )


def _record(row: Comparison, revision: int, held_out: str) -> SavedComparison:
    annotations: dict[str, Any] = vars(row)
    headline = annotations["headline"]
    runs = [(run["run"], run["name"]) for run in annotations["runs_said"]]
    if headline is None:
        return SavedComparison(row, runs, [], grades_changed=False)
    return SavedComparison(
        row,
        runs,
        headlines=_verdicts(headline),
        grades_changed=row.version_id is None and headline["revision"] != revision,
        then=short_state(headline["revision"]),
        now=short_state(revision),
        earlier=[
            (datetime.fromisoformat(one["at"]) if "at" in one else row.created_at, _verdicts(one))
            for one in headline.get("earlier", [])
        ],
        # What was kept by an earlier release does not say it.
        other_queries=headline.get("held_out", held_out) != held_out,
    )


def _verdicts(headline: Figures) -> list[tuple[str, str]]:
    return [(run, words) for run, words in headline["verdicts"]]
