"""The trends of several lists at a glance, from stored values: for pages that show lists and score nothing."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber
from django.urls import reverse

from evaluation.formulas.reports import saved_choice
from evaluation.models import Evaluation, Run, SavedFormula
from evaluation.scores.trend_chart import Sparks, sparks
from judgments.models import JudgmentList
from touchstone_core.bounds.means import is_provisional
from touchstone_core.comparison.values import UNKNOWN, difference, fixed
from touchstone_core.metrics.formula import Formula
from touchstone_core.words import counted

MOST_RUNS: Final = 60
"""Of each list, the newest. As many as the Trend page shows."""


class StoredMean(NamedTuple):
    """NDCG-global of a run under a list, as it was last scored."""

    run_id: int
    run_name: str
    tags: list[str]
    value: float
    judged: float
    missing: int
    coverage: float | None
    revision: int
    computed_at: datetime

    @property
    def text(self) -> str:
        return UNKNOWN if self.nothing_judged else fixed(self.value)

    @property
    def nothing_judged(self) -> bool:
        """Whether the pages have documents, and none of them is judged."""
        return self.judged == 0 and self.coverage is not None and self.coverage < 1

    @property
    def is_provisional(self) -> bool:
        """Whether unjudged documents could move a value that says something."""
        return self.judged > 0 and is_provisional(self.coverage)


class AgainstBaseline(NamedTuple):
    """The difference of a run from the baseline of its query set, and the comparison of the two."""

    difference: str
    baseline: str
    url: str


class Sparkline(NamedTuple):
    """The runs of a list in the order of their upload: `means` of all of them, or of those with the `tag` that most of them have.

    The `baseline` may be older than all of them. It is None where none is pinned, or where it wasn't scored at the same state.
    """

    list_id: int
    formula: Formula
    tag: str
    means: list[StoredMean]
    every: list[StoredMean]
    baseline: StoredMean | None = None

    @property
    def newest(self) -> StoredMean:
        return self.every[-1]

    @property
    def measure(self) -> str:
        return f"NDCG-global@{self.formula.cutoff}"

    @property
    def last(self) -> str:
        return self.means[-1].text

    def mean_of(self, run_id: int) -> StoredMean | None:
        """None where the run wasn't scored at this state of the judgments."""
        return next((mean for mean in self.every if mean.run_id == run_id), None)

    def against_baseline(self, run_id: int) -> AgainstBaseline | None:
        """None for the baseline itself, and where one of both has no value at this state of the judgments."""
        run = self.mean_of(run_id)
        if run is None or self.baseline is None or self.baseline.run_id == run_id:
            return None
        if run.nothing_judged or self.baseline.nothing_judged:
            return None
        address = reverse("comparison", args=[self.list_id])
        return AgainstBaseline(
            difference(run.value - self.baseline.value).text,
            self.baseline.run_name,
            f"{address}?runs={self.baseline.run_id}-{run_id}&on=global",
        )

    @property
    def picture(self) -> Sparks | None:
        """One run has no trend."""
        return sparks([mean.value for mean in self.means]) if len(self.means) > 1 else None

    @property
    def sentence(self) -> str:
        """What the picture shows: “NDCG-global@10 of 12 runs tagged nightly: from 0.3214 to 0.3551, at most 0.3600”."""
        values = [mean.value for mean in self.means]
        runs = counted(len(values), "run") + (f" tagged {self.tag}" if self.tag else "")
        if len(values) == 1:
            return f"{self.measure} of {runs}: {self.last}"
        return (
            f"{self.measure} of {runs}, the oldest first: from {fixed(values[0])} to {self.last}, "
            f"between {fixed(min(values))} and {fixed(max(values))}"
        )


def sparklines(lists: Sequence[JudgmentList]) -> dict[int, Sparkline]:
    """By list, where runs were scored with the query set's default formula. Two queries, however many lists.

    The lists need their scale. All values of a list are of one state of its judgments: that which was scored last.
    """
    if not lists:
        return {}
    formulas = default_formulas(lists)
    scored_so = Q()
    for one in lists:
        scored_so |= Q(judgment_list=one.pk, formula=formulas[one.pk].key)
    newest_first = Window(
        RowNumber(), partition_by="judgment_list", order_by=[F("run__created_at").desc(), F("run").desc()]
    )
    rows = Evaluation.objects.filter(scored_so, version=None, ndcg_global__isnull=False)
    wanted = Q(place__lte=MOST_RUNS) | Q(run__is_baseline=True)
    rows = rows.annotate(place=newest_first).filter(wanted).order_by("-place")
    fields = ("run_id", "run__name", "run__tags", "ndcg_global", "judged_at_k", "missing", "coverage")
    by_list: dict[int, list[StoredMean]] = defaultdict(list)
    baselines: dict[int, StoredMean] = {}
    of_row = ("judgment_list", "place", "run__is_baseline")
    for list_id, place, is_baseline, *values in rows.values_list(*of_row, *fields, "revision", "computed_at"):
        mean = StoredMean(*values)
        if place <= MOST_RUNS:
            by_list[list_id].append(mean)
        if is_baseline:
            baselines[list_id] = mean
    return {
        list_id: _sparkline(list_id, formulas[list_id], means, baselines.get(list_id))
        for list_id, means in by_list.items()
    }


class ListedRun(NamedTuple):
    """A run with the trend of a list, its value there, and how far that is from the baseline; None where there is none."""

    run: Run
    trend: Sparkline | None
    mean: StoredMean | None
    change: AgainstBaseline | None


def runs_with_values(runs: Iterable[tuple[Run, Sparkline | None]]) -> list[ListedRun]:
    return [
        ListedRun(run, trend, trend.mean_of(run.pk), trend.against_baseline(run.pk))
        if trend
        else ListedRun(run, None, None, None)
        for run, trend in runs
    ]


def default_formulas(lists: Iterable[JudgmentList]) -> dict[int, Formula]:
    """What the Trend page of each list begins with."""
    defaults = SavedFormula.objects.filter(query_set__in={one.query_set_id for one in lists}, is_default=True)
    by_query_set = {saved.query_set_id: saved_choice(saved).formula for saved in defaults}
    formulas = {}
    for one in lists:
        formula = by_query_set.get(one.query_set_id, Formula())
        # A scale without levels has no table of gains, and its pages begin with the plain formula.
        formulas[one.pk] = Formula() if formula.gain == "table" and one.scale.continuous else formula
    return formulas


def _sparkline(
    list_id: int, formula: Formula, means: list[StoredMean], baseline: StoredMean | None
) -> Sparkline:
    state = max(reversed(means), key=lambda mean: mean.computed_at).revision
    same_state = [mean for mean in means if mean.revision == state]
    if baseline and baseline.revision != state:
        baseline = None
    tags = Counter(tag for mean in reversed(same_state) for tag in mean.tags)
    tag, runs = tags.most_common(1)[0] if tags else ("", 0)
    if runs < 2:
        return Sparkline(list_id, formula, "", same_state, same_state, baseline)
    tagged = [mean for mean in same_state if tag in mean.tags]
    return Sparkline(list_id, formula, tag, tagged, same_state, baseline)
